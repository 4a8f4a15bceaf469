//! Spans group the choices that belong together. This file also tracks the depth of a value.

use super::{Alternatives, DEPTH_HARD, DEPTH_MAX, TestCase};
use crate::outcome::Rejection;
use crate::trace::Label;

impl TestCase {
    /// Opens a span. The choices until it is closed belong together.
    #[inline]
    pub fn open_span(&mut self, label: Label) {
        if !self.decode_only {
            self.open(label, self.trace.len());
        }
    }

    /// Closes the innermost open span.
    #[inline]
    pub fn close_span(&mut self) {
        if !self.decode_only {
            self.close(false);
        }
    }

    /// Closes the innermost `count` open spans.
    #[inline]
    pub(crate) fn close_spans(&mut self, count: usize) {
        if !self.decode_only {
            for _ in 0..count {
                self.close(false);
            }
        }
    }

    /// Closes the innermost open span and marks its value as discarded.
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

    /// Runs `generate` in a span whose label is the type of the value. So a function that calls
    /// itself has spans of one label at all levels.
    #[inline]
    pub(crate) fn typed_span<T>(&mut self, generate: impl FnOnce(&mut TestCase) -> T) -> T {
        if self.decode_only {
            return generate(self);
        }
        self.open(Label::of_type::<T>(), self.trace.len());
        let value = generate(self);
        self.close(false);
        value
    }

    /// Runs `generate` one level deeper in a recursive type. Beyond 128 levels the test case is
    /// rejected.
    ///
    /// The value gets a span whose label is its type.
    #[inline]
    pub fn deeper<T>(&mut self, generate: impl FnOnce(&mut TestCase) -> T) -> T {
        self.deeper_in(TestCase::RECURSIVE, |tc| tc.typed_span(generate))
    }

    /// How a rejection names a generator that has no name.
    pub(crate) const RECURSIVE: &'static str = "a recursive generator";

    /// Runs `generate` one level deeper, as [`deeper`](TestCase::deeper) does. A rejection names
    /// the type `name`.
    #[doc(hidden)]
    #[inline]
    pub fn deeper_in<T>(
        &mut self,
        name: &'static str,
        generate: impl FnOnce(&mut TestCase) -> T,
    ) -> T {
        if self.depth >= DEPTH_HARD {
            self.reject_because(Rejection::Depth(name));
        }
        self.depth += 1;
        let value = generate(self);
        self.depth -= 1;
        value
    }

    /// Ends this execution, because the next value of the type `name` would never end.
    #[doc(hidden)]
    #[cold]
    pub fn endless(&mut self, name: &'static str) -> ! {
        self.reject_because(Rejection::Depth(name))
    }

    /// Runs `generate`, and counts one more value of the type that `label` stands for around it.
    ///
    /// This is for types with their own depth limit. Other types only count their total depth, see
    /// [`deeper`](TestCase::deeper).
    #[doc(hidden)]
    pub fn nested<T>(&mut self, label: Label, generate: impl FnOnce(&mut TestCase) -> T) -> T {
        let at = self.nested.iter().position(|(of, _)| *of == label).unwrap_or_else(|| {
            self.nested.push((label, 0));
            self.nested.len() - 1
        });
        let around = self.nested[at].1;
        self.nested[at].1 += 1;
        let value = generate(self);
        // Entries are never removed while a value is drawn, so the index is still valid.
        self.nested[at].1 = around;
        value
    }

    /// Whether a recursive type must end here. This is so from 32 levels on.
    #[inline]
    pub fn too_deep(&self) -> bool {
        self.depth >= DEPTH_MAX
    }

    /// The alternative that is taken where this place was drawn: a leaf where a recursive type must
    /// end. The trace holds the one taken, so that there is one trace for each value.
    #[inline]
    pub(super) fn taken(&self, place: usize, alternatives: Alternatives) -> usize {
        let Alternatives { count, leaves, shares, .. } = alternatives;
        let of_leaves = shares.place_of(leaves);
        let may_recurse = 0 < leaves && leaves < count && place >= of_leaves;
        let place =
            if may_recurse && self.must_end(alternatives) { place % of_leaves } else { place };
        shares.index_at(place)
    }

    #[inline]
    fn must_end(&self, alternatives: Alternatives) -> bool {
        let is_reached = |(label, max): (Label, usize)| {
            let around = self.nested.iter().find(|(of, _)| *of == label);
            around.map_or(0, |(_, around)| *around) >= max
        };
        self.too_deep() || alternatives.nested_max.is_some_and(is_reached)
    }
}
