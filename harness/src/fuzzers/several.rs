//! Several processes that fuzz one target. This process keeps their session.
//!
//! ```text
//! this process: the session, minimizers
//!     --starts-->  members: each has its own seed; under libFuzzer each has a supervisor
//! ```
//!
//! The members claim bugs in one store and continue after them. This process follows the store and
//! minimizes the claimed bugs. A member that dies is replaced: the new member has a new seed and
//! the executions that are left. When this process ends, the members end too.

use std::fs;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use signal_hook::consts::SIGTERM;

use super::member::Members;
use crate::exit::member::LOST_FORK_SERVER;
use crate::exit::{ENVIRONMENT, WRONG_USE};
use crate::session::Session;
use crate::session::stop_signals::StopSignals;
use crate::system::{children, offspring, process};
use crate::{environment, events};

/// How often this process looks at its session.
const LOOK: Duration = Duration::from_millis(50);
/// How long members may take to end after a request.
const ENDING: Duration = Duration::from_millis(1_500);
/// A member that lives for less time than this dies early.
const EARLY: Duration = Duration::from_secs(1);
/// Maximum early deaths in a row, for each job.
const EARLY_MAX: u64 = 5;

/// The work of a run.
pub(crate) struct RunOfSeveral {
    /// How many members run at once.
    pub(crate) jobs: u64,
    /// How many executions all members make together.
    pub(crate) runs: Option<u64>,
    /// The seed of the first member. Each further one gets the next seed.
    pub(crate) seed: u64,
    /// The exit code of a run with failures.
    pub(crate) failed_code: i32,
    /// The exit code of an interrupted run.
    pub(crate) interrupted_code: i32,
    /// Whether one of the members has the standard error of this process, for its figures.
    pub(crate) shows_figures: bool,
}

/// The work of one member.
pub(crate) struct Share {
    pub(crate) seed: u64,
    pub(crate) runs: Option<u64>,
}

struct Several<'a> {
    run: RunOfSeveral,
    /// The arguments of a member.
    arguments: &'a dyn Fn(&Share) -> Vec<String>,
    session: Session,
    members: Members,
    running: Vec<Running>,
    signals: StopSignals,
    /// How many members were started.
    started: u64,
    /// Executions of the members that have ended.
    executions_of_ended: u64,
    /// How many members died, and how many of them in a row died early.
    died: u64,
    early: u64,
}

/// A member that was started and not yet reaped.
struct Running {
    child: Child,
    runs: Option<u64>,
    executions: u64,
    since: Instant,
    error_file: PathBuf,
    shows_figures: bool,
}

/// Why a run ends before its time.
enum Stop {
    /// A member cannot go on, and neither could another one.
    GivenUp(i32, String),
    Store(dwindle_corpus::StoreError),
}

impl From<dwindle_corpus::StoreError> for Stop {
    fn from(error: dwindle_corpus::StoreError) -> Stop {
        Stop::Store(error)
    }
}

/// Runs the members until the time or the number of executions is used up. Returns the exit code.
///
/// `arguments` makes the arguments of a member. Its environment is that of this process.
pub(crate) fn run(
    mut session: Session,
    run: RunOfSeveral,
    arguments: &dyn Fn(&Share) -> Vec<String>,
) -> i32 {
    let ready = session
        .begin_to_follow(true)
        .map_err(|error| error.to_string())
        .and_then(|()| {
            Members::new().map_err(|error| {
                format!("cannot make the folder of a run with several processes: {error}")
            })
        })
        .and_then(|members| Ok((members, StopSignals::handle(run.interrupted_code)?)));
    let (members, signals) = match ready {
        Ok(ready) => ready,
        Err(message) => {
            events::error(&message);
            return ENVIRONMENT;
        }
    };
    let mut several = Several {
        run,
        arguments,
        session,
        members,
        running: Vec::new(),
        signals,
        started: 0,
        executions_of_ended: 0,
        died: 0,
        early: 0,
    };
    let ended = several.fuzz().and_then(|is_interrupted| several.finish(is_interrupted));
    several.end_members();
    several.members.remove();
    match ended {
        Ok(code) => code,
        Err(Stop::Store(error)) => {
            events::error(&error.to_string());
            ENVIRONMENT
        }
        Err(Stop::GivenUp(code, message)) => {
            // The session keeps and reports the bugs that this run has found so far.
            if let Err(error) =
                several.session.follow_to_the_end().and_then(|()| several.session.end(true))
            {
                events::error(&error.to_string());
            }
            events::error(&message);
            code
        }
    }
}

impl Several<'_> {
    /// Fuzzes until the run is over. Returns whether it was interrupted.
    fn fuzz(&mut self) -> Result<bool, Stop> {
        for job in 0..self.run.jobs {
            let runs = self.run.runs.map(|runs| share_of(runs, job, self.run.jobs));
            if runs != Some(0) {
                self.start(runs)?;
            }
        }
        loop {
            if self.signals.is_interrupted() {
                return Ok(true);
            }
            if self.signals.take_request_to_end()
                || self.session.deadline().is_up()
                || self.running.is_empty()
                || environment::stop_at_first() && self.session.new_bugs() > 0
            {
                return Ok(false);
            }
            self.look_at_members()?;
            self.reap_orphans();
            self.session.executions = self.executions();
            self.session.follow()?;
            self.session.poll()?;
            std::thread::sleep(LOOK);
        }
    }

    fn start(&mut self, runs: Option<u64>) -> Result<(), Stop> {
        let share = Share { seed: self.run.seed.wrapping_add(self.started), runs };
        let error_file = self.members.error_file(self.started);
        let shows_figures =
            self.run.shows_figures && !self.running.iter().any(|running| running.shows_figures);
        let child = self.spawn(&share, &error_file, shows_figures).map_err(|error| {
            Stop::GivenUp(ENVIRONMENT, format!("cannot start a process that fuzzes: {error}"))
        })?;
        self.started += 1;
        self.running.push(Running {
            child,
            runs,
            executions: 0,
            since: Instant::now(),
            error_file,
            shows_figures,
        });
        Ok(())
    }

    fn spawn(&self, share: &Share, error_file: &Path, shows_figures: bool) -> io::Result<Child> {
        process::again()
            .args((self.arguments)(share))
            .env(environment::STORE, self.session.store_root())
            .env(environment::MEMBER, self.members.variable())
            .env(environment::ERRORS, error_file)
            .env_remove(environment::EVENTS)
            // A separate process group, so that Ctrl-C in the terminal does not reach the member.
            // This process asks it to end instead.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(if shows_figures { Stdio::inherit() } else { Stdio::null() })
            .spawn()
    }

    /// Counts the executions of the members, and replaces those that died.
    fn look_at_members(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        while let Some(running) = self.running.get_mut(at) {
            let id = running.child.id() as libc::pid_t;
            let status = running.child.try_wait();
            // While the member writes the number, the file is empty.
            running.executions = running.executions.max(self.members.executions_of(id));
            match status {
                Ok(None) => at += 1,
                Ok(Some(status)) => {
                    let ended = self.running.swap_remove(at);
                    self.members.forget(id);
                    self.executions_of_ended += ended.executions;
                    self.replace(&ended, status)?;
                }
                Err(error) => {
                    let text = format!("cannot wait for a process that fuzzes: {error}");
                    return Err(Stop::GivenUp(ENVIRONMENT, text));
                }
            }
        }
        Ok(())
    }

    /// Starts another member in the place of one that died. A member that has done its work is not
    /// replaced.
    fn replace(&mut self, ended: &Running, status: ExitStatus) -> Result<(), Stop> {
        let code = status.code();
        if code == Some(0) || code == Some(self.run.failed_code) {
            return Ok(());
        }
        if matches!(code, Some(ENVIRONMENT | WRONG_USE))
            && let Ok(error) = fs::read_to_string(&ended.error_file)
        {
            return Err(Stop::GivenUp(code.unwrap_or(ENVIRONMENT), error));
        }
        self.died += 1;
        self.early = if ended.since.elapsed() < EARLY { self.early + 1 } else { 0 };
        if self.early > EARLY_MAX * self.run.jobs {
            let text = format!(
                "the processes that fuzz always end at once: the last one {}; check `init:`",
                how(status)
            );
            return Err(Stop::GivenUp(ENVIRONMENT, text));
        }
        let left = ended.runs.map(|runs| runs.saturating_sub(ended.executions));
        if left == Some(0) { Ok(()) } else { self.start(left) }
    }

    fn executions(&self) -> u64 {
        self.executions_of_ended
            + self.running.iter().map(|running| running.executions).sum::<u64>()
    }

    /// The children for which other code waits: the minimizer and the members.
    fn kept(&self) -> Vec<libc::pid_t> {
        let members = self.running.iter().map(|running| running.child.id() as libc::pid_t);
        members.chain(self.session.helpers()).collect()
    }

    /// Reaps the children of dead members. This process has adopted them.
    fn reap_orphans(&self) {
        let kept = self.kept();
        children::reap_children(|child| !kept.contains(&child));
    }

    /// Asks the members to end, and waits for them up to [`ENDING`]. Then kills the others.
    fn end_members(&mut self) {
        for running in &self.running {
            children::signal(running.child.id() as libc::pid_t, SIGTERM);
        }
        let kill_at = Instant::now() + self.session.deadline().left(ENDING);
        for mut running in std::mem::take(&mut self.running) {
            while matches!(running.child.try_wait(), Ok(None)) && Instant::now() < kill_at {
                std::thread::sleep(Duration::from_millis(2));
            }
            let _ = running.child.kill();
            let _ = running.child.wait();
            let id = running.child.id() as libc::pid_t;
            self.executions_of_ended += running.executions.max(self.members.executions_of(id));
        }
        offspring::end_all_but(&self.kept());
    }

    /// Ends the members, waits until the minimizers are done, and prints the table.
    fn finish(&mut self, mut is_interrupted: bool) -> Result<i32, Stop> {
        self.end_members();
        self.session.executions = self.executions_of_ended;
        if self.died > 0 {
            let text = if self.died == 1 {
                "a process that fuzzed died and was replaced".to_owned()
            } else {
                format!("{} processes that fuzzed died and were replaced", self.died)
            };
            self.session.remark(text);
        }
        self.session.fuzzing_is_over();
        self.session.follow_to_the_end()?;
        loop {
            is_interrupted |= self.signals.is_interrupted();
            self.session.poll()?;
            if is_interrupted || !self.session.is_busy() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let failed = self.session.end(is_interrupted)?;
        Ok(match (is_interrupted, failed) {
            (true, _) => self.run.interrupted_code,
            (false, true) => self.run.failed_code,
            (false, false) => 0,
        })
    }
}

/// The part of `runs` that one of `jobs` members makes.
fn share_of(runs: u64, job: u64, jobs: u64) -> u64 {
    runs / jobs + u64::from(job < runs % jobs)
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(LOST_FORK_SERVER), _) => "lost the process that runs the target".to_owned(),
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_members_are_the_whole() {
        for (runs, jobs) in [(10, 3), (2, 5), (0, 4), (12, 4), (7, 1)] {
            let shares: Vec<u64> = (0..jobs).map(|job| share_of(runs, job, jobs)).collect();
            assert_eq!(shares.iter().sum::<u64>(), runs);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1, "{shares:?}");
        }
    }
}
