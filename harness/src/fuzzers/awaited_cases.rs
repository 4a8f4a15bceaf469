//! Random cases at the start of a campaign of AFL++, which waits for them.
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
/// How long one case runs at most: twice as long when the first case of a process is given up,
/// because that one may prepare the target.
const CASE_MAX: Duration = Duration::from_millis(30);

/// The worker that runs the cases.
pub(super) struct AwaitedCases(Isolated);

impl AwaitedCases {
    /// Forks the worker. Call it before any thread starts. `None` if no cases are wanted.
    #[cfg_attr(not(feature = "afl"), expect(dead_code, reason = "only AFL++ waits"))]
    pub(super) fn new(target: &'static Target) -> Option<AwaitedCases> {
        if target.is_drop_in() || !Switch::RandomCases.is_on() {
            return None;
        }
        Isolated::new(target, environment::choices_max()).ok().map(AwaitedCases)
    }

    /// Runs the cases. `fails` gets each failure and its input.
    pub(super) fn run(
        mut self,
        mut fails: impl FnMut(Failed, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let until = Instant::now() + TIME_MAX;
        self.0.give_up_at(Some(until));
        let (seed, count) = (clock_seed(), u64::from(RANDOM_CASES));
        let (mut case, mut case_max) = (0, CASE_MAX);
        let mut trace = Trace::default();
        while case < count && Instant::now() < until {
            self.0.allow_for(Runs::Awaited(case_max));
            let (done, run) = self.0.run_random(seed, case, count - case, &mut trace);
            case += done;
            match run {
                Run::Failed(failed) => fails(failed, &encode(&trace.choices))?,
                // The first input says the same, and ends the campaign.
                Run::Misused(_) => break,
                Run::Rejected if done == 1 => case_max *= 2,
                Run::Passed | Run::Rejected | Run::Overrun => {}
            }
            if done == 0 {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Once;

    use dwindle_engine::prelude::*;

    use super::*;
    use crate::system::{process, usage};

    #[test]
    fn a_target_that_prepares_itself_and_hangs_now_and_then_fails() {
        static PREPARED: Once = Once::new();
        fn prepare() {
            let began = usage::time_of(process::id());
            while usage::time_of(process::id()) < began + CASE_MAX * 3 {}
        }
        // On a busy machine, one worker may have no time for more than its preparation.
        let mut failures = 0;
        for _ in 0..20 {
            let cases = AwaitedCases(Isolated::running(|tc| {
                PREPARED.call_once(prepare);
                match tc.draw(any::<u8>()) % 16 {
                    0 => loop {
                        std::hint::spin_loop();
                    },
                    1 => panic!("one"),
                    _ => {}
                }
            }));
            cases
                .run(|_, _| {
                    failures += 1;
                    Ok(())
                })
                .unwrap();
            if failures > 0 {
                return;
            }
        }
        panic!("no case ran after the target had prepared itself");
    }
}
