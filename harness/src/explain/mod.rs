//! What is known of the failures around a minimized input: which of its parts may vary, and how
//! near an input is that passes.
//!
//! The engine makes the claims (`engine/src/explain`). This folder runs the target for it, puts the
//! claims into words (`letters`), and keeps them in the report (`stored`). `parts` has the same for
//! a person who explores a bug.

mod diff;
pub(crate) mod explained;
pub(crate) mod further_form;
#[cfg(feature = "fuzzing")]
pub(crate) mod known;
mod letters;
mod lines;
mod neighbours;
#[cfg(feature = "fuzzing")]
pub(crate) mod parts;
mod places;
pub(crate) mod stored;

use std::time::Duration;

use dwindle_corpus::{BugId, BugKind, Explanation, Rate, Status};
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::explain::{Budget, Claims, Ending, RUNS, explain as claims_of};
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{Trace, choice::Value};

use self::neighbours::Neighbours;
use crate::environment;
use crate::execution::{Executor, Runs, Transcript, listing};
use crate::failure::failed::Failed;
use crate::limits::Limits;
use crate::minimize::candidates::CandidateRunner;
use crate::minimize::clock::Clock;
use crate::minimize::reliability::Repeats;
use crate::minimize::{Minimized, Only};

/// The processor time of the search for claims in a build that counts edges.
const MOST_TIME: Duration = Duration::from_millis(900);
/// The seed of the search for claims. One input of one target gets one explanation.
const SEED: u64 = 0;

/// A minimized input of a bug.
#[derive(Clone, Copy)]
pub(crate) struct Minimal<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) failed: &'a Failed,
    pub(crate) only: Only<'a>,
}

/// Explains a minimized input. `None` if it does not fail in each run. `stop` ends the search for
/// claims early; the claims so far hold.
pub(crate) fn explain<S: Executor>(
    executor: &mut S,
    minimal: Minimal<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Box<Explanation>> {
    let Minimal { input, failed, only } = minimal;
    // What a known cause explains fails, too. So it counts for claims.
    let only = Only { outside: &[], ..only };
    let mut trace = Trace::default();
    executor.allow_for(Runs::Again(failed.kind));
    let again = executor.run_input(input, &mut trace);
    if again.failure().is_none_or(|again| again.id != failed.id) || trace.is_empty() {
        return None;
    }
    executor.allow_for(Runs::Candidates(failed.kind));
    let limits = Limits::of_an_explanation();
    let clock = Clock::start(limits, executor.time_elsewhere(), executor.waited_elsewhere());
    let mut neighbours = Neighbours::of(input);
    let claims = claims((executor, &clock), (failed.id, only), &trace, &mut neighbours, stop);
    if claims.ending == Ending::Flaky {
        return None;
    }
    let (lines, runs) = if executor.counts_edges() {
        lines::suspicious(executor, failed, neighbours, &clock)
    } else {
        (Vec::new(), 0)
    };
    let mut candidates = CandidateRunner::new(executor, (failed.id, only), Repeats::Always, &clock);
    let samples = letters::samples(&claims, &trace, &mut candidates);
    let passing = claims
        .passing
        .as_ref()
        .and_then(|passing| bytes_of(&passing.values, &trace, &mut candidates));
    let written = letters::written(executor, (input, &trace), &claims, &samples);
    let passes = passing.map_or_else(Vec::new, |passing| values_of(executor, &passing));
    executor.allow_for(Runs::Any);
    let Claims { together, .. } = &claims;
    Some(Box::new(Explanation {
        value: written.value,
        letters: written.letters,
        together: (together.of > 0)
            .then_some(Rate { failed: together.failed as u32, of: together.of as u32 }),
        passes,
        same_as: None,
        runs: claims.runs + runs,
        lines,
        claims: stored::write(&claims),
    }))
}

/// Looks for claims. A build that counts edges keeps the inputs that it runs, and leaves a part of
/// the runs and of the time for suspicious lines.
fn claims<S: Executor>(
    (executor, clock): (&mut S, &Clock),
    of: (BugId, Only<'_>),
    trace: &Trace,
    neighbours: &mut Neighbours<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> Claims {
    let counts_edges = executor.counts_edges();
    let origin = CandidateRunner::<S>::ORIGIN;
    let mut candidates = CandidateRunner::new(executor, of, Repeats::Always, clock);
    let mut is_most_over = clock.part(MOST_TIME);
    let mut stop = || clock.is_over() || counts_edges && is_most_over() || stop();
    let runs_max = if counts_edges { RUNS - lines::RUNS } else { RUNS };
    let budget = Budget { runs_max, seed: SEED, stop: &mut stop };
    if counts_edges {
        claims_of(trace, origin, &mut neighbours.watch(&mut candidates, origin), budget)
    } else {
        claims_of(trace, origin, &mut candidates, budget)
    }
}

/// Explains the result of a minimization, unless that is switched off or not worth it.
pub(crate) fn explain_minimized<S: Executor>(
    executor: &mut S,
    only: Only<'_>,
    minimized: &mut Minimized,
) {
    let is_reliable = minimized.status != Status::Flaky && !minimized.only_when_fresh;
    if environment::explains() && is_reliable && is_worth_it(minimized.failed.kind) {
        let Minimized { input, failed, .. } = &*minimized;
        minimized.explanation = explain(executor, Minimal { input, failed, only }, &mut || false);
    }
}

/// Whether an explanation of a failure of this kind is worth its runs. Each candidate of a hang, of
/// an input that takes all memory and of a stack overflow costs much.
pub(crate) fn is_worth_it(kind: BugKind) -> bool {
    !matches!(kind, BugKind::Timeout | BugKind::Oom | BugKind::StackOverflow)
}

/// The canonical bytes of choices, after one run that draws them.
fn bytes_of(values: &[Value], base: &Trace, runner: &mut dyn Runner) -> Option<Vec<u8>> {
    let mut trace = Trace::default();
    let choices_max = base.len().max(values.len()) * 2 + ROOM;
    runner.run(Candidate::replaying(values), choices_max, &mut trace);
    (!trace.is_empty()).then(|| encode(&trace.choices))
}

/// How many more choices than the minimized input a sample may have.
const ROOM: usize = 1000;

/// The drawn values of an input, as the report shows them.
fn values_of<S: Executor>(executor: &mut S, input: &[u8]) -> Vec<String> {
    let (_, transcript) = executor.run_with_transcript(input, &mut Trace::default());
    values_in(&transcript)
}

/// The drawn values of a run, as the report shows them.
pub(crate) fn values_in(transcript: &Transcript) -> Vec<String> {
    if transcript.has_names() { listing(transcript) } else { transcript.draws() }
}

/// The time that explaining one bug may take.
impl Limits {
    pub(crate) fn of_an_explanation() -> Limits {
        Limits {
            calls_max: RUNS,
            exhaust_max: 0,
            time_max: Duration::from_secs(1),
            wall_max: Duration::from_secs(2),
        }
    }
}
