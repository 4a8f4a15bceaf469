//! All limits: of one minimization, of one run of the target, and of a whole fuzzing run.

mod minimization;
#[cfg(feature = "fuzzing")]
mod run;
#[cfg(feature = "fuzzing")]
mod timeout;
#[cfg(feature = "fuzzing")]
mod memory;
#[cfg(feature = "fuzzing")]
mod deadline;

#[cfg(feature = "fuzzing")]
pub(crate) use self::deadline::Deadline;
#[cfg(feature = "fuzzing")]
pub(crate) use self::memory::{MEMORY_MAX, limit_memory, memory_max};
pub(crate) use self::minimization::Limits;
#[cfg(all(test, feature = "fuzzing"))]
pub(crate) use self::run::MEMORY_OF_BLOW_UPS;
#[cfg(feature = "fuzzing")]
pub(crate) use self::run::{Allowed, PROCESS_ALONE};
#[cfg(feature = "libfuzzer")]
pub(crate) use self::timeout::limit_time;
#[cfg(feature = "fuzzing")]
pub(crate) use self::timeout::{hangs_after, timeout_shown};
