//! Finds the causes of a program in this process: as `cargo dwindle next` does, without a fuzzer.

use causes::program::{Faults, Program};
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::explain::{
    Budget, Cause, Claims, Outside, RUNS, explain, further_form, next,
};
use dwindle_engine::internals::shrink::{self, CAPPED, Candidate, Runner, shrink};
use dwindle_engine::internals::{Driver, Origin, Outcome, Trace, execute};

/// The one assertion.
const FAILED: Origin = Origin(1);
/// The most choices of a run.
pub const CHOICES_MAX: usize = 4000;
/// Runs that the search for one cause takes.
const RUNS_MAX: u64 = 100_000;
/// The most causes, with further forms of one.
const CAUSES_MAX: usize = 64;
/// How often a search is repeated to compare it with chance.
const SEARCHES: u64 = 3;

/// Runs a program with some of its faults.
pub struct InProcess {
    program: Program,
    faults: Faults,
    tc: Driver,
    runs: u64,
}

impl InProcess {
    /// The program with these faults.
    pub fn new(program: Program, faults: Faults) -> InProcess {
        InProcess { program, faults, tc: Driver::new(), runs: 0 }
    }

    fn outcome(&mut self) -> Outcome {
        self.runs += 1;
        let mut agrees = true;
        let ended = execute(&mut self.tc, |tc| agrees = (self.program.agrees)(tc, self.faults));
        match ended.or_unwind() {
            Err(halt) => halt.into(),
            Ok(()) if agrees => Outcome::Passed,
            Ok(()) => Outcome::Failed(FAILED),
        }
    }

    /// Whether the bytes of an input fail.
    pub fn fails(&mut self, input: &[u8]) -> bool {
        self.tc.start_bytes(input, CHOICES_MAX);
        self.outcome() == Outcome::Failed(FAILED)
    }

    fn fails_with(&mut self, values: &[Value]) -> bool {
        self.tc.start_candidate(Candidate::replaying(values), CHOICES_MAX);
        self.outcome() == Outcome::Failed(FAILED)
    }
}

impl Runner for InProcess {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.tc.start_candidate(candidate, choices_max);
        let outcome = self.outcome();
        self.tc.swap_trace(trace);
        outcome
    }
}

/// What was found of one program.
pub struct Found {
    /// The faults that the input of each kept cause shows, one by one.
    pub shown: Vec<Vec<u32>>,
    /// For each cause after the first, in executions: what the search took, and what random cases
    /// take to meet a failure that no known cause explains.
    pub next: Vec<(u64, u64)>,
    /// Executions of everything but the comparison with chance.
    pub runs: u64,
    /// The inputs, for people.
    pub lines: Vec<String>,
}

/// Looks for all causes of a program from one seed. `compare`: also compares the searches with
/// chance.
pub fn find(program: Program, seed: u64, compare: bool) -> Found {
    let mut runner = InProcess::new(program, Faults::all(program.faults));
    let mut causes: Vec<Cause> = Vec::new();
    let mut found = Found { shown: Vec::new(), next: Vec::new(), runs: 0, lines: Vec::new() };
    while causes.len() < CAUSES_MAX {
        let Some((start, took)) = search(&mut runner, &causes, seed) else { break };
        found.runs += took;
        let before = runner.runs;
        let mut cause = minimized(&mut runner, &causes, &start);
        found.runs += runner.runs - before;
        if compare && !causes.is_empty() {
            let took = (0..SEARCHES).map(|again| {
                search(&mut runner, &causes, seed + (again << 20))
                    .map_or(RUNS_MAX, |(_, took)| took)
            });
            let took = took.sum();
            let chance =
                (0..SEARCHES).map(|again| chance(&mut runner, &causes, seed + (again << 20)));
            found.next.push((took, chance.sum()));
        }
        let shown = shows(program, &cause.minimized.values());
        let budget = Budget { runs_max: 4000, seed: 0, stop: &mut || false };
        let before = runner.runs;
        let form = further_form(&mut cause, &causes, FAILED, &mut runner, budget);
        found.runs += runner.runs - before;
        found.lines.push(described(&cause, &shown, form.is_some()));
        if form.is_none() {
            found.shown.push(shown);
        }
        causes.push(cause);
    }
    found
}

/// A failure that no known cause explains, and the executions that the search took.
fn search(runner: &mut InProcess, causes: &[Cause], seed: u64) -> Option<(Trace, u64)> {
    let budget = Budget { runs_max: RUNS_MAX, seed, stop: &mut || false };
    let found = next(causes, FAILED, runner, CHOICES_MAX, budget);
    Some((found.found?, found.runs))
}

/// Random cases up to a failure that no known cause explains.
fn chance(runner: &mut InProcess, causes: &[Cause], seed: u64) -> u64 {
    let mut trace = Trace::default();
    for run in 1..=RUNS_MAX {
        let candidate = Candidate { values: &[], seed: Some((seed << 32) + (1 << 31) + run) };
        if runner.run(candidate, CHOICES_MAX, &mut trace) == Outcome::Failed(FAILED)
            && !causes.iter().any(|cause| cause.explains(&trace))
        {
            return run;
        }
    }
    RUNS_MAX
}

fn minimized(runner: &mut InProcess, causes: &[Cause], start: &Trace) -> Cause {
    let mut outside = Outside::new(runner, causes, FAILED);
    let budget = shrink::Budget {
        calls_max: 100_000,
        exhaust_max: CAPPED,
        around: None,
        stop: &mut || false,
    };
    let minimized = shrink(start, FAILED, &mut outside, budget, &mut |_, _| {}).best;
    let budget = Budget { runs_max: RUNS, seed: 0, stop: &mut || false };
    let claims: Claims = explain(&minimized, FAILED, runner, budget);
    Cause { minimized, claims }
}

/// The faults that the input with these choices shows, when each is there alone.
fn shows(program: Program, values: &[Value]) -> Vec<u32> {
    let fails = |fault: &u32| InProcess::new(program, Faults::only(*fault)).fails_with(values);
    (0..program.faults).filter(fails).collect()
}

fn described(cause: &Cause, shown: &[u32], is_same: bool) -> String {
    let values: Vec<String> = cause.minimized.choices.iter().map(ToString::to_string).collect();
    let lines = cause.claims.lines(&cause.minimized, &|place| format!("{place:?}"), 12);
    format!(
        "faults {shown:?}{}: [{}] {}; loose {:?}; {:?} closed {:?} apart {:?} equal {:?}",
        if is_same { ", the same" } else { "" },
        values.join(", "),
        lines.join("; "),
        cause.claims.loose,
        cause.claims.patterns,
        cause.claims.closed,
        cause.claims.apart,
        cause.claims.equal,
    )
}
