//! Minimizer processes, as the session sees them. Each one minimizes one bug of the store while the
//! fuzzer runs.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use dwindle_corpus::BugStore;
use signal_hook::consts::SIGUSR1;

use crate::environment::{self, Command};
use crate::limits::{self, Limits};
use crate::session::entry::Entry;
use crate::system::process;

/// Time that a minimizer may live beyond its limits. Its last candidates may take this long.
const GRACE: Duration = Duration::from_mins(1);
/// The signal that asks a minimizer to make room. The minimizer then ends if it got less than half
/// of the processor time that it could use.
pub(crate) const MAKE_ROOM: libc::c_int = SIGUSR1;

/// The scheduling priority of a minimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// While a fuzzer runs.
    Low,
    Normal,
}

/// Starts the process that does `work` on a bug or variant: [`Command::Minimizer`], or
/// [`Command::Explainer`], which reads samples from its standard input. The process ends by itself,
/// and its result is in the store.
pub(crate) fn start(
    store: &BugStore,
    entry: &Entry,
    priority: Priority,
    work: Command,
) -> io::Result<Child> {
    let root = store.dir().parent().unwrap_or(store.dir());
    process::again()
        .env(environment::MODE, if work == Command::Explainer { "explainer" } else { "minimizer" })
        .env(environment::STORE, root)
        .env(environment::BUG, entry.to_string())
        .env(environment::MEMORY_MAX, limits::memory_max().to_string())
        .env(environment::LOW_PRIORITY, if priority == Priority::Low { "1" } else { "0" })
        .env(environment::TIMEOUT_MAX, limits::timeout_shown().to_string())
        .env_remove(environment::EVENTS)
        // A separate process group, so that Ctrl-C in the terminal does not reach the minimizer.
        // The parent asks it to end instead.
        .process_group(0)
        .env_remove(environment::DEBUG_PATH)
        .stdin(if work == Command::Explainer { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// How long a minimizer with these limits may live before its parent ends it. The minimizer keeps
/// the limits itself, so this covers only the case that it cannot. The parent adds the time for
/// which the minimizer waited for the processor.
pub(crate) fn patience(limits: Limits) -> Duration {
    limits.wall_max + GRACE
}
