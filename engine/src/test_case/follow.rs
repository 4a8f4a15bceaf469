//! What is recorded, shown to a follower at once: it is known even if the execution ends its process.

use std::fmt::Debug;

use super::TestCase;
use crate::choice::Choice;
use crate::trace::Label;

/// Sees each entry of the record of an execution when it is made.
///
/// An execution that reads bytes without a record shows its [key](TestCase::bug_key) only.
pub trait Follower: Send {
    /// A recorded execution begins: what was shown before belongs to another one.
    fn began(&mut self) {}

    /// A choice was made.
    fn chose(&mut self, _choice: &Choice) {}

    /// A span was opened that begins with the choice of this number, which may be the last one made.
    fn opened(&mut self, _label: Label, _start: u32) {}

    /// The span that was opened last, of those still open, was closed.
    fn closed(&mut self, _discarded: bool) {}

    /// The target set the words that tell its failures apart.
    fn keyed(&mut self, _words: &str) {}
}

pub(super) struct Following(Box<dyn Follower>);

impl Debug for Following {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Follower")
    }
}

impl std::ops::Deref for Following {
    type Target = dyn Follower;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl std::ops::DerefMut for Following {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl TestCase {
    /// Shows `follower` what is recorded from the next start on, and the key of every execution.
    pub fn follow(&mut self, follower: impl Follower + 'static) {
        self.follower = Some(Following(Box::new(follower)));
    }

    pub(super) fn begin_following(&mut self) {
        if let Some(follower) = &mut self.follower {
            follower.began();
        }
    }

    /// Opens a span that begins with the choice of this number.
    pub(super) fn open(&mut self, label: Label, start: usize) {
        if let Some(follower) = &mut self.follower {
            follower.opened(label, start as u32);
        }
        self.trace.open(label, start);
    }

    pub(super) fn close(&mut self, discarded: bool) {
        if let Some(follower) = &mut self.follower {
            follower.closed(discarded);
        }
        self.trace.close(discarded);
    }

    /// Closes what an unwinding run left open.
    pub(super) fn close_all(&mut self) {
        while !self.trace.open_spans().is_empty() {
            self.close(false);
        }
    }
}
