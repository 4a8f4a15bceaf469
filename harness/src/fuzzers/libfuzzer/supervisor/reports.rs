//! Reports of a fuzzer that continues: failures that did not kill it, and wrong use of dwindle.

use super::Supervisor;
use super::deaths::executor;
use crate::events;
use crate::exit::WRONG_USE;
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::session::damage::{Settled, catch_all};
use crate::system::{children, process};

impl Supervisor<'_> {
    /// Takes a reported failure and returns the index of its bug among the run's bugs.
    pub(super) fn reported(&mut self, input: &[u8], failed: Failed) -> usize {
        let reported = failed.id;
        let (failed, is_innocent) = self.settle(input, failed);
        // Only an id that will settle in the same way again is linked to its bug. A failure that
        // changed when its input ran alone may change again. So may the failure of an innocent
        // input.
        let is_itself = failed.id == reported || failed.id == catch_all() && !is_innocent;
        match self.tally.take(&mut self.session, input, failed) {
            Ok((index, hit)) => {
                if is_itself {
                    self.link.add(reported, index);
                }
                self.stop_if_asked(hit);
                if is_innocent {
                    self.replace_fuzzer();
                }
                index
            }
            Err(text) => self.give_up(&text),
        }
    }

    /// Checks a failure for damaged memory. Returns the failure to record, and whether its input is
    /// innocent.
    ///
    /// If the input is innocent, an earlier input has damaged the memory of the process. See
    /// [`MemoryDamage`](crate::session::damage::MemoryDamage).
    pub(super) fn settle(&mut self, input: &[u8], failed: Failed) -> (Failed, bool) {
        let session = &mut self.session;
        let until = session.deadline().gives_up_at();
        match self.damage.settle(
            || executor(&mut self.executor, self.target, until),
            input,
            failed,
            |failed| session.has_seen(failed),
        ) {
            Settled::Bug(failed) | Settled::Damage(failed) => (failed, false),
            Settled::Innocent(failed) => (failed, true),
        }
    }

    /// Ends the fuzzer, because its memory is damaged. The next fuzzer starts anew, without a
    /// snapshot of this one.
    fn replace_fuzzer(&mut self) {
        if let Some(fuzzer) = self.fuzzer {
            self.is_replaced = true;
            children::kill(fuzzer);
        }
    }

    /// Ends the run: the target uses dwindle wrongly, so its results say nothing.
    pub(super) fn misused(&mut self, misuse: &Misuse) -> ! {
        self.end_fuzzer();
        self.count();
        let ended = self.session.end(true);
        self.remove_files();
        if let Err(error) = ended {
            events::error(&error.to_string());
        }
        events::error(&misuse.to_string());
        process::leave(WRONG_USE)
    }
}
