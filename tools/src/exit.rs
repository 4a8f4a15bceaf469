//! How the command ends: the documented exit codes, and the errors that choose one.

use std::fmt;
use std::process::ExitCode;

/// The exit codes of `cargo dwindle`. They are a promise: scripts and CI read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing failed.
    Clean = 0,
    /// Bugs were seen, known or new.
    Bugs = 1,
    /// The command line asks for something that cannot be: no such target, no such file.
    WrongUse = 2,
    /// The build, the toolchain or the disk failed; says nothing about the target.
    Environment = 3,
    /// Ended by SIGINT, SIGTERM or SIGHUP.
    Interrupted = 130,
}

impl Exit {
    /// The exit an error stands for. An error that carries no exit of its own is the environment's.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        match error.downcast_ref::<Stop>() {
            Some(Stop::WrongUse(_)) => Self::WrongUse,
            Some(Stop::Interrupted) => Self::Interrupted,
            None => Self::Environment,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error with an exit code of its own.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The user can put this right on the command line; the words say how.
    WrongUse(String),
    /// The user ended it; nothing needs to be said.
    Interrupted,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongUse(words) => f.write_str(words),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Stop {}

/// An error that ends the command with exit code 2.
pub(crate) fn wrong_use(words: impl Into<String>) -> anyhow::Error {
    Stop::WrongUse(words.into()).into()
}
