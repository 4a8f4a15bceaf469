//! Runs the target in another process, because a run may kill its process.
//!
//! ```text
//! this process  --forks once-->  fork server  --forks after each death-->  worker
//!      \________________ one piece of shared memory ____________________/
//! ```
//!
//! The [fork server](fork_server) is a fork of this process, made before the target runs for the
//! first time. The fork server forks a [worker](worker). The worker takes requests one after
//! another from [shared memory](shared), and writes its answers there. So a run costs no fork. The
//! processes wait for each other by [bells](bell).
//!
//! A run may kill the worker, or it may exceed its limit of time or memory. Then the answer is a
//! [record](death) of the run's last moments, and the fork server forks the next worker. The rest
//! of the harness uses [`Isolated`]. A fuzzer with many deaths uses a `Prescreen`.

pub(crate) mod shared;
pub(crate) mod bell;
pub(crate) mod wire;
pub(crate) mod counters;
pub(crate) mod sanitizer;
mod traces;
mod stack;
mod fork_server;
mod transcript;
mod worker;
pub(crate) mod drawn;
mod note;
mod record;
mod covered;
mod walk;
pub(crate) mod threads;
pub(crate) mod death;
mod leaks;
mod freed;
mod watcher;
mod isolated;
pub(crate) mod formatted;
pub(crate) mod printed;
#[cfg(feature = "libfuzzer")]
mod prescreen;

pub(crate) use fork_server::Prints;
pub(crate) use isolated::Isolated;
#[cfg(feature = "libfuzzer")]
pub(crate) use prescreen::{Prescreen, Prescreened};
#[cfg(feature = "libfuzzer")]
pub(crate) use traces::traced;

/// Disables comparison tracing and the check of returned frames in this process, because only its
/// workers run the target.
///
/// Comparison tracing stays disabled in processes that are forked from this one. They may fuzz only
/// after [`fuzz`].
pub(crate) fn only_ask() {
    sanitizer::watch_returned_frames(false);
    traces::disable();
}

/// Takes back [`only_ask`] in a fork that is to fuzz.
#[cfg(feature = "libfuzzer")]
pub(crate) fn fuzz() {
    sanitizer::watch_returned_frames(true);
    traces::enable();
}

/// Checks that this process can fuzz, or can fork fuzzers.
///
/// # Panics
/// Panics if comparison tracing was disabled before (see [`only_ask`]): a fuzzer could not see
/// comparisons.
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(crate) fn assert_may_fuzz() {
    assert!(
        !traces::is_disabled(),
        "this process cannot fuzz: comparison tracing was disabled in it"
    );
}
