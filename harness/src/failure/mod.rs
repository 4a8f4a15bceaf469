//! Identifies the failures of a target: the panic or death, its place, its frames and the id of its
//! bug.

pub(crate) mod failed;
#[cfg(feature = "fuzzing")]
pub(crate) mod deaths;
pub(crate) mod panics;
pub(crate) mod misuse;
pub(crate) mod printing;
pub(crate) mod names;
pub(crate) mod location;
#[cfg(feature = "fuzzing")]
pub(crate) mod frames;
#[cfg(not(feature = "fuzzing"))]
#[path = "no_frames.rs"]
pub(crate) mod frames;
#[cfg(feature = "fuzzing")]
pub(crate) mod symbols;
#[cfg(feature = "fuzzing")]
pub(crate) mod libraries;
pub(crate) mod variants;
