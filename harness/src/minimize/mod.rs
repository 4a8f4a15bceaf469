//! Minimizing one input, whoever asks for it.

pub(crate) mod isolation;
pub(crate) mod beside;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dwindle_corpus::Status;
use dwindle_engine::codec::encode;
use dwindle_engine::shrink::{Budget, Finish, THOROUGH, shrink};
use dwindle_engine::{Said, TestCase, Trace};

use crate::failure::executor::{Executor, Failed, Run};
use crate::minimize::isolation::InProcess;
use crate::process;

/// What a minimization may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) calls_max: u64,
    /// How many of them may in a row only prove that nothing smaller fails.
    pub(crate) exhaust_max: u64,
    /// Processor time of the thread that shrinks.
    pub(crate) time_max: Duration,
    /// Time on the wall, for targets that sleep and for machines with other work to do.
    pub(crate) wall_max: Duration,
}

/// How much longer a minimizer beside a busy fuzzer may take than the processor time it is given.
const PATIENCE: u32 = 6;

impl Limits {
    /// The same for a process of the lowest priority.
    pub(crate) fn patient(self) -> Limits {
        Limits { wall_max: self.time_max * PATIENCE, ..self }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { calls_max: 100_000, exhaust_max: THOROUGH, time_max: Duration::from_secs(10), wall_max: Duration::from_secs(10) }
    }
}

/// An input that fails, as small as it got.
#[derive(Debug)]
pub(crate) struct Minimized {
    pub(crate) failed: Failed,
    /// Canonical bytes; they were run and failed in the same way, unless the status says flaky.
    pub(crate) input: Vec<u8>,
    pub(crate) choices: usize,
    pub(crate) draws: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) original_choices: usize,
    pub(crate) calls: u64,
    pub(crate) calls_to_exhaust: u64,
    pub(crate) no_smaller_among: Option<u64>,
    pub(crate) time: Duration,
    pub(crate) status: Status,
    /// Inputs that fail in other ways, met while shrinking.
    pub(crate) others: Vec<Vec<u8>>,
}

/// How often the result has to fail before it is called reliable.
pub(crate) const CONFIRMATIONS: u32 = 3;

/// Shrinks the failure that the executor has just recorded with a recorded start. `progress` is told each new best.
pub(crate) fn minimize<P: FnMut(&mut TestCase)>(
    executor: &mut Executor<P>,
    failed: &Failed,
    limits: Limits,
    progress: &mut dyn FnMut(&Trace, u64),
) -> Minimized {
    let started = Instant::now();
    let start = executor.tc.trace().clone();
    let started_cpu = process::thread_time();
    let mut out_of_time = || started.elapsed() >= limits.wall_max || process::thread_time().saturating_sub(started_cpu) >= limits.time_max;
    let budget = Budget { calls_max: limits.calls_max, exhaust_max: limits.exhaust_max, stop: &mut out_of_time };
    let mut runner = InProcess::new(executor);
    let origin = runner.origin(failed.id);
    let shrunk = shrink(&start, origin, &mut runner, budget, progress);
    let time = started.elapsed();

    let input = encode(&shrunk.best.choices);
    let (told, last, reliable) = confirm(executor, &input, failed);
    let status = if !reliable {
        Status::Flaky
    } else if shrunk.finish == Finish::Fixpoint {
        Status::Minimized
    } else {
        Status::BestEffort
    };
    Minimized {
        failed: last,
        input,
        choices: shrunk.best.len(),
        draws: told.draws,
        notes: told.notes,
        original_choices: start.len(),
        calls: shrunk.calls,
        calls_to_exhaust: shrunk.calls_to_exhaust,
        no_smaller_among: shrunk.no_smaller_among,
        time,
        status,
        others: shrunk.others.iter().map(|(_, trace)| encode(&trace.choices)).collect(),
    }
}

/// What a run said of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    pub(crate) draws: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Runs `input`, keeping what it draws and notes.
pub(crate) fn run_told<P: FnMut(&mut TestCase)>(executor: &mut Executor<P>, input: &[u8]) -> (Run, Told) {
    let told = Arc::new(Mutex::new(Told::default()));
    let listener = Arc::clone(&told);
    executor.tc.listen(Some(Box::new(move |said| {
        let mut told = listener.lock().unwrap_or_else(PoisonError::into_inner);
        match said {
            Said::Draw(value) => told.draws.push(format!("{value:?}")),
            Said::Note(note) => told.notes.push(note.to_owned()),
        }
    })));
    let run = executor.run_recorded(input);
    executor.tc.listen(None);
    let told = std::mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
    (run, told)
}

fn confirm<P: FnMut(&mut TestCase)>(executor: &mut Executor<P>, input: &[u8], failed: &Failed) -> (Told, Failed, bool) {
    let (run, told) = run_told(executor, input);
    let mut last = failed.clone();
    let mut reliable = false;
    if let Run::Failed(again) = run {
        reliable = again.id == failed.id;
        last = if reliable { again } else { last };
    }
    for _ in 1..CONFIRMATIONS {
        reliable &= matches!(executor.run_bytes(input), Run::Failed(again) if again.id == failed.id);
    }
    (told, last, reliable)
}
