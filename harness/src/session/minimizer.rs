//! Minimizer processes, as the session sees them: each minimizes one bug of the store beside the fuzzer.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use dwindle_corpus::BugStore;
use signal_hook::consts::SIGUSR1;

use crate::environment;
use crate::limits::{self, Limits};
use crate::session::entry::Entry;
use crate::system::process;

/// How much longer than its limits a minimizer may live: the last candidates may take their time.
const GRACE: Duration = Duration::from_mins(1);
/// At which it makes room, if it gets less of the processor than this part of what it could use.
pub(crate) const MAKE_ROOM: libc::c_int = SIGUSR1;

/// How a minimizer takes its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// Beside a fuzzer.
    Low,
    Normal,
}

/// Starts the minimizer of a bug or variant. It ends by itself and leaves its result in the store.
pub(crate) fn start(store: &BugStore, entry: &Entry, priority: Priority) -> io::Result<Child> {
    let root = store.dir().parent().unwrap_or(store.dir());
    process::again()
        .env(environment::MODE, "minimizer")
        .env(environment::STORE, root)
        .env(environment::BUG, entry.to_string())
        .env(environment::MEMORY_MAX, limits::memory_max().to_string())
        .env(environment::LOW_PRIORITY, if priority == Priority::Low { "1" } else { "0" })
        .env(environment::TIMEOUT_MAX, limits::timeout_shown().to_string())
        .env_remove(environment::EVENTS)
        // Out of reach of the terminal's Ctrl-C: the process that started it asks it to end.
        .process_group(0)
        .env_remove(environment::DEBUG_PATH)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// How long a minimizer with these limits may live before its parent ends it. It keeps to them itself; this is for the case that it cannot. What it waits for the
/// processor comes on top.
pub(crate) fn patience(limits: Limits) -> Duration {
    limits.wall_max + GRACE
}
