//! Saying which choices belong together, and how deep a value is.

use super::{DEPTH_HARD, DEPTH_MAX, TestCase};
use crate::trace::Label;

impl TestCase {
    /// Opens a span: the choices made until it is closed belong together.
    #[inline]
    pub fn open_span(&mut self, label: Label) {
        if !self.decode_only {
            self.trace.open(label, self.trace.len());
        }
    }

    /// Closes the span opened last.
    #[inline]
    pub fn close_span(&mut self) {
        if !self.decode_only {
            self.trace.close(false);
        }
    }

    /// Closes the `count` spans opened last.
    #[inline]
    pub fn close_spans(&mut self, count: usize) {
        if !self.decode_only {
            for _ in 0..count {
                self.trace.close(false);
            }
        }
    }

    /// Closes the span opened last and says that what it drew was thrown away.
    #[inline]
    pub fn discard_span(&mut self) {
        if !self.decode_only {
            self.trace.close(true);
        }
    }

    /// Runs `generate` in a span of its own.
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
        if self.depth >= DEPTH_HARD {
            self.reject();
        }
        self.depth += 1;
        let value = generate(self);
        self.depth -= 1;
        value
    }

    /// Whether a recursive type has to come to its end here.
    #[inline]
    pub fn too_deep(&self) -> bool {
        self.depth >= DEPTH_MAX
    }
}
