//! The interface to the operating system: processes, children, usage, priority. It supports Linux.
//! A port to another system changes only this folder.

pub(crate) mod process;
pub(crate) mod fork;
pub(crate) mod children;
pub(crate) mod usage;
pub(crate) mod offspring;
pub(crate) mod priority;
pub(crate) mod forked;
