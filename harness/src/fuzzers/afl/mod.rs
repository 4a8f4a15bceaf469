//! AFL++: afl.rs supplies the fork server and the loop. dwindle decides what happens in one
//! execution.
//!
//! ```text
//! afl-fuzz  --starts-->  fork server  --forks after each death-->  child
//!     |                       |\--forks once-->  daemon  <--shared memory--/
//!     |                       \---forks once-->  process that makes mutants
//!     \_________________________ socket ________________________/
//! ```
//!
//! The fork server never runs the target. The [child](child) runs one input after the other; it
//! counts known panics and continues after them. The [session daemon](session_daemon) holds the
//! session: the store, the counts and the minimizers, which outlive the children. Another
//! process [mutates choices](mutants). A signal that
//! kills a child reaches AFL++ unchanged, and AFL++ keeps the input in its folder `crashes`.

mod child;
mod edges;
mod session_daemon;
mod mutants;
mod reports;
mod runtime;
mod scores;

use std::panic::AssertUnwindSafe;
use std::path::Path;

use dwindle_engine::internals::{Driver, Outcome, execute};

use self::child::Child;
use self::reports::Reports;
use crate::commands::files;
use crate::exit::{ENVIRONMENT, WRONG_USE, refuse};
use crate::limits::Limits;
use crate::system::process;
use crate::target::Target;
use crate::{environment, exit};

/// The environment variable with the folder of the instance. Only afl-fuzz sets it; the other tools
/// of AFL++ do not.
const FOLDER_OF_INSTANCE: &str = "__AFL_OUT_DIR";

/// What the process is for.
enum Purpose {
    /// A campaign: find bugs, keep each once, continue.
    Fuzz,
    /// The process in which afl-fuzz records operands of comparisons. The fuzzing process has
    /// already reported its failures.
    Compare,
    /// afl-tmin, afl-cmin, afl-showmap, `DWINDLE=off`, or an input on stdin: fail as a target of
    /// afl.rs does.
    Plain,
    /// Run files: show the draws, then fail as any target does.
    Replay,
}

/// Runs the process to its end.
pub(crate) fn run(target: &'static Target, arguments: &[String]) -> i32 {
    match purpose(arguments) {
        Purpose::Fuzz => fuzz(target),
        Purpose::Compare => {
            process::die_with(process::parent());
            let (server, mut executor) = (process::id(), None);
            each_input(false, |input| {
                drop(executor.get_or_insert_with(|| child::begin(target, server)).run_bytes(input));
            });
            exit::NOTHING_FAILED
        }
        Purpose::Plain => {
            target.initialize();
            let mut tc = Driver::new();
            each_input(true, |input| run_plain(&mut tc, target, input));
            exit::NOTHING_FAILED
        }
        Purpose::Replay => files::run_all(target, arguments),
    }
}

fn purpose(arguments: &[String]) -> Purpose {
    let is_set = |name| std::env::var_os(name).is_some();
    if !is_set("__AFL_SHM_ID") && arguments.iter().any(|argument| Path::new(argument).is_file()) {
        return Purpose::Replay;
    }
    if environment::is_off() || !is_set(FOLDER_OF_INSTANCE) {
        return Purpose::Plain;
    }
    if is_set("___AFL_EINS_ZWEI_POLIZEI___") { Purpose::Compare } else { Purpose::Fuzz }
}

fn fuzz(target: &'static Target) -> i32 {
    // The fork server waits for a child that hangs. Without afl-fuzz, it would wait forever.
    process::die_with(process::parent());
    if let Err(message) = Limits::from_environment() {
        return refuse(WRONG_USE, &message);
    }
    let reports = match Reports::new() {
        Ok(reports) => reports,
        Err(error) => {
            return refuse(
                ENVIRONMENT,
                &format!("cannot share memory with the session daemon: {error}"),
            );
        }
    };
    if let Err(message) = session_daemon::start(target, reports) {
        return refuse(ENVIRONMENT, &message);
    }
    mutants::start(target);
    let (server, mut child) = (process::id(), None);
    each_input(false, |input| {
        child.get_or_insert_with(|| Child::new(target, server, reports)).execute(input);
    });
    exit::NOTHING_FAILED
}

/// Runs the loop of afl.rs. With `hook`, a panic ends the process.
fn each_input(hook: bool, mut act: impl FnMut(&[u8])) {
    let mut act = AssertUnwindSafe(move |input: &[u8]| act(input));
    afl::fuzz(hook, move |input| {
        let act = &mut act;
        act(input);
    });
}

fn run_plain(tc: &mut Driver, target: &'static Target, input: &[u8]) {
    tc.start_bytes(input, environment::choices_max());
    if let Outcome::Failed(_) = execute(tc, target.property()) {
        // The target has replaced the panic hook. A panic must still count as a failure.
        std::process::abort();
    }
    runtime::forget_own();
}
