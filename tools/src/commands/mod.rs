//! The commands, each in the file of its name. `watch` is in `afl` with the other AFL++ code.

pub(crate) mod init;
pub(crate) mod add;
pub(crate) mod list;
pub(crate) mod build;
pub(crate) mod run;
pub(crate) mod min;
pub(crate) mod next;
pub(crate) mod explore;
pub(crate) mod cmin;
pub(crate) mod triage;
pub(crate) mod show;
pub(crate) mod coverage;
pub(crate) mod report;
pub(crate) mod check;
pub(crate) mod merge;
pub(crate) mod corpus;
