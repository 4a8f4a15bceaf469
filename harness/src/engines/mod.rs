//! What drives a target: libFuzzer, or random cases; and what the target binary does besides fuzzing.

#[cfg(feature = "libfuzzer")]
pub mod libfuzzer;
pub(crate) mod random;
#[cfg(not(feature = "libfuzzer"))]
pub mod standalone;
pub(crate) mod modes;
pub(crate) mod check;
pub(crate) mod triage;
