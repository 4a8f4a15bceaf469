//! What other processes do to the store of a session. The instances of a campaign claim bugs, count
//! hits and leave bugs to be minimized.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use dwindle_corpus::events::{BugSeen, Event};
use dwindle_corpus::{BugId, Status, StoreError};

use super::{HEARTBEAT, Session};
use crate::events;
use crate::session::entry::Entry;

/// What this session knows about the other processes.
pub(crate) struct Following {
    /// Hits of each bug when this session began to follow.
    before: BTreeMap<BugId, u64>,
    /// Entries that this session announced as minimized, or that were minimized before it began.
    announced: BTreeSet<Entry>,
    last_look: Instant,
    /// Whether this session minimizes the bugs that the others claim.
    minimizes: bool,
}

impl Session {
    /// From now on [`follow`](Session::follow) reports what the other processes do. `minimizes`:
    /// the others leave their bugs to this session, which minimizes them.
    pub(crate) fn begin_to_follow(&mut self, minimizes: bool) -> Result<(), StoreError> {
        let mut before = BTreeMap::new();
        let mut announced = BTreeSet::new();
        for id in self.store.ids()? {
            before.insert(id, self.store.hits(id)?);
            let ended = self.entries(id)?.into_iter().filter(|entry| !self.is_pending(entry));
            announced.extend(ended);
        }
        self.following =
            Some(Following { before, announced, last_look: Instant::now(), minimizes });
        Ok(())
    }

    /// Reads from the store what others have done since the last call. Frequent calls are cheap: it
    /// reads at most once in a heartbeat interval.
    pub(crate) fn follow(&mut self) -> Result<(), StoreError> {
        let Some(mut following) =
            self.following.take_if(|following| following.last_look.elapsed() >= HEARTBEAT)
        else {
            return Ok(());
        };
        following.last_look = Instant::now();
        let looked = self.look_at_store(&mut following);
        self.following = Some(following);
        looked
    }

    fn look_at_store(&mut self, following: &mut Following) -> Result<(), StoreError> {
        for id in self.store.ids()? {
            let looked = self.look_at_bug(following, id);
            self.or_warn(id, looked)?;
        }
        if following.minimizes {
            let pending = Entry::pending(&self.store)?;
            let new: Vec<Entry> = pending
                .into_iter()
                .filter(|entry| !self.tried.contains(entry) && !self.queue.contains(entry))
                .collect();
            self.queue.extend(new);
        }
        Ok(())
    }

    fn look_at_bug(&mut self, following: &mut Following, id: BugId) -> Result<(), StoreError> {
        let known = following.before.get(&id).copied();
        let written = self.seen.get(&id).map_or(0, |seen| seen.written);
        let elsewhere = self.store.hits(id)?.saturating_sub(known.unwrap_or(0) + written);
        // This session has already announced the bugs that it claimed. It may also have run an
        // input of a bug that another process had claimed.
        if known.is_none() && self.seen.get(&id).is_none_or(|seen| !seen.new) {
            let report = self.store.bug(id).read_report()?;
            let text = format!(
                "dwindle: new bug {id}: {} at {}, being minimized",
                report.kind,
                report.location.as_deref().unwrap_or("an unknown place")
            );
            events::say(Event::Bug(BugSeen::from(&report)), &text);
            self.seen.entry(id).or_default().new = true;
        } else if elsewhere > 0 {
            self.seen.entry(id).or_default();
        }
        if let Some(seen) = self.seen.get_mut(&id) {
            seen.elsewhere = elsewhere;
        }
        for entry in self.entries(id)? {
            // This session has already announced the entries that it had minimized.
            if !self.is_pending(&entry)
                && following.announced.insert(entry.clone())
                && !self.tried.contains(&entry)
            {
                self.announce(&entry)?;
            }
        }
        Ok(())
    }

    /// Reports at once what the other processes did up to now.
    pub(crate) fn follow_to_the_end(&mut self) -> Result<(), StoreError> {
        let Some(mut following) = self.following.take() else { return Ok(()) };
        let looked = self.look_at_store(&mut following);
        self.following = Some(following);
        looked
    }

    /// Takes over the pending entries of the other processes, once those have ended.
    pub(crate) fn take_over(&mut self) -> Result<(), StoreError> {
        let pending = Entry::pending(&self.store)?;
        self.tried.retain(|entry| !pending.contains(entry));
        self.queue.extend(pending);
        Ok(())
    }

    /// The number of bugs that are new in this session.
    pub(crate) fn new_bugs(&self) -> usize {
        self.seen.values().filter(|seen| seen.new).count()
    }

    /// Whether an entry waits for a minimization, by this process or another.
    pub(crate) fn has_pending(&self) -> Result<bool, StoreError> {
        Ok(!Entry::pending(&self.store)?.is_empty())
    }

    fn entries(&self, id: BugId) -> Result<Vec<Entry>, StoreError> {
        let variants =
            self.store.variants(id)?.into_iter().map(|key| Entry { id, variant: Some(key) });
        Ok(std::iter::once(Entry::from(id)).chain(variants).collect())
    }

    fn is_pending(&self, entry: &Entry) -> bool {
        entry.bug(&self.store).read_report().is_ok_and(|report| report.status == Status::Pending)
    }
}
