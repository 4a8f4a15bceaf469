//! The best in parts.

use super::{Search, cache};
use crate::parts::take_apart;
use crate::trace::Trace;

/// What a search knows in parts.
pub(super) struct Apart {
    pub(super) best: Trace,
    /// The hash of these values.
    pub(super) hash: u64,
    pub(super) trial: Trace,
}

impl Apart {
    pub(super) fn new(best: &Trace) -> Apart {
        let best = take_apart(best).unwrap_or_else(|| best.clone());
        let hash = cache::hash(best.choices.iter().map(|choice| &choice.value));
        Apart { best, hash, trial: Trace::default() }
    }

    pub(super) fn note_trial(&mut self, trial: &Trace) {
        self.trial = take_apart(trial).unwrap_or_else(|| trial.clone());
    }
}

impl Search<'_> {
    /// Whether the best has strings or whole floats to take apart.
    pub(in crate::shrink) fn has_parts(&self) -> bool {
        take_apart(&self.best).is_some()
    }

    /// Runs `passes` on the best, with its strings and whole floats taken apart if it has some.
    /// Returns whether they improved it.
    pub(in crate::shrink) fn in_parts(&mut self, passes: impl FnOnce(&mut Self)) -> bool {
        let improvements = self.improvements;
        self.apart = self.has_parts().then(|| Apart::new(&self.best));
        passes(self);
        self.apart = None;
        self.improvements > improvements
    }
}
