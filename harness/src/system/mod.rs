//! What dwindle asks of the operating system: processes, children, usage, priority. Linux; the one folder to look at for another system.

pub(crate) mod process;
pub(crate) mod fork;
pub(crate) mod children;
pub(crate) mod usage;
pub(crate) mod offspring;
pub(crate) mod priority;
pub(crate) mod forked;
