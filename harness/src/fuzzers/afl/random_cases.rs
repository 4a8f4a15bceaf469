//! Random cases at the start of a campaign.
//!
//! AFL++ begins with the user's files, often one of a few bytes, so there is little to mutate. A
//! random case is a whole value at once, with the sizes and the repeated values that often fail. So
//! before the first execution, the session daemon runs [`RANDOM_CASES`] of them in a worker. The
//! switch is `random-cases`.
//!
//! AFL++ does not see these executions. It keeps a crash of such a bug when it finds the bug
//! itself. A case that takes long is given up, and AFL++ finds the hang itself.

use std::time::{Duration, Instant};

use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;

use crate::environment;
use crate::execution::{Executor, Run, Runs};
use crate::failure::failed::Failed;
use crate::fuzzers::RANDOM_CASES;
use crate::fuzzers::random::clock_seed;
use crate::isolation::Isolated;
use crate::switches::Switch;
use crate::target::Target;

/// How long the cases run at most. afl-fuzz waits for them, by default ten seconds.
const TIME_MAX: Duration = Duration::from_secs(1);

/// The worker that runs the cases.
pub(super) struct RandomCases(Isolated);

impl RandomCases {
    /// Forks the worker. Call it before any thread starts. `None` if no cases are wanted.
    pub(super) fn new(target: &'static Target) -> Option<RandomCases> {
        if target.is_drop_in() || !Switch::RandomCases.is_on() {
            return None;
        }
        Isolated::new(target, environment::choices_max()).ok().map(RandomCases)
    }

    /// Runs the cases. `fails` gets each failure and its input.
    pub(super) fn run(
        mut self,
        mut fails: impl FnMut(Failed, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let until = Instant::now() + TIME_MAX;
        self.0.give_up_at(Some(until));
        self.0.allow_for(Runs::Awaited);
        let (seed, count) = (clock_seed(), u64::from(RANDOM_CASES));
        let mut case = 0;
        let mut trace = Trace::default();
        while case < count && Instant::now() < until {
            let (done, run) = self.0.run_random(seed, case, count - case, &mut trace);
            case += done;
            match run {
                Run::Failed(failed) => fails(failed, &encode(&trace.choices))?,
                // The first input says the same, and ends the campaign.
                Run::Misused(_) => break,
                Run::Passed | Run::Rejected | Run::Overrun => {}
            }
            if done == 0 {
                break;
            }
        }
        Ok(())
    }
}
