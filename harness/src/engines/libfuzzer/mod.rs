//! libFuzzer: it owns the main function, we own what happens in one execution.
//!
//! libFuzzer calls [`initialize`] before it reads its arguments and [`test_one_input`] for each execution. What a run is for is decided once, from the arguments
//! and the environment, see `Purpose`.

mod arguments;
mod coverage;
mod tmin;

use std::ffi::{c_char, c_int, c_void};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dwindle_corpus::StoreError;
use dwindle_engine::{Ended, Halt, Said, TestCase, execute};

use self::arguments::Given;
use self::tmin::{INTERRUPTED, tmin};
use crate::engines::modes;
use crate::failure::executor::{Executor, Run};
use crate::failure::panics::Scope;
use crate::process;
use crate::session::config::{self, Mode};
use crate::session::events;
use crate::session::pace::Pace;
use crate::session::{Session, Sighting};
use crate::target::Target;

/// libFuzzer's exit code for a failure.
const FAILED: i32 = 77;

/// What the process is for.
enum Purpose {
    /// Find bugs, keep each once, go on.
    Fuzz(Box<Fuzzer>),
    /// Run files: show the draws, then fail as any target does.
    Replay(TestCase, fn(&mut TestCase)),
    /// Fail as a target of libfuzzer-sys does: merging, and `DWINDLE=off`.
    Stock(TestCase, fn(&mut TestCase)),
    /// Write the draws of a file for `cargo fuzz fmt`.
    Describe(Box<Executor<fn(&mut TestCase)>>, String),
}

struct Fuzzer {
    executor: Executor<fn(&mut TestCase)>,
    executions: u64,
    pace: Pace,
    stop_at_first: bool,
    final_stats: bool,
}

/// Only libFuzzer's thread takes it.
static PURPOSE: Mutex<Option<Purpose>> = Mutex::new(None);
/// Taken by libFuzzer's thread, by the exit handler and by the thread that hears signals; never held while the target runs.
static SESSION: Mutex<Option<Session>> = Mutex::new(None);
/// Decides what the process is for, and edits libFuzzer's arguments to match. Does not return from modes that are none of libFuzzer's.
#[expect(clippy::not_unsafe_ptr_arg_deref, clippy::similar_names, reason = "only the symbol that libFuzzer calls hands the pointers on")]
pub fn initialize(target: &'static Target, argc: *mut c_int, argv: *mut *mut *mut c_char, init: impl FnOnce()) -> c_int {
    // SAFETY: libFuzzer passes the argc and argv of main, which hold argc strings.
    let arguments = unsafe { arguments::read(argc, argv) };
    let given = Given::of(&arguments);
    if !config::is_off() {
        match config::mode() {
            Ok(Mode::Fuzz) => {}
            Ok(mode) => {
                init();
                modes::run(target, mode, &arguments[1..]);
            }
            Err(message) => refuse(modes::WRONG_USE, &message),
        }
        describe_in_child();
    }
    init();
    let purpose = purpose(target, &given);
    if let Purpose::Fuzz(_) = purpose {
        // Signals are ours: the run ends in order, with its table.
        let mut more = vec![c"-handle_int=0", c"-handle_term=0"];
        // Measured: structured targets need five to ten times fewer executions without length control.
        if !given.len_control {
            more.push(c"-len_control=0");
        }
        // SAFETY: as above.
        unsafe { arguments::append(&more, argc, argv) };
    }
    *PURPOSE.lock().unwrap_or_else(PoisonError::into_inner) = Some(purpose);
    0
}

fn purpose(target: &'static Target, given: &Given) -> Purpose {
    let property = target.property();
    if config::is_off() || given.stock || given.help {
        libfuzzer_sys::initialize(std::ptr::null(), std::ptr::null());
        return Purpose::Stock(TestCase::new(), property);
    }
    if let Ok(path) = std::env::var("RUST_LIBFUZZER_DEBUG_PATH") {
        return Purpose::Describe(Box::new(Executor::new(property, Scope::Process, target.manifest_dir(), config::choices_max())), path);
    }
    if given.minimize_crash {
        let Some(file) = given.inputs.first() else { refuse(1, "-minimize_crash=1 needs the file to minimize") };
        let prefix = given.artifact_prefix.as_deref().unwrap_or("./");
        process::leave(tmin(target, Path::new(file), prefix, given.exact_artifact_path.as_deref()));
    }
    if given.only_files() {
        libfuzzer_sys::initialize(std::ptr::null(), std::ptr::null());
        return Purpose::Replay(TestCase::new(), property);
    }
    if let Err(message) = config::limits() {
        refuse(modes::WRONG_USE, &message);
    }
    let prefix = given.artifact_prefix.clone().unwrap_or_else(|| "./".to_owned());
    match Session::open(target, "libfuzzer", Some(prefix)) {
        Ok(session) => *SESSION.lock().unwrap_or_else(PoisonError::into_inner) = Some(session),
        Err(message) => refuse(modes::ENVIRONMENT, &message),
    }
    process::at_exit(at_exit);
    crate::session::signals::on_interrupt(INTERRUPTED, || {
        with_session(|session| {
            if let Err(error) = session.end(true) {
                events::error(&error.to_string());
            }
            // With the session still in hand: nobody may end the run a second time.
            process::leave(INTERRUPTED)
        });
    });
    Purpose::Fuzz(Box::new(Fuzzer {
        executor: Executor::new(property, Scope::Process, target.manifest_dir(), config::choices_max()),
        executions: 0,
        pace: Pace::new(),
        stop_at_first: config::stop_at_first(),
        final_stats: given.final_stats,
    }))
}

/// One execution. 0: libFuzzer may keep the input; -1: it must not.
pub fn test_one_input(data: &[u8]) -> i32 {
    let mut purpose = PURPOSE.lock().unwrap_or_else(PoisonError::into_inner);
    match purpose.as_mut() {
        Some(Purpose::Fuzz(fuzzer)) => fuzzer.execute(data),
        Some(Purpose::Replay(tc, property)) => {
            tc.listen(Some(Box::new(|said| match said {
                Said::Draw(value) => eprintln!("draw  {value:?}"),
                Said::Note(note) => eprintln!("note  {note}"),
            })));
            stock(tc, *property, data)
        }
        Some(Purpose::Stock(tc, property)) => stock(tc, *property, data),
        Some(Purpose::Describe(executor, path)) => describe(executor, path, data),
        None => -1,
    }
}

impl Fuzzer {
    #[inline]
    fn execute(&mut self, data: &[u8]) -> i32 {
        if self.pace.is_due(self.executions) {
            self.poll();
            coverage::forget();
        }
        let run = self.executor.run_bytes(data);
        self.executions += 1;
        match &run {
            Run::Passed => 0,
            Run::Rejected | Run::Overrun => -1,
            Run::Failed(failed) => {
                match with_session(|session| session.saw(data, failed)) {
                    Ok(Sighting::New) if self.stop_at_first => self.stop(),
                    Ok(Sighting::New) => self.poll(),
                    Ok(Sighting::Known) => {}
                    Err(error) => Self::lost_store(data, &error),
                }
                -1
            }
        }
    }

    /// Gives the session its turn.
    #[cold]
    fn poll(&mut self) {
        let executions = self.executions;
        let polled = with_session(|session| {
            session.executions = executions;
            session.poll()
        });
        if let Err(error) = polled {
            refuse(modes::ENVIRONMENT, &error.to_string());
        }
        self.pace.plan(executions);
    }

    /// Ends the run here, for `DWINDLE_STOP=first`. libFuzzer would call an exit from inside the target a crash, so it is not asked.
    fn stop(&self) -> ! {
        let executions = self.executions;
        with_session(|session| session.executions = executions);
        if self.final_stats {
            eprintln!("stat::number_of_executed_units: {executions}");
        }
        finish(FAILED)
    }

    /// The bug store cannot take a new bug: its input is kept beside the artifacts, and the run ends.
    fn lost_store(data: &[u8], error: &StoreError) -> ! {
        refuse(modes::ENVIRONMENT, &with_session(|session| session.rescue(data, error)))
    }
}

/// Runs the target as libfuzzer-sys would: its hook aborts at a panic.
fn stock(tc: &mut TestCase, property: fn(&mut TestCase), data: &[u8]) -> i32 {
    tc.start_bytes(data, config::choices_max());
    match execute(tc, property) {
        Ended::Returned => 0,
        Ended::Halted(Halt::Overrun | Halt::Rejected) => -1,
        // The target has replaced the hook; a failure stays a failure.
        Ended::Panicked(_) => std::process::abort(),
    }
}

/// `cargo fuzz fmt` wants exit code 0 whatever the target does: the draws are written by a child, and how it ends does not matter.
fn describe_in_child() {
    if std::env::var_os("RUST_LIBFUZZER_DEBUG_PATH").is_none() || std::env::var_os("DWINDLE_DESCRIBE").is_some() {
        return;
    }
    let ended = process::again().args(std::env::args_os().skip(1)).env("DWINDLE_DESCRIBE", "1").status();
    if let Err(error) = ended {
        refuse(modes::ENVIRONMENT, &format!("the target could not be started again: {error}"));
    }
    process::leave(0)
}

fn describe(executor: &mut Executor<fn(&mut TestCase)>, path: &str, data: &[u8]) -> i32 {
    let mut file = match File::create(path) {
        Ok(file) => file,
        Err(error) => refuse(modes::ENVIRONMENT, &format!("{path} could not be written: {error}")),
    };
    executor.tc.listen(Some(Box::new(move |said| {
        // Each draw is on disk before the target goes on, whatever it then does.
        let _ = match said {
            Said::Draw(value) => writeln!(file, "{value:#?}"),
            Said::Note(note) => writeln!(file, "{note}"),
        };
    })));
    executor.run_bytes(data);
    0
}

/// libFuzzer calls `exit` at the end of a run, and where it cannot begin one.
extern "C" fn at_exit(code: c_int, _argument: *mut c_void) {
    // Taken if it is the target that calls `exit`.
    if let Ok(purpose) = PURPOSE.try_lock()
        && let Some(Purpose::Fuzz(fuzzer)) = &*purpose
    {
        with_session(|session| session.executions = fuzzer.executions);
    }
    finish(code)
}

/// Waits for what is still being minimized, says the table and leaves: with libFuzzer's code for a failure if anything failed, else with `code`.
fn finish(code: i32) -> ! {
    // libFuzzer's alarm would take the waiting for a target that hangs.
    process::disarm_alarm();
    loop {
        match with_session(|session| session.poll().map(|()| session.is_busy())) {
            Ok(true) => std::thread::sleep(Duration::from_millis(5)),
            Ok(false) => break,
            Err(error) => refuse(modes::ENVIRONMENT, &error.to_string()),
        }
    }
    match with_session(|session| session.end(false)) {
        Ok(true) => process::leave(FAILED),
        Ok(false) => process::leave(code),
        Err(error) => refuse(modes::ENVIRONMENT, &error.to_string()),
    }
}

fn with_session<T>(act: impl FnOnce(&mut Session) -> T) -> T {
    let mut session = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
    act(session.as_mut().expect("a run that fuzzes has a session"))
}

fn refuse(code: i32, message: &str) -> ! {
    events::error(message);
    process::leave(code)
}
