//! What a fuzzer reports that goes on: failures that did not kill it, and wrong use of dwindle.

use super::Supervisor;
use super::deaths::executor;
use crate::events;
use crate::exit::WRONG_USE;
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::session::damage::{Settled, catch_all};
use crate::system::{children, process};

impl Supervisor<'_> {
    /// Takes a failure: which of the run's bugs it is.
    pub(super) fn reported(&mut self, input: &[u8], failed: Failed) -> usize {
        let reported = failed.id;
        let (failed, is_innocent) = self.settle(input, failed);
        // What came up alone, or stands for damage, may come otherwise the next time.
        let is_itself = failed.id == reported || failed.id == catch_all() && !is_innocent;
        match self.tally.take(&mut self.session, input, failed) {
            Ok((index, sighting)) => {
                if is_itself {
                    self.link.add(reported, index);
                }
                self.stop_if_asked(sighting);
                if is_innocent {
                    self.replace_fuzzer();
                }
                index
            }
            Err(text) => self.give_up(&text),
        }
    }

    /// What a failure is after all, and whether its input is innocent, so that the memory of its process is damaged. See [`Damage`](crate::session::damage::Damage).
    pub(super) fn settle(&mut self, input: &[u8], failed: Failed) -> (Failed, bool) {
        let session = &mut self.session;
        let until = session.deadline().gives_up_at();
        match self.damage.settle(|| executor(&mut self.executor, self.target, until), input, failed, |failed| session.has_seen(failed)) {
            Settled::Bug(failed) | Settled::Damage(failed) => (failed, false),
            Settled::Innocent(failed) => (failed, true),
        }
    }

    /// Ends the fuzzer, the memory of which is damaged. The next one begins without what it had.
    fn replace_fuzzer(&mut self) {
        if let Some(fuzzer) = self.fuzzer {
            self.is_replaced = true;
            children::kill(fuzzer);
        }
    }

    /// Ends the run: the target is wrong, and nothing it does says anything.
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
