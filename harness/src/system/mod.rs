//! The interface to the operating system. With the feature `fuzzing` it is Linux: processes,
//! children, usage, priority. Without it, the standard library answers on every system
//! (`portable`).

#[cfg(feature = "fuzzing")]
pub(crate) mod process;
#[cfg(feature = "fuzzing")]
pub(crate) mod fork;
#[cfg(feature = "fuzzing")]
pub(crate) mod children;
#[cfg(feature = "fuzzing")]
pub(crate) mod usage;
#[cfg(feature = "fuzzing")]
pub(crate) mod offspring;
#[cfg(feature = "fuzzing")]
pub(crate) mod priority;
#[cfg(feature = "fuzzing")]
pub(crate) mod forked;
#[cfg(not(feature = "fuzzing"))]
mod portable;
#[cfg(not(feature = "fuzzing"))]
pub(crate) use self::portable::{forked, priority, usage};
