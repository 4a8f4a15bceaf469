//! Running the target in a process that may die of it.
//!
//! ```text
//! this process  --forks once-->  fork server  --forks after each death-->  worker
//!      \________________ one piece of shared memory ____________________/
//! ```
//!
//! The [fork server](fork server) is a copy of this process from before the target ran for the first time. It forks a [worker](worker), which takes one request after the
//! other from [shared memory](shared) and answers there, so that a run costs no fork; they wait for each other by [bells](bell). If the run kills the worker, or
//! takes longer or more memory than it may, a [record](death) of its last moments is the answer, and the fork server forks the next worker. [`Isolated`] is what the
//! rest of the harness sees; a fuzzer with many deaths has a `Prescreen`.

pub(crate) mod shared;
pub(crate) mod bell;
pub(crate) mod wire;
pub(crate) mod sanitizer;
mod traces;
mod stack;
mod fork_server;
mod transcript;
mod worker;
pub(crate) mod drawn;
mod note;
mod record;
mod walk;
pub(crate) mod threads;
pub(crate) mod death;
mod leaks;
mod freed;
mod isolated;
pub(crate) mod formatted;
pub(crate) mod printed;
#[cfg(feature = "libfuzzer")]
mod prescreen;

pub(crate) use fork_server::Prints;
pub(crate) use isolated::Isolated;
#[cfg(feature = "libfuzzer")]
pub(crate) use prescreen::{Prescreen, Prescreened};

/// Says that this process leaves it to workers to run the target, and does without what is for fuzzers and for targets: nothing of it is traced, nor are its frames kept.
/// So nothing that is forked from it may fuzz.
pub(crate) fn only_ask() {
    sanitizer::watch_returned_frames(false);
    traces::end();
}

/// For a process that fuzzes, or from which fuzzers are forked.
///
/// # Panics
/// It said before that it only asks: a fuzzer would be blind to comparisons.
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(crate) fn assert_may_fuzz() {
    assert!(!traces::have_ended(), "this process cannot fuzz: comparison tracing was disabled in it");
}
