//! Which of the inputs that a shrink accepted is kept: the smallest that fails reliably.
//!
//! A candidate is accepted after one run in a worker, where other runs came before it and other
//! limits hold. The result has to fail several times there, and as the command that a report prints.
//! Where it does not, one of the inputs on the way to it is kept.

use dwindle_corpus::BugKind;
use dwindle_engine::Trace;
use dwindle_engine::codec::encode;

use crate::execution::{Executor, Run, Runs, Transcript};
use crate::failure::failed::Failed;
use crate::minimize::Found;
use crate::minimize::reliability::Repeats;

/// How often the result has to fail in the place where candidates run.
const RUNS: u64 = 3;
/// How often it has to fail in a new process, unless that takes seconds.
const PROCESSES: usize = 2;

/// How many bytes of inputs are kept in mind; beyond them every other input is forgotten.
const BYTES_MAX: usize = 64 << 20;

/// What a shrink accepted, in order: each is smaller than the one before.
#[derive(Debug, Default)]
pub(crate) struct Accepted {
    /// With the number of choices of each.
    inputs: Vec<(Vec<u8>, usize)>,
    bytes: usize,
}

impl Accepted {
    /// Adds the next.
    pub(crate) fn push(&mut self, trace: &Trace) {
        let input = encode(&trace.choices);
        if self.inputs.last().is_some_and(|(last, _)| *last == input) {
            return;
        }
        self.bytes += input.len();
        self.inputs.push((input, trace.len()));
        if self.bytes > BYTES_MAX {
            // The first ones are the largest, and those that are wanted least.
            let mut index = 0;
            self.inputs.retain(|_| {
                index += 1;
                index % 2 == 0
            });
            self.bytes = self.inputs.iter().map(|(input, _)| input.len()).sum();
        }
    }
}

/// The input that is kept.
#[derive(Debug)]
pub(crate) struct Confirmed {
    pub(crate) input: Vec<u8>,
    pub(crate) choices: usize,
    pub(crate) transcript: Transcript,
    /// The failure as the last run showed it.
    pub(crate) last: Failed,
    pub(crate) is_reliable: bool,
    /// Whether it is what the shrink ended at.
    pub(crate) is_best: bool,
    /// How many runs this took in the place where candidates run.
    pub(crate) calls: u64,
}

/// The smallest accepted input that fails reliably. If the last one does not, larger ones are tried, further and further back; between the first of these that does
/// and the next smaller one that does not it is bisected. If none does, it is the input as it was found, reliable or not.
///
/// A failure that comes and goes is reliable nowhere: then it is the last.
pub(crate) fn smallest_confirmed<S: Executor>(executor: &mut S, found: Found<'_>, accepted: &Accepted, repeats: Repeats) -> Confirmed {
    let mut confirmer = Confirmer { executor, found, repeats, calls: 0 };
    let inputs = &accepted.inputs;
    let last = inputs.len() - 1;
    if matches!(repeats, Repeats::Sometimes(_)) || confirmer.is_confirmed(&inputs[last].0) {
        return confirmer.confirmed(&inputs[last].0, inputs[last].1, !matches!(repeats, Repeats::Sometimes(_)), true);
    }
    let (mut fails_not, mut step) = (last, 1);
    let mut fails = None;
    while fails_not > 0 {
        let next = fails_not.saturating_sub(step);
        if confirmer.is_confirmed(&inputs[next].0) {
            fails = Some(next);
            break;
        }
        (fails_not, step) = (next, step * 2);
    }
    let Some(mut fails) = fails else {
        let is_reliable = confirmer.is_confirmed(found.input);
        return confirmer.confirmed(found.input, found.trace.len(), is_reliable, false);
    };
    while fails_not - fails > 1 {
        let middle = usize::midpoint(fails, fails_not);
        if confirmer.is_confirmed(&inputs[middle].0) {
            fails = middle;
        } else {
            fails_not = middle;
        }
    }
    confirmer.confirmed(&inputs[fails].0, inputs[fails].1, true, false)
}

/// Whether each run takes seconds.
fn is_slow(failed: &Failed) -> bool {
    matches!(failed.kind, BugKind::Timeout | BugKind::Oom)
}

struct Confirmer<'a, S> {
    executor: &'a mut S,
    found: Found<'a>,
    repeats: Repeats,
    calls: u64,
}

impl<S: Executor> Confirmer<'_, S> {
    /// Whether an input fails each time: where candidates run, and as the command that a report prints.
    fn is_confirmed(&mut self, input: &[u8]) -> bool {
        let failed = self.found.failed;
        self.executor.allow_for(Runs::Again(failed.kind));
        if is_slow(failed) {
            // Each run takes seconds, and a new process shows more than a worker.
            return self.executor.fails_as_printed(input, failed, 1).unwrap_or_else(|| self.fails_in_worker(input, 1));
        }
        // One run is left for the report.
        self.fails_in_worker(input, RUNS - 1) && self.executor.fails_as_printed(input, failed, PROCESSES).unwrap_or(true)
    }

    /// Whether an input fails in each of so many runs where candidates run.
    fn fails_in_worker(&mut self, input: &[u8], runs: u64) -> bool {
        let failed = self.found.failed;
        let mut scratch = Trace::default();
        for _ in 0..runs {
            self.start();
            self.calls += 1;
            if !matches!(self.executor.run_input(input, &mut scratch), Run::Failed(again) if again.id == failed.id) {
                return false;
            }
        }
        true
    }

    /// What a report tells of an input.
    fn confirmed(mut self, input: &[u8], choices: usize, is_reliable: bool, is_best: bool) -> Confirmed {
        let failed = self.found.failed;
        // All that a run draws before it hangs, or takes all memory, it draws soon.
        self.executor.allow_for(if is_slow(failed) { Runs::Candidates(failed.kind) } else { Runs::Again(failed.kind) });
        self.start();
        let (run, transcript) = self.executor.run_with_transcript(input, &mut Trace::default());
        // Whether it fails was seen before: to ask for the values may change that.
        let last = match run {
            Run::Failed(again) if again.id == failed.id => again,
            _ => failed.clone(),
        };
        Confirmed { input: input.to_vec(), choices, transcript, last, is_reliable, is_best, calls: self.calls + 1 }
    }

    fn start(&mut self) {
        if self.repeats == Repeats::WhenFresh {
            self.executor.start_afresh();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use dwindle_corpus::BugId;
    use dwindle_engine::choice::Value;
    use dwindle_engine::{Choice, Constraint};

    use super::*;
    use crate::failure::panics::{Panic, Place};

    /// Every input fails where candidates run. In a new process those do that have so many bytes.
    struct Elsewhere {
        bytes: usize,
        asked: u32,
    }

    fn failed() -> Failed {
        let place = Place { file: "src/it.rs".into(), line: 1, column: 1 };
        Failed { kind: BugKind::StackOverflow, ..Failed::of_panic(Panic::at(place), BugId::of("it")) }
    }

    impl Executor for Elsewhere {
        fn run_input(&mut self, _input: &[u8], _trace: &mut Trace) -> Run {
            Run::Failed(failed())
        }

        fn run_choices(&mut self, _choices: &[Value], _choices_max: usize, _trace: &mut Trace) -> Run {
            Run::Failed(failed())
        }

        fn run_with_transcript(&mut self, _input: &[u8], _trace: &mut Trace) -> (Run, Transcript) {
            // What is told may change how a run ends.
            (Run::Passed, Transcript::default())
        }

        fn allow_for(&mut self, _runs: Runs) {}

        fn can_start_afresh(&self) -> bool {
            true
        }

        fn want_frames(&mut self, _wanted: bool) {}

        fn manifest_dir(&self) -> &Path {
            Path::new("")
        }

        fn narrow_stack(&mut self, _is_narrow: bool) {}

        fn fails_as_printed(&mut self, input: &[u8], _failed: &Failed, processes: usize) -> Option<bool> {
            self.asked += processes as u32;
            Some(input.len() >= self.bytes)
        }

        fn start_afresh(&mut self) {}

        fn time_elsewhere(&self) -> Duration {
            Duration::ZERO
        }
    }

    fn raw(length: usize) -> Trace {
        let mut trace = Trace::default();
        trace.choices.push(Choice { value: Value::Bytes(vec![7; length].into()), constraint: Constraint::Rest });
        trace
    }

    /// What is kept of inputs of 1000, 999, .. 1 bytes.
    fn kept(bytes: usize) -> (Confirmed, u32) {
        let mut accepted = Accepted::default();
        (1..=1000).rev().for_each(|length| accepted.push(&raw(length)));
        let (original, failed) = (raw(2000), failed());
        let found = Found { input: &[7; 2000], trace: &original, failed: &failed, variant: None };
        let mut executor = Elsewhere { bytes, asked: 0 };
        (smallest_confirmed(&mut executor, found, &accepted, Repeats::Always), executor.asked)
    }

    #[test]
    fn the_smallest_input_that_fails_in_new_processes_is_kept() {
        for bytes in [1, 2, 3, 100, 617, 999, 1000] {
            let (kept, asked) = kept(bytes);
            assert_eq!((kept.input.len(), kept.is_reliable, kept.is_best), (bytes, true, bytes == 1));
            assert!(asked <= 40, "{asked} new processes for {bytes}");
        }
    }

    #[test]
    fn the_original_is_kept_only_if_nothing_smaller_fails() {
        let (kept_of_all, _) = kept(2000);
        assert_eq!((kept_of_all.input.len(), kept_of_all.is_reliable), (2000, true));
        let (none, _) = kept(3000);
        assert_eq!((none.input.len(), none.is_reliable), (2000, false));
    }
}
