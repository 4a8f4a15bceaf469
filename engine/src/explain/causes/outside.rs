//! Failures outside of the known causes.

use super::cause::Cause;
use super::known::KnownCauses;
use crate::outcome::{Origin, Outcome};
use crate::shrink::{Candidate, Runner};
use crate::trace::Trace;

/// Runs candidates, and hides the failures that a known cause explains: they count as rejected. So
/// the shrinker does not go there, and they say nothing about a claim.
pub struct Outside<'a> {
    runner: &'a mut dyn Runner,
    known: KnownCauses<'a>,
    origin: Origin,
}

impl<'a> Outside<'a> {
    /// Hides the failures of `origin` that one of the causes explains.
    pub fn new(runner: &'a mut dyn Runner, known: &'a [Cause], origin: Origin) -> Self {
        Outside { runner, known: KnownCauses::new(known, origin), origin }
    }
}

impl Runner for Outside<'_> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        let outcome = self.runner.run(candidate, choices_max, trace);
        let is_known = outcome == Outcome::Failed(self.origin)
            && self.known.explaining(trace, self.runner).is_some();
        if is_known { Outcome::Rejected } else { outcome }
    }
}
