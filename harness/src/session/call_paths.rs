//! The call paths to the bugs of a session.

use dwindle_corpus::events::Event;
use dwindle_corpus::{BugId, Claim, Status, StoreError};

use super::{Session, report};
use crate::events;
use crate::failure::failed::Failed;
use crate::failure::variants::key_of;
use crate::session::entry::Entry;

impl Session {
    /// Checks whether a known bug was reached over a new call path. If so, it is claimed as a
    /// variant and queued for its minimizer.
    pub(crate) fn look_for_variant(
        &mut self,
        input: &[u8],
        failed: &Failed,
    ) -> Result<(), StoreError> {
        let id = self.stored_id(failed)?;
        self.sample(id, input);
        let Some(key) = self.variants.key(failed) else { return Ok(()) };
        let looked = self.claim_variant(input, id, failed, key);
        self.or_warn(id, looked)
    }

    fn claim_variant(
        &mut self,
        input: &[u8],
        id: BugId,
        failed: &Failed,
        key: String,
    ) -> Result<(), StoreError> {
        if !self.call_paths.contains_key(&id) {
            let report = self.store.bug(id).read_report()?;
            // The call path to the bug itself is known only after its minimization.
            let Some(own) = key_of(&report.frames).filter(|_| report.status != Status::Pending)
            else {
                return Ok(());
            };
            let call_paths = self.store.variants(id)?.into_iter().chain([own]).collect();
            self.call_paths.insert(id, call_paths);
        }
        if self.call_paths.get_mut(&id).is_none_or(|call_paths| !call_paths.insert(key.clone())) {
            return Ok(());
        }
        let pending = report::pending(&self.target, failed, input, self.engine);
        if matches!(self.store.claim_variant(id, &key, input, &pending)?, Claim::New) {
            let text =
                format!("dwindle: bug {id} has a new call path (variant {key}), being minimized");
            events::say(Event::Variant { bug_id: id, variant: key.clone() }, &text);
            if self.minimizes {
                self.queue.push_back(Entry { id, variant: Some(key) });
            }
        }
        Ok(())
    }
}
