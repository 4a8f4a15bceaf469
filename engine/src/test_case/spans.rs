//! Saying which choices belong together, and how deep a value is.

use super::{DEPTH_HARD, DEPTH_MAX, TestCase};
use crate::outcome::Rejection;
use crate::trace::Label;

impl TestCase {
    /// Opens a span: the choices made until it is closed belong together.
    #[inline]
    pub fn open_span(&mut self, label: Label) {
        if !self.decode_only {
            self.open(label, self.trace.len());
        }
    }

    /// Closes the span opened last.
    #[inline]
    pub fn close_span(&mut self) {
        if !self.decode_only {
            self.close(false);
        }
    }

    /// Closes the `count` spans opened last.
    #[inline]
    pub fn close_spans(&mut self, count: usize) {
        if !self.decode_only {
            for _ in 0..count {
                self.close(false);
            }
        }
    }

    /// Closes the span opened last and says that what it drew was thrown away.
    #[inline]
    pub fn discard_span(&mut self) {
        if !self.decode_only {
            self.close(true);
        }
    }

    /// Runs `generate` in its own span.
    #[inline]
    pub fn span<T>(&mut self, label: Label, generate: impl FnOnce(&mut TestCase) -> T) -> T {
        self.open_span(label);
        let value = generate(self);
        self.close_span();
        value
    }

    /// Runs `generate` one level deeper in a recursive type. More than [`DEPTH_HARD`] levels deep, the test case is rejected.
    #[inline]
    pub fn deeper<T>(&mut self, generate: impl FnOnce(&mut TestCase) -> T) -> T {
        self.deeper_in("a recursive generator", generate)
    }

    /// The same in a value of the type `name`, which the reason of a rejection names.
    #[inline]
    pub fn deeper_in<T>(&mut self, name: &'static str, generate: impl FnOnce(&mut TestCase) -> T) -> T {
        if self.depth >= DEPTH_HARD {
            self.reject_because(Rejection::Depth(name));
        }
        self.depth += 1;
        let value = generate(self);
        self.depth -= 1;
        value
    }

    /// Ends this execution: the value of the type `name` that was to be drawn here would never end.
    #[cold]
    pub fn endless(&mut self, name: &'static str) -> ! {
        self.reject_because(Rejection::Depth(name))
    }

    /// Runs `generate` with how many values of the type that `label` stands for are around this one.
    ///
    /// For types whose recursion has its own limit; the others only count how deep they are in all, see [`deeper`](TestCase::deeper).
    pub fn nested<T>(&mut self, label: Label, generate: impl FnOnce(&mut TestCase, usize) -> T) -> T {
        let at = self.nested.iter().position(|(of, _)| *of == label).unwrap_or_else(|| {
            self.nested.push((label, 0));
            self.nested.len() - 1
        });
        let around = self.nested[at].1;
        self.nested[at].1 += 1;
        let value = generate(self, around);
        // Entries are never taken out while a value is drawn, so it still stands there.
        self.nested[at].1 = around;
        value
    }

    /// Whether a recursive type has to come to its end here.
    #[inline]
    pub fn too_deep(&self) -> bool {
        self.depth >= DEPTH_MAX
    }
}
