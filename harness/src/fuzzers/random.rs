//! The random engine: it draws test cases from a seed and uses no coverage. With `-fork=`, several
//! processes do so with different seeds.

use std::time::Duration;

use dwindle_corpus::StoreError;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;

use crate::execution::{Executor, Run, Runs};
use crate::exit::{BUGS_SEEN, ENVIRONMENT, INTERRUPTED, NOTHING_FAILED, WRONG_USE};
use crate::failure::failed::Failed;
use crate::failure::variants::is_looked_at;
use crate::flags::flag;
use crate::fuzzers::member::Member;
use crate::fuzzers::several::{self, RunOfSeveral, Share};
use crate::isolation::Isolated;
use crate::limits::{self, Deadline, Limits};
use crate::session::damage::{MemoryDamage, Settled};
use crate::session::pace::Pace;
use crate::session::{Hit, Session, current};
use crate::target::Target;
use crate::{environment, events};

/// Maximum number of processes in a row that may end before they have run anything.
const STILLBORN_MAX: u32 = 5;
/// The error then.
const STILLBORN: &str =
    "the process that runs the target always ends before the first execution; check `init:`";

/// Runs random cases until the time or the number of runs is used up.
///
/// The arguments have libFuzzer's names: `-runs=`, `-max_total_time=`, `-seed=`, `-fork=`,
/// `-rss_limit_mb=`.
pub(crate) fn run(target: &'static Target, arguments: &[String]) -> i32 {
    let given = Limits::from_environment().and_then(|_| Given::of(arguments));
    let given = match given {
        Ok(given) => given,
        Err(message) => {
            events::error(&message);
            return WRONG_USE;
        }
    };
    limits::limit_memory(given.megabytes.unwrap_or(0));
    let member = Member::of_this_process();
    if given.jobs > 1 && member.is_none() {
        return run_several(target, &given);
    }
    // This comes before the process has a second thread, because it forks. A case may kill the
    // forked process; this process continues.
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            events::error(&format!("cannot start a process that runs the target: {error}"));
            return ENVIRONMENT;
        }
    };
    match Session::open(target, "random", None) {
        Ok(mut session) => {
            let deadline = Deadline::after(given.seconds);
            session.end_by(deadline);
            if member.is_some() {
                session.leave_minimizing_to_another();
            }
            executor.give_up_at(deadline.gives_up_at());
            current::set(session, INTERRUPTED);
        }
        Err(message) => {
            events::error(&message);
            return ENVIRONMENT;
        }
    }
    match search(&mut executor, &given, member)
        .and_then(|()| finish().map_err(|error| error.to_string()))
    {
        Ok(true) => BUGS_SEEN,
        Ok(false) => NOTHING_FAILED,
        Err(message) => {
            events::error(&message);
            ENVIRONMENT
        }
    }
}

/// What the arguments ask for.
struct Given {
    jobs: u64,
    /// `None` means no limit.
    runs: Option<u64>,
    seconds: Option<u64>,
    seed: u64,
    /// The memory limit of a run. `None` means the default.
    megabytes: Option<u64>,
}

impl Given {
    fn of(arguments: &[String]) -> Result<Given, String> {
        Ok(Given {
            jobs: flag(arguments, "-fork=")?.unwrap_or(1),
            runs: flag(arguments, "-runs=")?,
            seconds: flag(arguments, "-max_total_time=")?,
            seed: flag(arguments, "-seed=")?.unwrap_or_else(clock_seed),
            megabytes: flag(arguments, "-rss_limit_mb=")?,
        })
    }
}

/// Keeps the session of several processes that run random cases.
fn run_several(target: &'static Target, given: &Given) -> i32 {
    let mut session = match Session::open(target, "random", None) {
        Ok(session) => session,
        Err(message) => {
            events::error(&message);
            return ENVIRONMENT;
        }
    };
    session.end_by(Deadline::after(given.seconds));
    let run = RunOfSeveral {
        jobs: given.jobs,
        runs: given.runs,
        seed: given.seed,
        failed_code: BUGS_SEEN,
        interrupted_code: INTERRUPTED,
        shows_figures: false,
    };
    several::run(session, run, &|share: &Share| {
        let runs = share.runs.map(|runs| format!("-runs={runs}"));
        // A flag holds a signed number.
        let seed = share.seed & i64::MAX as u64;
        let memory = format!("-rss_limit_mb={}", limits::memory_max());
        runs.into_iter().chain([format!("-seed={seed}"), memory]).collect()
    })
}

fn search(
    executor: &mut Isolated,
    given: &Given,
    mut member: Option<Member>,
) -> Result<(), String> {
    let (runs, seed) = (given.runs.unwrap_or(u64::MAX), given.seed);
    let deadline = current::with(|session| session.deadline());
    let mut pace = Pace::new();
    let mut trace = Trace::default();
    let (mut case, mut stillborn) = (0, 0);
    let mut damage = current::with(|session| MemoryDamage::new(session.knows_damage()));
    executor.allow_for(Runs::Fuzzing);
    while case < runs {
        let (done, run) =
            executor.run_random(seed, case, pace.left(case).min(runs - case), &mut trace);
        case += done;
        stillborn = if done == 0 { stillborn + 1 } else { 0 };
        if stillborn > STILLBORN_MAX {
            return Err(STILLBORN.to_owned());
        }
        if let Run::Misused(misuse) = &run {
            // The session keeps and reports the bugs that this run has found so far.
            current::with(|session| session.end(true)).map_err(|error| error.to_string())?;
            misuse.leave();
        }
        if let Run::Failed(failed) = run {
            let input = encode(&trace.choices);
            let has_seen = |failed: &Failed| current::with(|session| session.has_seen(failed));
            let failed = match damage.settle(|| Some(&mut *executor), &input, failed, has_seen) {
                Settled::Bug(failed) | Settled::Damage(failed) => failed,
                Settled::Innocent(failed) => {
                    executor.start_afresh();
                    failed
                }
            };
            executor.allow_for(Runs::Fuzzing);
            let hit = current::with(|session| {
                session.saw(&input, &failed).map_err(|error| session.rescue(&input, &error))
            })?;
            if hit == Hit::Known {
                look_for_variant(executor, &input, &failed)?;
            }
            if hit == Hit::New && environment::stop_at_first() {
                break;
            }
        }
        if pace.is_due(case) || case == runs {
            current::with(|session| {
                session.executions = case;
                session.rejected = member.is_none().then(|| executor.rejected());
                session.poll().map_err(|error| error.to_string())
            })?;
            pace.plan(case);
            if member.as_mut().is_some_and(|member| !member.publish_when_due(case)) {
                break;
            }
        }
        if deadline.is_up() {
            break;
        }
    }
    if let Some(member) = member {
        member.publish(case);
    }
    current::with(|session| session.executions = case);
    Ok(())
}

/// Looks at some of the hits of a known bug: whether their call path is new.
fn look_for_variant(executor: &mut Isolated, input: &[u8], failed: &Failed) -> Result<(), String> {
    if current::with(|session| is_looked_at(session.hits(failed.id)))
        && let (Run::Failed(failed), _) = executor.run_with_transcript(input, &mut Trace::default())
    {
        current::with(|session| session.look_for_variant(input, &failed))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Waits until the minimizers are done, then ends the run.
fn finish() -> Result<bool, StoreError> {
    current::with(Session::fuzzing_is_over);
    loop {
        let busy = current::with(|session| session.poll().map(|()| session.is_busy()))?;
        if !busy {
            return current::with(|session| session.end(false));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A seed that no other start has.
pub(super) fn clock_seed() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64)
}
