//! Chooses which of the accepted inputs to keep: the smallest that fails reliably.
//!
//! A candidate is accepted after one run in a worker. Other runs came before it there, and other
//! limits hold. The result must fail several times in the worker, and as the command that a report
//! prints. If it does not, an earlier accepted input is kept.

use dwindle_corpus::BugKind;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;

use crate::execution::{Executor, Run, Runs, Transcript};
use crate::failure::failed::Failed;
use crate::minimize::Found;
use crate::minimize::reliability::Repeats;

/// Runs of the result in the worker, unless each run takes seconds. The result must fail in all but
/// the last one, which collects what the report needs.
const RUNS: u64 = 3;
/// How often it must fail in a new process, unless each run takes seconds.
const PROCESSES: usize = 2;

/// Maximum bytes of remembered inputs. Beyond them, every other input is dropped.
const BYTES_MAX: usize = 64 << 20;

/// The inputs that a shrink accepted, in order. Each is smaller than the one before.
#[derive(Debug, Default)]
pub(crate) struct AcceptedInputs {
    /// Each input with its number of choices.
    inputs: Vec<(Vec<u8>, usize)>,
    bytes: usize,
}

impl AcceptedInputs {
    /// Adds the next input.
    pub(crate) fn push(&mut self, trace: &Trace) {
        let input = encode(&trace.choices);
        if self.inputs.last().is_some_and(|(last, _)| *last == input) {
            return;
        }
        self.bytes += input.len();
        self.inputs.push((input, trace.len()));
        if self.bytes > BYTES_MAX {
            // The first inputs are the largest, and they are needed least. The last one stays.
            let mut after = self.inputs.len();
            self.inputs.retain(|_| {
                after -= 1;
                after.is_multiple_of(2)
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
    /// The failure of the last run, or the one that was found if that run ended in another way.
    pub(crate) last: Failed,
    pub(crate) is_reliable: bool,
    /// Whether this input is the shrink's final result.
    pub(crate) is_best: bool,
    /// Runs in the worker that this took.
    pub(crate) calls: u64,
}

/// Finds the smallest accepted input that fails reliably.
///
/// If the last input does not, larger ones are tried in growing steps. A bisection then finds the
/// boundary between the first reliable input and the next smaller unreliable one. If none of the
/// inputs that it tried is reliable, the result is the original input, reliable or not.
///
/// A failure that happens in only some runs is never reliable. The last input is kept for it.
pub(crate) fn smallest_confirmed<S: Executor>(
    executor: &mut S,
    found: Found<'_>,
    accepted: &AcceptedInputs,
    repeats: Repeats,
) -> Confirmed {
    let mut confirmer = Confirmer { executor, found, repeats, calls: 0 };
    let inputs = &accepted.inputs;
    let last = inputs.len() - 1;
    if matches!(repeats, Repeats::Sometimes(_)) || confirmer.is_confirmed(&inputs[last].0) {
        return confirmer.confirmed(
            &inputs[last].0,
            inputs[last].1,
            !matches!(repeats, Repeats::Sometimes(_)),
            true,
        );
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
    /// Whether an input fails each time, in the worker and as the command that a report prints.
    fn is_confirmed(&mut self, input: &[u8]) -> bool {
        let failed = self.found.failed;
        self.executor.allow_for(Runs::Again(failed.kind));
        if is_slow(failed) {
            // Each run takes seconds, and a new process proves more than a worker.
            return self
                .executor
                .fails_as_printed(input, failed, 1)
                .unwrap_or_else(|| self.fails_in_worker(input, 1));
        }
        // One run is left for the report.
        self.fails_in_worker(input, RUNS - 1)
            && self.executor.fails_as_printed(input, failed, PROCESSES).unwrap_or(true)
    }

    /// Whether an input fails in each of `runs` runs in the worker.
    fn fails_in_worker(&mut self, input: &[u8], runs: u64) -> bool {
        let failed = self.found.failed;
        let mut scratch = Trace::default();
        for _ in 0..runs {
            self.start();
            self.calls += 1;
            let run = self.executor.run_input(input, &mut scratch);
            if run.failure().is_none_or(|again| again.id != failed.id) {
                return false;
            }
        }
        true
    }

    /// Runs an input once more and collects what the report needs.
    fn confirmed(
        mut self,
        input: &[u8],
        choices: usize,
        is_reliable: bool,
        is_best: bool,
    ) -> Confirmed {
        let failed = self.found.failed;
        // A run that hangs or takes all memory makes its draws soon, so short limits are enough.
        self.executor.allow_for(if is_slow(failed) {
            Runs::Candidates(failed.kind)
        } else {
            Runs::Again(failed.kind)
        });
        self.start();
        let (run, transcript) = self.executor.run_with_transcript(input, &mut Trace::default());
        // The failure is confirmed already. Collecting the values may change how the run ends.
        let last = match run {
            Run::Failed(again) if again.id == failed.id => again,
            _ => failed.clone(),
        };
        Confirmed {
            input: input.to_vec(),
            choices,
            transcript,
            last,
            is_reliable,
            is_best,
            calls: self.calls + 1,
        }
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
    use dwindle_engine::internals::choice::{Choice, Constraint, Length, Value};
    use dwindle_engine::internals::shrink::Candidate;

    use super::*;
    use crate::failure::panics::{Panic, Place};
    use crate::minimize::Only;

    #[test]
    fn the_last_accepted_input_stays_when_inputs_are_dropped() {
        let mut accepted = AcceptedInputs::default();
        let mut trace = Trace::default();
        for last in 0..5 {
            let value = Value::Bytes(vec![last; BYTES_MAX / 2].into());
            let length = Length { min: 0, max: BYTES_MAX };
            trace.choices = vec![Choice { value, constraint: Constraint::Bytes(length) }];
            accepted.push(&trace);
            assert_eq!(
                accepted.inputs.last().map(|(input, _)| input),
                Some(&encode(&trace.choices))
            );
        }
        assert!(accepted.inputs.len() < 4);
    }

    /// Every input fails in the worker. In a new process, inputs of at least `bytes` bytes fail.
    struct Elsewhere {
        bytes: usize,
        asked: u32,
    }

    fn failed() -> Failed {
        let place = Place { file: "src/it.rs".into(), line: 1, column: 1 };
        Failed {
            kind: BugKind::StackOverflow,
            ..Failed::of_panic(Panic::at(place), BugId::of("it"))
        }
    }

    impl Executor for Elsewhere {
        fn run_input(&mut self, _input: &[u8], _trace: &mut Trace) -> Run {
            Run::Failed(failed())
        }

        fn run_candidate(
            &mut self,
            _candidate: Candidate<'_>,
            _choices_max: usize,
            _trace: &mut Trace,
        ) -> Run {
            Run::Failed(failed())
        }

        fn run_with_transcript(&mut self, _input: &[u8], _trace: &mut Trace) -> (Run, Transcript) {
            // Recording a transcript may change how a run ends.
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

        fn fails_as_printed(
            &mut self,
            input: &[u8],
            _failed: &Failed,
            processes: usize,
        ) -> Option<bool> {
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
        trace.choices.push(Choice {
            value: Value::Bytes(vec![7; length].into()),
            constraint: Constraint::Rest,
        });
        trace
    }

    /// The result for accepted inputs of 1000, 999, .. 1 bytes.
    fn kept(bytes: usize) -> (Confirmed, u32) {
        let mut accepted = AcceptedInputs::default();
        (1..=1000).rev().for_each(|length| accepted.push(&raw(length)));
        let (original, failed) = (raw(2000), failed());
        let found =
            Found { input: &[7; 2000], trace: &original, failed: &failed, only: Only::default() };
        let mut executor = Elsewhere { bytes, asked: 0 };
        (smallest_confirmed(&mut executor, found, &accepted, Repeats::Always), executor.asked)
    }

    #[test]
    fn the_smallest_input_that_fails_in_new_processes_is_kept() {
        for bytes in [1, 2, 3, 100, 617, 999, 1000] {
            let (kept, asked) = kept(bytes);
            assert_eq!(
                (kept.input.len(), kept.is_reliable, kept.is_best),
                (bytes, true, bytes == 1)
            );
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
