//! `-fork=` and `-jobs=`: libFuzzer starts several processes that fuzz, and this process keeps
//! their common session.
//!
//! ```text
//! this process: the session, minimizers
//!     --forks-->  libFuzzer's parent
//!     --starts-->  members: each a supervisor and its fuzzer
//! ```
//!
//! The members claim bugs in one store and continue after them. This process follows the store,
//! minimizes the claimed bugs, and reports the results. When this process ends, all the others end
//! too.

use std::path::PathBuf;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::{Duration, Instant};

use dwindle_corpus::StoreError;
use dwindle_engine::internals::Trace;
use signal_hook::consts::SIGUSR1;

use super::arguments::Given;
use super::dictionary::Dictionary;
use super::refuse;
use super::started_members::StartedMembers;
use crate::execution::{Executor, Run, Runs};
use crate::exit::libfuzzer::{FAILED, INTERRUPTED};
use crate::isolation::{self, Isolated};
use crate::limits::Deadline;
use crate::session::Session;
use crate::session::stop_signals::StopSignals;
use crate::system::fork;
use crate::system::{children, offspring, process};
use crate::target::Target;
use crate::{environment, exit};

/// How often this process looks at its session.
const LOOK: Duration = Duration::from_millis(50);
/// How long members may take to end after a request.
const ENDING: Duration = Duration::from_millis(1_500);

struct Jobs {
    target: &'static Target,
    session: Session,
    /// Runs inputs that killed a merging process.
    executor: Option<Isolated>,
    members: StartedMembers,
    /// The process in which libFuzzer starts the members.
    parent: libc::pid_t,
    signals: StopSignals,
    /// The file that the members read.
    dictionary: Option<Dictionary>,
}

/// The parent's data, in the process in which libFuzzer runs. That process never uses the data.
///
/// `#[used]` keeps the compiler from removing it: nothing reads it.
#[used]
static KEPT_FOR_THE_PARENT: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Keeps the session. Forks a process in which it returns: there libFuzzer continues with the
/// returned arguments and starts the members.
pub(super) fn supervise(target: &'static Target, given: &Given) -> Vec<String> {
    isolation::assert_may_fuzz();
    let prefix = given.artifact_prefix.clone().unwrap_or_else(|| "./".to_owned());
    let mut session = match Session::open(target, "libfuzzer", Some(prefix)) {
        Ok(session) => session,
        Err(message) => refuse(exit::ENVIRONMENT, &message),
    };
    let time = time_max(given);
    session.end_by(Deadline::after(time));
    let followed = session.begin_to_follow(true);
    let members = match (followed, StartedMembers::new()) {
        (Ok(()), Ok(members)) => members,
        (Err(error), _) => refuse(exit::ENVIRONMENT, &error.to_string()),
        (_, Err(error)) => refuse(
            exit::ENVIRONMENT,
            &format!("cannot make the folder of a run with several processes: {error}"),
        ),
    };
    let signals = StopSignals::handle(INTERRUPTED)
        .unwrap_or_else(|message| refuse(exit::ENVIRONMENT, &message));
    // All members share one dictionary.
    let dictionary = Dictionary::of_run(target, given);
    // The members of `-jobs=` may run one after the other, so each has its own time limit.
    let variable = members.members.variable(if given.fork.is_some() {
        time.map(Duration::from_secs)
    } else {
        None
    });
    children::adopt_orphans();
    let this = process::id();
    match fork::fork() {
        Ok(0) => {
            process::die_with(this);
            process::leave_signals_to_the_parent();
            let store = session.store_root();
            // SAFETY: libFuzzer has not begun, so that this process has one thread.
            unsafe {
                std::env::set_var(environment::MEMBER, variable);
                std::env::set_var(environment::STORE, store);
                std::env::remove_var(environment::EVENTS);
            }
            let arguments = arguments(given, dictionary.as_ref());
            // The parent process owns these, so this process must not drop them.
            // LeakSanitizer looks at this process too, so a static points to them.
            KEPT_FOR_THE_PARENT.store(
                Box::into_raw(Box::new((session, members, dictionary))).cast(),
                Ordering::Release,
            );
            arguments
        }
        Ok(parent) => {
            isolation::only_ask();
            Jobs { target, session, executor: None, members, parent, signals, dictionary }.serve()
        }
        Err(error) => refuse(exit::ENVIRONMENT, &format!("cannot start libFuzzer: {error}")),
    }
}

/// The arguments that dwindle adds. They make libFuzzer continue after bugs and leave signals to
/// this process.
fn arguments(given: &Given, dictionary: Option<&Dictionary>) -> Vec<String> {
    let mut arguments = [
        "-ignore_crashes=1",
        "-ignore_timeouts=1",
        "-ignore_ooms=1",
        "-handle_int=0",
        "-handle_term=0",
    ]
    .map(str::to_owned)
    .to_vec();
    if given.fork.is_none() {
        // On a machine with one core, libFuzzer's default would be no workers.
        arguments.push(format!("-workers={}", workers(given)));
    }
    arguments.extend(dictionary.map(Dictionary::argument));
    arguments
}

/// How many processes fuzz at once. libFuzzer computes the same number.
fn workers(given: &Given) -> u64 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get) as u64;
    given.workers.unwrap_or((cores / 2).max(1)).min(given.jobs.unwrap_or(1))
}

/// How many seconds the whole run may last.
fn time_max(given: &Given) -> Option<u64> {
    let rounds =
        if given.fork.is_some() { 1 } else { given.jobs.unwrap_or(1).div_ceil(workers(given)) };
    given.max_total_time.map(|seconds| seconds.saturating_mul(rounds))
}

impl Jobs {
    fn serve(mut self) -> ! {
        let code = loop {
            if self.signals.is_interrupted() {
                self.interrupt();
            }
            if self.signals.take_request_to_end()
                || self.session.deadline().ends_several()
                || self.is_enough()
            {
                self.end_members();
                break 0;
            }
            if let Some(status) = children::try_wait(self.parent) {
                break if libc::WIFEXITED(status) {
                    libc::WEXITSTATUS(status)
                } else {
                    exit::ENVIRONMENT
                };
            }
            let kept = self.kept();
            children::reap_children(|child| child != self.parent && !kept.contains(&child));
            self.poll();
            std::thread::sleep(LOOK);
        };
        self.finish(code)
    }

    /// Whether the run stops at its first new bug and has found one.
    fn is_enough(&self) -> bool {
        environment::stop_at_first() && self.session.new_bugs() > 0
    }

    fn poll(&mut self) {
        self.session.executions = self.members.executions();
        self.run_what_failed_to_merge();
        let polled = self.session.follow().and_then(|()| self.session.poll());
        self.or_refuse(polled);
    }

    fn run_what_failed_to_merge(&mut self) {
        for input in self.members.failed_to_merge() {
            self.run(&input);
        }
    }

    /// Runs an input that killed a process of libFuzzer, to find its failure.
    fn run(&mut self, input: &[u8]) {
        if self.executor.is_none() {
            self.executor = Isolated::new(self.target, environment::choices_max()).ok();
        }
        let Some(executor) = &mut self.executor else { return };
        executor.give_up_at(self.session.deadline().gives_up_at());
        executor.allow_for(Runs::Any);
        if let Run::Failed(failed) = executor.run_input(input, &mut Trace::default())
            && let Err(error) = self.session.saw(input, &failed)
        {
            let text = self.session.rescue(input, &error);
            self.give_up(&text);
        }
    }

    /// The children that must not be ended here: the minimizer, the explainer and the executor's
    /// fork server. Other code waits for them.
    fn kept(&self) -> Vec<libc::pid_t> {
        self.session.helpers().chain(self.executor.as_ref().map(Isolated::fork_server)).collect()
    }

    /// Ends libFuzzer at once. Asks the members to end, and waits for them up to [`ENDING`].
    fn end_members(&mut self) {
        // libFuzzer's parent would start new members.
        children::kill(self.parent);
        let patience = Instant::now() + self.session.deadline().left(ENDING);
        let members = self.members.processes();
        for member in &members {
            children::signal(*member, SIGUSR1);
        }
        while Instant::now() < patience
            && members.iter().any(|member| children::is_running(*member))
        {
            let kept = self.kept();
            children::reap_children(|child| !kept.contains(&child));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the remaining processes and removes the files of a run with several processes.
    fn clear_away(&mut self) {
        offspring::end_all_but(&self.kept());
        self.session.executions = self.members.executions();
        let folder =
            std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        // libFuzzer removes this folder itself, except when it was killed.
        let _ = std::fs::remove_dir_all(
            folder.join(format!("libFuzzerTemp.FuzzWithFork{}.dir", self.parent)),
        );
        self.dictionary.take();
    }

    fn interrupt(&mut self) -> ! {
        self.end_members();
        self.clear_away();
        let followed = self.session.follow_to_the_end();
        self.leave(followed, true, INTERRUPTED)
    }

    /// Waits until the minimizers are done, prints the table and leaves. The exit code is
    /// libFuzzer's code for a failure if anything failed, else `code`.
    fn finish(&mut self, code: i32) -> ! {
        self.clear_away();
        self.session.fuzzing_is_over();
        self.run_what_failed_to_merge();
        let followed = self.session.follow_to_the_end();
        self.or_refuse(followed);
        loop {
            if self.signals.is_interrupted() {
                self.leave(Ok(()), true, INTERRUPTED);
            }
            let polled = self.session.poll();
            self.or_refuse(polled);
            if !self.session.is_busy() {
                self.leave(Ok(()), false, code);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn leave(&mut self, followed: Result<(), StoreError>, is_interrupted: bool, code: i32) -> ! {
        let ended = followed.and_then(|()| self.session.end(is_interrupted));
        self.executor = None;
        offspring::end_all_but(&[]);
        self.members.members.remove();
        match ended {
            Ok(true) if !is_interrupted => process::leave(FAILED),
            Ok(_) => process::leave(code),
            Err(error) => refuse(exit::ENVIRONMENT, &error.to_string()),
        }
    }

    fn or_refuse(&mut self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.give_up(&error.to_string());
        }
    }

    fn give_up(&mut self, why: &str) -> ! {
        self.end_members();
        self.clear_away();
        self.members.members.remove();
        refuse(exit::ENVIRONMENT, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Given {
        Given::of(
            &std::iter::once("target")
                .chain(arguments.iter().copied())
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn jobs_that_run_one_after_the_other_get_the_full_time_each() {
        assert_eq!(time_max(&given(&["-jobs=5", "-workers=2", "-max_total_time=60"])), Some(180));
        assert_eq!(time_max(&given(&["-fork=4", "-max_total_time=60"])), Some(60));
        assert_eq!(time_max(&given(&["-jobs=5", "-workers=2"])), None);
        assert_eq!(workers(&given(&["-jobs=1", "-workers=8"])), 1);
    }
}
