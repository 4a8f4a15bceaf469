//! All exit codes.
//!
//! A command and a run end with the codes of `cargo dwindle`. Scripts and CI read them, so they do
//! not change. Under libFuzzer a process ends with libFuzzer's codes. dwindle's own processes have
//! codes that only their parents read.

#[cfg(feature = "fuzzing")]
use crate::events;

/// Nothing failed.
pub(crate) const NOTHING_FAILED: i32 = 0;
/// Bugs were seen, known or new.
pub(crate) const BUGS_SEEN: i32 = 1;
/// The arguments, the environment variables or the target use dwindle wrongly.
pub(crate) const WRONG_USE: i32 = 2;
/// The disk, the system or a process failed. This says nothing about the target.
pub(crate) const ENVIRONMENT: i32 = 3;
/// Ended by Ctrl-C or SIGTERM.
pub(crate) const INTERRUPTED: i32 = 130;
/// A panic ended the process: the code of every Rust program.
pub(crate) const PANICKED: i32 = 101;

/// The codes of libFuzzer.
pub(crate) mod libfuzzer {
    /// A file could not be minimized or cleansed.
    #[cfg(feature = "libfuzzer")]
    pub(crate) const NOT_DONE: i32 = 1;
    /// The input took too long.
    pub(crate) const TIMEOUT: i32 = 70;
    /// The input took too much memory.
    pub(crate) const OOM: i32 = 71;
    /// Ended by Ctrl-C or SIGTERM.
    #[cfg(feature = "libfuzzer")]
    pub(crate) const INTERRUPTED: i32 = 72;
    /// The target failed.
    pub(crate) const FAILED: i32 = 77;
}

/// The codes of a minimizer process, which its session reads.
pub(crate) mod minimizer {
    /// The store could not be read or written. The bug is still pending.
    pub(crate) const STORE_FAILED: i32 = super::ENVIRONMENT;
    /// Another process minimizes the bug, or this one was asked to end and has kept the smallest
    /// input so far. The bug is still pending.
    pub(crate) const LEFT: i32 = 4;
    /// It got little processor time, and ended so that a minimizer of normal priority can start.
    pub(crate) const MAKES_ROOM: i32 = 5;
}

/// The codes of one of several fuzzers. The process that keeps their session reads them.
pub(crate) mod member {
    /// Its fork server was killed. Another process continues.
    pub(crate) const LOST_FORK_SERVER: i32 = 6;
}

/// The codes of a process that formats values, which the process that forked it reads.
///
/// A target that calls `exit` in its `Debug` is not likely to use one of them.
pub(crate) mod formatter {
    /// All texts are written.
    pub(crate) const WHOLE: i32 = 141;
    /// A `Debug` panicked.
    pub(crate) const PANICKED: i32 = 142;
    /// A `Debug` returned an error.
    pub(crate) const REFUSED: i32 = 143;
}

/// Reports an error and returns `code`.
#[cfg(feature = "fuzzing")]
pub(crate) fn refuse(code: i32, message: &str) -> i32 {
    events::error(message);
    code
}
