//! Publishes what a run draws, entry by entry. So the parent knows it however the run ends.

use dwindle_engine::internals::choice::Choice;
use dwindle_engine::internals::{Follower, Label};

use super::death;
use super::shared::{Area, Header, Outgoing, Shared};

/// Writes what a worker's runs draw into shared memory.
pub(super) struct Drawn(Outgoing);

impl Drawn {
    /// Keeps the entries of an earlier worker until the first run of this one.
    ///
    /// # Safety
    /// The process has only one `Drawn`. No other process writes to the area during a run of this
    /// process.
    pub(super) unsafe fn new<H: Header>(shared: &'static Shared<H>) -> Drawn {
        // SAFETY: the place is that of an area, and the memory stays mapped. The caller promises
        // the rest.
        Drawn(unsafe { Outgoing::at(shared.place(Area::Drawn)) })
    }
}

impl Follower for Drawn {
    fn began(&mut self) {
        self.0.restart();
    }

    fn chose(&mut self, choice: &Choice) {
        self.0.choice(choice);
        self.0.publish();
    }

    fn opened(&mut self, label: Label, start: u32) {
        self.0.opened(label, start);
        self.0.publish();
    }

    fn closed(&mut self, discarded: bool) {
        self.0.closed(discarded);
        self.0.publish();
    }

    fn keyed(&mut self, words: &str) {
        death::keep_bug_key(words);
    }
}

/// Keeps the bug key for the record of a death: the words that tell failures apart. It is for a
/// process that does not record its runs.
pub(crate) struct Keys;

impl Follower for Keys {
    fn keyed(&mut self, words: &str) {
        death::keep_bug_key(words);
    }
}
