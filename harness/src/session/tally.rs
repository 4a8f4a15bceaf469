//! The bugs that processes report to the one that has the session: each told to it once, then counted by its place in the order of reports.

use dwindle_corpus::BugId;

use crate::failure::failed::Failed;
use crate::session::{Session, Sighting};

/// What was reported, in order.
#[derive(Default)]
pub(crate) struct Tally(Vec<Reported>);

struct Reported {
    failed: Failed,
    /// Where its folder is taken away, the bug is claimed again with it.
    input: Vec<u8>,
    /// How many sightings the session knows of.
    counted: u64,
}

impl Tally {
    /// Takes a report: which of the bugs it is, and whether it is one that nobody knew. Of a bug that was reported before, only the way to it is looked at. An error
    /// says what became of the input.
    pub(crate) fn take(&mut self, session: &mut Session, input: &[u8], failed: Failed) -> Result<(usize, Sighting), String> {
        if let Some(known) = self.place(failed.id) {
            session.look_for_variant(input, &failed).map_err(|error| error.to_string())?;
            return Ok((known, Sighting::Known));
        }
        let sighting = session.saw(input, &failed).map_err(|error| session.rescue(input, &error))?;
        self.0.push(Reported { failed, input: input.to_owned(), counted: 1 });
        Ok((self.0.len() - 1, sighting))
    }

    /// Brings the session's counts up to date. `sightings`: how many there were of one of the bugs, the first report included.
    pub(crate) fn count(&mut self, session: &mut Session, sightings: impl Fn(usize) -> u64) -> Result<(), String> {
        for (index, Reported { failed, input, counted }) in self.0.iter_mut().enumerate() {
            let now = sightings(index).max(*counted);
            let more = now - *counted;
            *counted = now;
            if more > 0 && !session.count(failed.id, more) {
                // Its folder was taken away meanwhile.
                session.saw(input, failed).map_err(|error| session.rescue(input, &error))?;
            }
        }
        Ok(())
    }

    fn place(&self, id: BugId) -> Option<usize> {
        self.0.iter().position(|reported| reported.failed.id == id)
    }
}
