//! libFuzzer: it owns the main function, and dwindle decides what happens in one execution.
//!
//! libFuzzer calls [`initialize`] before it reads its arguments, and [`test_one_input`] for each
//! execution. `initialize` decides the purpose of a run once, from the arguments and the
//! environment, see `Purpose`. A run that fuzzes has two processes: `supervisor` keeps the session
//! and outlives the fuzzer, `fuzzer` runs the target.

#[doc(hidden)]
pub mod passthrough;
mod arguments;
mod fuzzer;
mod plain;
mod replay;
mod known_crashes;
mod link;
mod snapshot;
mod modules;
mod coverage;
mod covered;
mod constructor;
mod untraced;
mod scores;
mod short_rows;
mod late_files;
mod huge_pages;
mod supervisor;
mod processes;
mod snapshot_pace;
mod prescreen;
mod memory;
mod corpus;
mod constants;
mod dictionary;
mod energy;
mod random_cases;
mod tmin;
mod mutator;
mod choice_mutations;
mod custom_mutator;

use std::ffi::{c_char, c_int, c_void};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use dwindle_corpus::printable;
use dwindle_engine::TestCase;
use dwindle_engine::internals::TranscriptEvent;

use self::arguments::Given;
use self::choice_mutations::ChoiceMutations;
use self::coverage::Counters;
use self::fuzzer::Fuzzer;
pub use self::mutator::{cross_over, mutate};
use self::plain::Plain;
use self::replay::Replay;
use self::tmin::tmin;
use crate::commands::files::Files;
use crate::environment::Mode;
use crate::execution::InProcess;
use crate::failure::panics::Scope;
use crate::fuzzers::{self, run_without_fuzzer};
use crate::limits::Limits;
use crate::session::Session;
use crate::switches::Switch;
use crate::system::{children, offspring, process};
use crate::target::Target;
use crate::{display, environment, events, exit, limits};

/// What the process is for.
enum Purpose {
    /// Find bugs, keep each once, continue.
    Fuzz(Box<Fuzzer>),
    /// Fail as a target of libfuzzer-sys does. This is for merging.
    Plain(Box<Plain>),
    /// Run files and show what each draws, then fail as a target of libfuzzer-sys does.
    Replay(Box<Replay>),
    /// Write the draws of a file for `cargo fuzz fmt`.
    Describe(Box<InProcess<fn(&mut TestCase)>>, String),
}

/// Only libFuzzer's thread locks it.
static PURPOSE: Mutex<Option<Purpose>> = Mutex::new(None);

/// Decides what the process is for, and edits libFuzzer's arguments to match.
///
/// Does not return in the modes that run without libFuzzer.
#[expect(
    clippy::not_unsafe_ptr_arg_deref,
    clippy::similar_names,
    reason = "only the symbol that libFuzzer calls hands the pointers on"
)]
pub fn initialize(target: &'static Target, argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int {
    // SAFETY: libFuzzer passes the argc and argv of main, which hold argc strings.
    let arguments = unsafe { arguments::read(argc, argv) };
    let given = Given::of(&arguments);
    match fuzzers::mode() {
        Ok(Mode::Fuzz) => {}
        Ok(mode) => run_without_fuzzer(target, mode, &arguments[1..]),
        Err(message) => refuse(exit::WRONG_USE, &message),
    }
    if let Err(message) = passthrough::check() {
        refuse(exit::WRONG_USE, &message);
    }
    describe_in_child();
    let (purpose, more) = purpose(target, &given, &arguments[1..]);
    crate::arbitrary::mutate_by(libfuzzer_sys::fuzzer_mutate);
    target.initialize();
    // SAFETY: as above.
    unsafe { arguments::append(more, argc, argv) };
    *PURPOSE.lock().unwrap_or_else(PoisonError::into_inner) = Some(purpose);
    0
}

/// What the process is for, and the arguments that libFuzzer gets after those of the user.
fn purpose(target: &'static Target, given: &Given, arguments: &[String]) -> (Purpose, Vec<String>) {
    let property = target.property();
    let executor = || {
        InProcess::new(property, Scope::Process, target.manifest_dir(), environment::choices_max())
    };
    if given.is_plain || given.help {
        libfuzzer_sys::initialize(std::ptr::null(), std::ptr::null());
        return (Purpose::Plain(Box::new(Plain::new(property, counters(given)))), Vec::new());
    }
    if let Ok(path) = std::env::var(environment::DEBUG_PATH) {
        return (Purpose::Describe(Box::new(executor()), path), Vec::new());
    }
    limits::limit_memory(given.rss_limit());
    limits::limit_time(given.timeout.unwrap_or(0));
    if given.minimize_crash {
        minimize_crash(target, given);
    }
    if given.only_files() {
        return (
            Purpose::Replay(Box::new(Replay::new(
                Files::new(target),
                counters(given),
                given.rss_limit(),
            ))),
            Vec::new(),
        );
    }
    if let Err(message) = Limits::from_environment() {
        refuse(exit::WRONG_USE, &message);
    }
    if given.has_several_fuzzers() {
        process::leave(processes::run(target, given, arguments));
    }
    let prefix = given.artifact_prefix.clone().unwrap_or_else(|| "./".to_owned());
    let session = match Session::open(target, "libfuzzer", Some(prefix)) {
        Ok(session) => session,
        Err(message) => refuse(exit::ENVIRONMENT, &message),
    };
    let mut start = supervisor::supervise(target, given, session);
    process::at_exit(at_exit);
    let mut more = std::mem::take(&mut start.arguments);
    // The supervisor handles signals, so that the run ends in order and prints its table. The
    // supervisor also enforces the memory limit: libFuzzer would use a thread for it, and a
    // snapshot does not include threads.
    more.extend(
        ["-handle_int=0", "-handle_term=0", "-handle_xfsz=0", "-rss_limit_mb=0"].map(str::to_owned),
    );
    more.push(format!("-malloc_limit_mb={}", given.malloc_limit()));
    // Measured: structured targets need five to ten times fewer executions without length control.
    // A drop-in target keeps libFuzzer's defaults unless its user changes them.
    if !given.len_control && !target.is_drop_in() {
        more.push("-len_control=0".to_owned());
    }
    let mut fuzzer = Fuzzer::new(executor(), start, counters(given));
    if !target.is_drop_in() && custom_mutator::install() {
        fuzzer.mutate_choices(ChoiceMutations::new(given.mutate_depth(), !given.len_control));
    }
    (Purpose::Fuzz(Box::new(fuzzer)), more)
}

/// Minimizes the given file and ends the process.
fn minimize_crash(target: &'static Target, given: &Given) -> ! {
    let Some(file) = given.inputs.first() else {
        refuse(1, "-minimize_crash=1 needs the file to minimize")
    };
    let prefix = given.artifact_prefix.as_deref().unwrap_or("./");
    children::adopt_orphans();
    let code = tmin(target, Path::new(file), prefix, given.exact_artifact_path.as_deref());
    offspring::end_all_but(&[]);
    process::leave(code)
}

/// The counters that libFuzzer reads in this process. Prints their number where libFuzzer prints
/// its own.
fn counters(given: &Given) -> Counters {
    let shows_all = given.is_plain || given.all_counters || given.only_files();
    let counters = Counters::new(shows_all, test_one_input as *const () as usize);
    let [theirs, own] = counters.count();
    if theirs > 0 && Switch::LazyCounters.is_on() && !shows_all && !given.quiet && !given.help {
        eprintln!(
            "INFO: {own} counters of dwindle's own code are left out.\n\
             INFO: {theirs} inline 8-bit counters; libFuzzer gets them as they are reached, so far \
             these:",
        );
    }
    counters
}

/// Runs one execution. Returns 0 if libFuzzer may keep the input, and -1 if it must not.
pub fn test_one_input(data: &[u8]) -> i32 {
    let mut purpose = PURPOSE.lock().unwrap_or_else(PoisonError::into_inner);
    let may_keep = match purpose.as_mut() {
        Some(Purpose::Fuzz(fuzzer)) => fuzzer.execute(data),
        Some(Purpose::Plain(plain)) => plain.execute(data),
        Some(Purpose::Replay(replay)) => replay.execute(data),
        Some(Purpose::Describe(executor, path)) => {
            describe(executor, path, data);
            true
        }
        None => false,
    };
    if may_keep { 0 } else { -1 }
}

/// Writes the draws of a file in a child process and ignores how the child ends. `cargo fuzz fmt`
/// expects exit code 0, whatever the target does.
fn describe_in_child() {
    if std::env::var_os(environment::DEBUG_PATH).is_none()
        || std::env::var_os(environment::DESCRIBE).is_some()
    {
        return;
    }
    let ended =
        process::again().args(std::env::args_os().skip(1)).env(environment::DESCRIBE, "1").status();
    if let Err(error) = ended {
        refuse(exit::ENVIRONMENT, &format!("cannot start the target again: {error}"));
    }
    process::leave(0)
}

fn describe(executor: &mut InProcess<fn(&mut TestCase)>, path: &str, data: &[u8]) {
    let mut file = match File::create(path) {
        Ok(file) => file,
        Err(error) => refuse(exit::ENVIRONMENT, &format!("cannot write {path}: {error}")),
    };
    executor.driver.listen(Some(Box::new(move |said| {
        // The file holds each draw before the target continues, so a crash of the target loses
        // none.
        let _ = match said {
            TranscriptEvent::Draw(value) | TranscriptEvent::Completed(_, value) => {
                display::write_pretty(&mut file, value)
            }
            TranscriptEvent::Note(note) => writeln!(file, "{}", printable(note)),
            TranscriptEvent::Name(_) | TranscriptEvent::Line => Ok(()),
        };
    })));
    executor.run_bytes(data);
}

/// libFuzzer calls `exit` at the end of a run, and when it cannot begin one.
extern "C" fn at_exit(code: c_int, _argument: *mut c_void) {
    // The lock is taken if the target itself calls `exit`.
    if let Ok(purpose) = PURPOSE.try_lock()
        && let Some(Purpose::Fuzz(fuzzer)) = &*purpose
    {
        fuzzer.link().leave(code);
        process::leave(code);
    }
}

fn refuse(code: i32, message: &str) -> ! {
    events::error(message);
    process::leave(code)
}
