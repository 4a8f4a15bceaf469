//! The best in parts.

use super::{Search, cache};
use crate::parts;
use crate::trace::Trace;

/// What a search knows in parts.
pub(super) struct Apart {
    pub(super) best: Trace,
    /// The hash of these values.
    pub(super) hash: u64,
    pub(super) trial: Trace,
}

impl Apart {
    /// `None` if the best has no parts. The trial is then whole, too: a best and a trial in two
    /// forms have other spans and places.
    pub(super) fn new(best: &Trace) -> Option<Apart> {
        let best = parts::take_apart(best)?;
        let hash = cache::hash(best.choices.iter().map(|choice| &choice.value));
        Some(Apart { best, hash, trial: Trace::default() })
    }

    pub(super) fn note_trial(&mut self, trial: &Trace) {
        self.trial = parts::in_parts(trial);
    }
}

impl Search<'_> {
    /// Whether the best has strings or whole floats to take apart.
    pub(in crate::shrink) fn has_parts(&self) -> bool {
        parts::has_parts(&self.best)
    }

    /// Runs `passes` on the best, with its strings and whole floats taken apart if it has some.
    /// Returns whether they improved it.
    pub(in crate::shrink) fn in_parts(&mut self, passes: impl FnOnce(&mut Self)) -> bool {
        let improvements = self.improvements;
        self.apart = Apart::new(&self.best);
        passes(self);
        self.apart = None;
        self.improvements > improvements
    }
}
