//! All limits: of one minimization, of one run of the target, and of a whole fuzzing run.

mod minimization;
mod run;
mod timeout;
mod memory;
mod deadline;

pub(crate) use self::deadline::Deadline;
pub(crate) use self::memory::{MEMORY_MAX, limit_memory, memory_max};
pub(crate) use self::minimization::Limits;
#[cfg(test)]
pub(crate) use self::run::MEMORY_OF_BLOW_UPS;
pub(crate) use self::run::{Allowed, PROCESS_ALONE};
#[cfg(feature = "libfuzzer")]
pub(crate) use self::timeout::limit_time;
pub(crate) use self::timeout::{hangs_after, timeout_shown};
