//! Identifies the failures of a target: the panic or death, its place, its frames and the id of its
//! bug.

pub(crate) mod failed;
pub(crate) mod deaths;
pub(crate) mod panics;
pub(crate) mod misuse;
pub(crate) mod printing;
pub(crate) mod names;
pub(crate) mod location;
pub(crate) mod frames;
pub(crate) mod symbols;
pub(crate) mod libraries;
pub(crate) mod variants;
