//! Running a target once, and telling failures apart: the panic, its place, its frames, the id of the bug.

pub(crate) mod failed;
pub(crate) mod deaths;
pub(crate) mod panics;
pub(crate) mod misuse;
pub(crate) mod printing;
pub(crate) mod names;
pub(crate) mod location;
pub(crate) mod frames;
pub(crate) mod symbols;
pub(crate) mod variants;
