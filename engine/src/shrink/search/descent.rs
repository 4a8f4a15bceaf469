//! The search around a best that no pass improves: kicks, and the way down from them.

use super::{Search, cache};
use crate::choice::Value;
use crate::hashed::Hashes;
use crate::order;
use crate::outcome::Outcome;
use crate::shrink::{Budget, Candidate};
use crate::trace::Trace;

/// How many calls a way down may take for each choice of its start, or for each byte of a raw
/// input.
const DESCENT_EACH: u64 = 8;
/// How many calls a way down may take at least.
const DESCENT_MIN: u64 = 200;
/// A kick may draw this many choices more than the best has, or a quarter of them.
const LONGER_MIN: usize = 4;

impl Search<'_> {
    /// Runs `beginning`, and random choices behind it. Returns what it drew if it fails with the
    /// origin. Other failures are not kept: a random case may show any bug of the target, and a
    /// shrink is asked about one.
    pub(in crate::shrink) fn kick(&mut self, beginning: &[Value], seed: u64) -> Option<Trace> {
        self.note_if_over();
        if self.is_stopped() {
            return None;
        }
        self.calls += 1;
        let candidate = Candidate { values: beginning, seed: Some(seed) };
        let choices_max = self.best.len() + (self.best.len() / 4).max(LONGER_MIN);
        let outcome = self.runner.run(candidate, choices_max, &mut self.trial);
        (self.has_trial, self.trial_drawn) = (false, None);
        (outcome == Outcome::Failed(self.origin)).then(|| self.trial.clone())
    }

    /// Runs `passes` from `start` on, until they arrive at one of `ends` or find nothing more.
    /// Returns where they ended. That is the best from now on, if it is simpler.
    pub(in crate::shrink) fn descend(
        &mut self,
        start: &Trace,
        ends: &mut Hashes,
        passes: &dyn Fn(&mut Search<'_>),
    ) -> Trace {
        let size = start.raw_input().map_or(start.len(), |input| input.len());
        let left = self.exhausting.map_or(0, |phase| phase.until.saturating_sub(self.calls));
        let calls_max = left
            .min(self.budget.calls_max - self.calls)
            .min((size as u64 * DESCENT_EACH).max(DESCENT_MIN));
        let (stop, around) = (&mut *self.budget.stop, &mut self.budget.around);
        let mut stop = || stop() || around.as_mut().is_some_and(|around| (around.stop)());
        let mut progress = |_: &Trace, _: u64| {};
        let mut inner = Search::new(
            start,
            self.origin,
            &mut *self.runner,
            Budget { calls_max, exhaust_max: 0, around: None, stop: &mut stop },
            &mut progress,
        );
        inner.known_ends = Some(std::mem::take(ends));
        inner.cache = std::mem::take(&mut self.cache);
        passes(&mut inner);
        *ends = inner.known_ends.take().unwrap_or_default();
        let Search { best, best_hash, calls, cache, .. } = inner;
        self.calls += calls;
        self.cache = cache;
        if order::compare(&best.choices, &self.best.choices).is_lt() {
            self.trial = best.clone();
            self.accept_trial(best_hash);
        }
        best
    }
}

/// The hash by which `ends` knows a trace.
pub(in crate::shrink) fn hash_of(trace: &Trace) -> u64 {
    cache::hash(trace.choices.iter().map(|choice| &choice.value))
}
