//! Records how an input becomes small, for the store.

use std::time::{Duration, Instant};

use dwindle_corpus::{BugKind, BugStore, STEPS_MAX, ShrinkStep};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Runs, Transcript, listing};
use crate::minimize::Minimized;
use crate::session::entry::Entry;

/// A larger input is not run again for its text.
const INPUT_MAX_BYTES: usize = 16 << 10;
/// How long the runs for the texts of all steps may take.
const TEXTS_TIME: Duration = Duration::from_millis(200);
/// The same while another bug waits.
const TEXTS_TIME_IN_HASTE: Duration = Duration::from_millis(50);

/// The accepted steps of a minimization that runs. Of a long one it keeps every second step, every
/// fourth and so on.
#[derive(Debug)]
pub(crate) struct Steps {
    kept: Vec<Kept>,
    /// One of this number of steps is kept.
    stride: usize,
    seen: usize,
}

#[derive(Debug)]
struct Kept {
    calls: u64,
    choices: Option<u64>,
    bytes: u64,
    /// `None` for a large input.
    input: Option<Vec<u8>>,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { kept: Vec::new(), stride: 1, seen: 0 }
    }
}

impl Steps {
    /// Records an accepted input, found after `calls` calls.
    pub(crate) fn push(&mut self, best: &Trace, input: &[u8], calls: u64) {
        self.seen += 1;
        if !(self.seen - 1).is_multiple_of(self.stride) {
            return;
        }
        // The original and the result are steps, too.
        if self.kept.len() + 2 >= STEPS_MAX {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2;
        }
        self.kept.push(Kept {
            calls,
            choices: best.raw_input().is_none().then_some(best.len() as u64),
            bytes: input.len() as u64,
            input: (input.len() <= INPUT_MAX_BYTES).then(|| input.to_owned()),
        });
    }

    /// The steps from the original input to the result. The inputs run again for the texts of their
    /// values, for a short time in all. `in_haste` if another bug waits for this one.
    pub(crate) fn finish<S: Executor>(
        self,
        executor: &mut S,
        original: &[u8],
        minimized: &Minimized,
        in_haste: bool,
    ) -> Vec<ShrinkStep> {
        let kind = minimized.failed.kind;
        // Each run of such a failure takes long.
        let is_slow = matches!(kind, BugKind::Timeout | BugKind::Oom | BugKind::StackOverflow);
        let time = if in_haste { TEXTS_TIME_IN_HASTE } else { TEXTS_TIME };
        let deadline = Instant::now() + time;
        executor.allow_for(Runs::Again(kind));
        let mut value = |input: Option<&[u8]>| match input {
            Some(input) if !is_slow && Instant::now() < deadline => {
                let (_, transcript) = executor.run_with_transcript(input, &mut Trace::default());
                drawn(&transcript)
            }
            _ => Vec::new(),
        };
        let first = ShrinkStep {
            calls: 0,
            choices: (!minimized.is_raw).then_some(minimized.original_choices as u64),
            bytes: original.len() as u64,
            value: value((original.len() <= INPUT_MAX_BYTES).then_some(original)),
        };
        let mut steps = vec![first];
        for Kept { calls, choices, bytes, input } in self.kept {
            steps.push(ShrinkStep { calls, choices, bytes, value: value(input.as_deref()) });
        }
        executor.allow_for(Runs::Any);
        let last = result(minimized);
        // The last accepted step is mostly the result.
        steps.pop_if(|step| (step.choices, step.bytes) == (last.choices, last.bytes));
        steps.push(last);
        steps
    }
}

/// The result of a minimization, as its last step.
pub(crate) fn result(minimized: &Minimized) -> ShrinkStep {
    let drawn = if minimized.has_names { &minimized.listing } else { &minimized.draws };
    ShrinkStep {
        calls: minimized.calls,
        choices: (!minimized.is_raw).then_some(minimized.choices as u64),
        bytes: minimized.input.len() as u64,
        value: drawn.clone(),
    }
}

/// Keeps the steps beside the input that they led to. The store has the result already: an error
/// here loses nothing of it.
pub(crate) fn keep(store: &BugStore, entry: &Entry, minimized: &Minimized, steps: &[ShrinkStep]) {
    let _ = store.keep_steps(&entry.bug(store), &minimized.input, steps);
}

fn drawn(transcript: &Transcript) -> Vec<String> {
    if transcript.has_names() { listing(transcript) } else { transcript.draws() }
}

#[cfg(test)]
mod tests {
    use dwindle_engine::internals::Driver;

    use super::*;

    #[test]
    fn of_a_long_minimization_steps_at_even_distances_are_kept() {
        let mut tc = Driver::new();
        tc.start_bytes_recorded(&[9, 8], 10);
        tc.draw(dwindle_engine::generators::integers(0..=255u8));
        let mut steps = Steps::default();
        for calls in 0..1_000 {
            steps.push(tc.trace(), &[1; 3], calls);
        }
        steps.push(tc.trace(), &vec![1; INPUT_MAX_BYTES + 1], 1_000);
        let calls: Vec<u64> = steps.kept.iter().map(|kept| kept.calls).collect();
        assert!((STEPS_MAX / 2 - 2..STEPS_MAX).contains(&calls.len()), "{calls:?}");
        assert!(calls.windows(2).all(|pair| pair[1] - pair[0] == steps.stride as u64), "{calls:?}");
        assert_eq!((calls[0], steps.kept[0].choices, steps.kept[0].bytes), (0, Some(1), 3));
    }
}
