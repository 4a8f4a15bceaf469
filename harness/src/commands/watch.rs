//! Takes the crashes and hangs of a running AFL++ campaign into the store. Another process finds
//! the files and writes their names to standard input.
//!
//! The instances of the campaign report their panics themselves, through the store. An input that
//! kills the target is only a file in `crashes` or `hangs`, until this process runs it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead as _, stdin};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use dwindle_corpus::events::{Event, FileRun};
use dwindle_corpus::{
    BugKind, ContentId, StoreError, executions_of_afl, printable_path, read_input,
};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Run, Runs};
use crate::exit::{BUGS_SEEN, ENVIRONMENT, INTERRUPTED, NOTHING_FAILED, WRONG_USE, refuse};
use crate::failure::failed::Failed;
use crate::failure::panics;
use crate::failure::variants::is_looked_at;
use crate::isolation::Isolated;
use crate::limits::{Deadline, Limits};
use crate::minimize::reliability;
use crate::session::{Hit, Session, current};
use crate::target::Target;
use crate::{environment, events, flags};

/// How often the loop checks for work.
const LOOK: Duration = Duration::from_millis(50);
/// How often it reads the number of executions. AFL++ updates it every few seconds at most.
const COUNT: Duration = Duration::from_secs(1);

/// Runs until standard input ends and all bugs are minimized, or until the time in
/// `-max_total_time=` is over.
pub(crate) fn run(target: &'static Target, folders: &[PathBuf], arguments: &[String]) -> i32 {
    let [folder] = folders else {
        return refuse(WRONG_USE, "DWINDLE_MODE=watch takes the output folder of a campaign");
    };
    if let Err(message) = Limits::from_environment() {
        return refuse(WRONG_USE, &message);
    }
    let deadline = match flags::flag(arguments, "-max_total_time=") {
        Ok(seconds) => Deadline::after(seconds),
        Err(message) => return refuse(WRONG_USE, &message),
    };
    // Must happen before there is a second thread.
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            return refuse(
                ENVIRONMENT,
                &format!("cannot start a process that runs the target: {error}"),
            );
        }
    };
    let mut session = match Session::open(target, "afl", None) {
        Ok(session) => session,
        Err(message) => return refuse(ENVIRONMENT, &message),
    };
    if let Err(error) = session.begin_to_follow(false) {
        return refuse(ENVIRONMENT, &error.to_string());
    }
    session.end_by(deadline);
    executor.give_up_at(deadline.gives_up_at());
    current::set(session, INTERRUPTED);
    let watched = folder.to_string_lossy().into_owned();
    events::say(Event::Watching { folder: watched }, "");
    // One run may take many seconds. Minimization and messages continue meanwhile.
    let runner = thread::spawn(move || {
        panics::this_thread_is_ours();
        run_named(executor, deadline)
    });
    match serve(folder, runner, deadline) {
        Ok(true) => BUGS_SEEN,
        Ok(false) => NOTHING_FAILED,
        Err(message) => refuse(ENVIRONMENT, &message),
    }
}

/// Runs each file that standard input names. Each name ends with a zero byte.
fn run_named(mut executor: Isolated, deadline: Deadline) -> Result<(), String> {
    // AFL++ instances import each other's crashes.
    let mut contents = BTreeSet::new();
    for path in stdin().lock().split(0).map_while(Result::ok) {
        if deadline.ends_fuzzing() {
            // The next campaign in this folder names the file again.
            return Ok(());
        }
        let path = PathBuf::from(OsString::from_vec(path));
        match read_input(&path) {
            Ok(input) if contents.insert(ContentId::of(&input)) => {
                run_file(&mut executor, &path, &input)?;
            }
            Ok(_) => {}
            Err(error) => {
                events::warning(&format!("{error}; dwindle skips it"));
            }
        }
    }
    Ok(())
}

/// Runs a file that AFL++ stored as a crash or a hang.
fn run_file(executor: &mut Isolated, path: &Path, input: &[u8]) -> Result<(), String> {
    let mut trace = Trace::default();
    let is_hang = path
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|folder| folder.as_encoded_bytes().starts_with(b"hangs"));
    let failed = if is_hang {
        hang(executor, input, &mut trace)
    } else {
        crash(executor, input, &mut trace)
    };
    let Some(failed) = failed else {
        if current::with(|session| session.deadline().ends_fuzzing()) {
            // The run may have been given up at the deadline.
            return Ok(());
        }
        let text = format!("dwindle: {} does not fail here", printable_path(path));
        let file = path.to_string_lossy().into_owned();
        let outcome = FileRun { file, failed: false, rejected: false, choices: None };
        events::say(Event::Outcome(outcome), &text);
        return Ok(());
    };
    let hit = current::with(|session| {
        session.saw(input, &failed).map_err(|error| session.rescue(input, &error))
    })?;
    if hit == Hit::Known
        && current::with(|session| is_looked_at(session.hits(failed.id)))
        && let (Run::Failed(failed), _) = executor.run_with_transcript(input, &mut trace)
    {
        current::with(|session| session.look_for_variant(input, &failed))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn crash(executor: &mut Isolated, input: &[u8], trace: &mut Trace) -> Option<Failed> {
    executor.allow_for(Runs::Any);
    match executor.run_input(input, trace) {
        Run::Failed(failed) => Some(failed),
        Run::Misused(misuse) => misuse.leave(),
        // The failure may happen in only some runs.
        _ => reliability::chance(executor, input, |_| true, trace),
    }
}

/// Runs an input that AFL++ stored as a hang. It takes long, but may end nevertheless.
fn hang(executor: &mut Isolated, input: &[u8], trace: &mut Trace) -> Option<Failed> {
    // A short run is enough if the input hangs at the place of a known hang.
    for runs in [Runs::BesideHangs, Runs::Any] {
        executor.allow_for(runs);
        match executor.run_input(input, trace) {
            Run::Failed(failed) if runs == Runs::Any || failed.kind != BugKind::Timeout => {
                return Some(failed);
            }
            Run::Failed(failed) if current::with(|session| session.hits(failed.id)) > 0 => {
                return Some(failed);
            }
            Run::Failed(_) => {}
            Run::Misused(misuse) => misuse.leave(),
            Run::Passed | Run::Rejected | Run::Overrun => return None,
        }
    }
    None
}

/// Serves the session until all files have run and all bugs are minimized. Returns whether any
/// input failed.
fn serve(
    folder: &Path,
    runner: JoinHandle<Result<(), String>>,
    deadline: Deadline,
) -> Result<bool, String> {
    let said = |error: StoreError| error.to_string();
    let executions_before = executions_of_afl(folder);
    let mut runner = Some(runner);
    let (mut counted, mut is_last_lap) = (Instant::now(), false);
    loop {
        let is_due = is_last_lap || counted.elapsed() >= COUNT;
        let executions =
            is_due.then(|| executions_of_afl(folder).saturating_sub(executions_before));
        let is_busy = current::with(|session| {
            if let Some(executions) = executions {
                (session.executions, counted) = (executions, Instant::now());
            }
            session.follow()?;
            session.poll()?;
            Ok(session.is_busy())
        });
        let is_busy = is_busy.map_err(said)?;
        if is_last_lap && !is_busy {
            return current::with(|session| session.end(false)).map_err(said);
        }
        let is_enough = || {
            environment::stop_at_first()
                && !is_busy
                && current::with(|session| {
                    session.new_bugs() > 0 && session.has_pending().is_ok_and(|any| !any)
                })
        };
        let is_finished = runner.take_if(|runner| runner.is_finished()).map(JoinHandle::join);
        if let Some(ended) =
            is_finished.transpose().map_err(|_| "the thread that runs crash files died")?
        {
            ended?;
        }
        if !is_last_lap && (runner.is_none() || is_enough() || deadline.ends_fuzzing()) {
            is_last_lap = true;
            current::with(|session| {
                session.fuzzing_is_over();
                session.take_over()
            })
            .map_err(said)?;
        }
        thread::sleep(LOOK);
    }
}
