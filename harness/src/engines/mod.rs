//! What drives a target: libFuzzer, AFL++, or random cases; and what the target binary does besides fuzzing.

#[cfg(feature = "libfuzzer")]
pub mod libfuzzer;
#[cfg(feature = "afl")]
mod afl;
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
mod scores;
pub(crate) mod random;
#[cfg(not(feature = "libfuzzer"))]
pub mod standalone;
pub(crate) mod modes;
pub(crate) mod files;
pub(crate) mod check;
pub(crate) mod watch;
pub(crate) mod triage;
