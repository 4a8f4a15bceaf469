//! What other processes do to the store of a session: the instances of a campaign claim bugs, count them and have them minimized.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use dwindle_corpus::{BugId, Status, StoreError};
use serde_json::json;

use super::{PULSE, Session};
use crate::events;
use crate::session::entry::Entry;

/// What is known of the others.
pub(crate) struct Following {
    /// How often each bug had been seen when this session began.
    before: BTreeMap<BugId, u64>,
    /// What was said to be minimized, or had been before.
    announced: BTreeSet<Entry>,
    last_look: Instant,
    /// Whether this session minimizes what they claim.
    minimizes: bool,
}

impl Session {
    /// From here on [`follow`](Session::follow) tells of what others do. `minimizes`: the others leave it to this session to minimize what they claim.
    pub(crate) fn begin_to_follow(&mut self, minimizes: bool) -> Result<(), StoreError> {
        let mut before = BTreeMap::new();
        let mut announced = BTreeSet::new();
        for id in self.store.ids()? {
            before.insert(id, self.store.sightings(id)?);
            let ended = self.entries(id)?.into_iter().filter(|entry| !self.is_pending(entry));
            announced.extend(ended);
        }
        self.following = Some(Following { before, announced, last_look: Instant::now(), minimizes });
        Ok(())
    }

    /// Looks what others have done since. Cheap if called often.
    pub(crate) fn follow(&mut self) -> Result<(), StoreError> {
        let Some(mut following) = self.following.take_if(|following| following.last_look.elapsed() >= PULSE) else { return Ok(()) };
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
            let new: Vec<Entry> = pending.into_iter().filter(|entry| !self.tried.contains(entry) && !self.queue.contains(entry)).collect();
            self.queue.extend(new);
        }
        Ok(())
    }

    fn look_at_bug(&mut self, following: &mut Following, id: BugId) -> Result<(), StoreError> {
        let known = following.before.get(&id).copied();
        let written = self.seen.get(&id).map_or(0, |seen| seen.written);
        let elsewhere = self.store.sightings(id)?.saturating_sub(known.unwrap_or(0) + written);
        // What this session claimed it has told of. It may have run an input of a bug that others had claimed.
        if known.is_none() && self.seen.get(&id).is_none_or(|seen| !seen.new) {
            let report = self.store.bug(id).read_report()?;
            let text = format!("dwindle: new bug {id}: {} at {}, being minimized", report.kind, report.location.as_deref().unwrap_or("an unknown place"));
            events::say("bug", json!({ "bug_id": id, "kind": report.kind, "message": report.message, "location": report.location }), &text);
            self.seen.entry(id).or_default().new = true;
        } else if elsewhere > 0 {
            self.seen.entry(id).or_default();
        }
        if let Some(seen) = self.seen.get_mut(&id) {
            seen.elsewhere = elsewhere;
        }
        for entry in self.entries(id)? {
            // What this session had minimized it has told of.
            if !self.is_pending(&entry) && following.announced.insert(entry.clone()) && !self.tried.contains(&entry) {
                self.announce(&entry)?;
            }
        }
        Ok(())
    }

    /// What the others did up to now is told at once.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn follow_to_the_end(&mut self) -> Result<(), StoreError> {
        let Some(mut following) = self.following.take() else { return Ok(()) };
        let looked = self.look_at_store(&mut following);
        self.following = Some(following);
        looked
    }

    /// Takes up what the others left unfinished, once they have ended.
    pub(crate) fn take_over(&mut self) -> Result<(), StoreError> {
        let pending = Entry::pending(&self.store)?;
        self.tried.retain(|entry| !pending.contains(entry));
        self.queue.extend(pending);
        Ok(())
    }

    /// How many bugs are new in this session.
    pub(crate) fn new_bugs(&self) -> usize {
        self.seen.values().filter(|seen| seen.new).count()
    }

    /// Whether anything waits to be minimized, by whoever does it.
    pub(crate) fn has_pending(&self) -> Result<bool, StoreError> {
        Ok(!Entry::pending(&self.store)?.is_empty())
    }

    fn entries(&self, id: BugId) -> Result<Vec<Entry>, StoreError> {
        let variants = self.store.variants(id)?.into_iter().map(|key| Entry { id, variant: Some(key) });
        Ok(std::iter::once(Entry::from(id)).chain(variants).collect())
    }

    fn is_pending(&self, entry: &Entry) -> bool {
        entry.bug(&self.store).read_report().is_ok_and(|report| report.status == Status::Pending)
    }
}
