//! What became of the last candidate.

use super::Search;
use crate::outcome::Outcome;
use crate::trace::Trace;

impl Search<'_> {
    /// What the last candidate drew. The result is `None` if the search answered without running
    /// it, or if it became the best.
    pub(in crate::shrink) fn trial(&self) -> Option<&Trace> {
        let trial = self.apart.as_ref().map_or(&self.trial, |apart| &apart.trial);
        self.has_trial.then_some(trial)
    }

    /// Whether the search ran the last candidate and the candidate drew more than the best.
    pub(in crate::shrink) fn trial_overran(&self) -> bool {
        self.has_trial && self.trial_ended() == Some(Outcome::Overrun)
    }

    /// How many choices the last candidate drew, if that is known and the target ran to an end.
    pub(in crate::shrink) fn trial_length(&self) -> Option<usize> {
        if self.apart.is_some() {
            return self.trial().filter(|_| !self.trial_overran()).map(Trace::len);
        }
        let drawn = self.trial_drawn?;
        drawn.outcome.halt().is_none().then_some(drawn.length as usize)
    }

    /// Whether the last candidate failed, but with another origin.
    pub(in crate::shrink) fn trial_failed_otherwise(&self) -> bool {
        self.trial_ended() == Some(Outcome::Failed(false))
    }

    /// Whether any candidate failed with another origin.
    pub(in crate::shrink) fn has_met_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// How the last candidate ended, now or in an earlier run.
    fn trial_ended(&self) -> Option<Outcome<bool>> {
        self.trial_drawn.map(|drawn| drawn.outcome)
    }
}
