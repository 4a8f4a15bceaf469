//! Passes every record to a follower at once. The record survives an execution that ends its
//! process.

use std::fmt::Debug;

use super::{Driver, TestCase};
use crate::choice::Choice;
use crate::trace::Label;

/// Receives each entry of the record of an execution when it is made.
///
/// An execution that reads bytes without a record passes only its [key](TestCase::bug_key).
pub trait Follower: Send {
    /// A recorded execution begins. Earlier entries belong to another execution.
    fn began(&mut self) {}

    /// The execution made a choice.
    fn chose(&mut self, _choice: &Choice) {}

    /// The execution opened a span whose first choice is at index `start`. That choice may already
    /// be recorded.
    fn opened(&mut self, _label: Label, _start: u32) {}

    /// The execution closed the innermost open span.
    fn closed(&mut self, _discarded: bool) {}

    /// The target set the key that distinguishes its failures.
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

impl Driver {
    /// Passes to `follower` the record from the next start on, and the key of every execution.
    pub fn follow(&mut self, follower: impl Follower + 'static) {
        self.0.follower = Some(Following(Box::new(follower)));
    }
}

impl TestCase {
    pub(super) fn begin_following(&mut self) {
        if let Some(follower) = &mut self.follower {
            follower.began();
        }
    }

    /// Opens a span that begins with the choice at index `start`.
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

    /// Closes the spans that unwinding left open.
    pub(super) fn close_all(&mut self) {
        while !self.trace.open_spans().is_empty() {
            self.close(false);
        }
    }
}
