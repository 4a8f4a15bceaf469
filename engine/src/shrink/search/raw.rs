//! Tries inputs that the target takes as they stand.

use super::{Search, Verdict};
use crate::choice::Value;
use crate::outcome::Outcome;
use crate::replay::Candidate;
use crate::trace::Trace;

impl Search<'_> {
    /// Tries the concatenation of `parts`.
    pub(in crate::shrink) fn attempt_raw<const N: usize>(&mut self, parts: [&[u8]; N]) -> Verdict {
        let mut input = std::mem::take(&mut self.input);
        input.clear();
        for part in parts {
            input.extend_from_slice(part);
        }
        let (hash, drawn) = self.cache.look_up_raw(&input);
        let verdict = self
            .answer_known(hash, drawn)
            .unwrap_or_else(|| self.run_as(hash, &[Value::Bytes(input[..].into())]));
        self.input = input;
        verdict
    }

    /// Runs an input, unless its answer is known. Returns it if it fails with the origin.
    pub(in crate::shrink) fn kick_raw(&mut self, input: &[u8]) -> Option<Trace> {
        let (hash, drawn) = self.cache.look_up_raw(input);
        self.note_if_over();
        if drawn.is_some() || hash == self.best_hash || self.is_stopped() {
            return None;
        }
        self.calls += 1;
        let candidate = [Value::Bytes(input.into())];
        let outcome = self.runner.run(Candidate::replaying(&candidate), 1, &mut self.trial);
        let ended = outcome.map(|origin| origin == self.origin);
        self.cache.insert(hash, &self.trial.choices, 1, ended);
        (self.has_trial, self.trial_drawn) = (false, None);
        (outcome == Outcome::Failed(self.origin)).then(|| self.trial.clone())
    }
}
