//! The documented exit codes of the command, and the errors that choose one.

use std::fmt;
use std::process::ExitCode;

/// The exit codes of `cargo dwindle`. They are a promise: scripts and CI read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing failed.
    Clean = 0,
    /// Known or new bugs were seen.
    Bugs = 1,
    /// The command line is wrong, for example it names a target or a file that does not exist.
    WrongUse = 2,
    /// The build, the toolchain or the disk failed. The result says nothing about the target.
    Environment = 3,
    /// Ended by SIGINT, SIGTERM or SIGHUP.
    Interrupted = 130,
}

impl Exit {
    /// The exit code of an error. An error without a [`Stop`] counts as a failure of the
    /// environment.
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

/// An error that chooses an exit code.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The user can correct this on the command line. The text says how.
    WrongUse(String),
    /// The user ended the command, so it needs no message.
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
