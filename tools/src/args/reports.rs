//! The files and lines for CI that `run` and `check` write.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What to write about the bugs, for other programs.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Reports {
    /// Write the bugs as SARIF 2.1.0, for example for code scanning
    #[arg(long, value_name = "FILE", help_heading = "Report options")]
    pub(crate) sarif: Option<PathBuf>,

    /// Write the bugs as `JUnit` XML: one test case for each
    #[arg(long, value_name = "FILE", help_heading = "Report options")]
    pub(crate) junit: Option<PathBuf>,

    /// Print a line for each bug that marks its place in a CI service; on stderr with --json
    #[arg(long, value_enum, value_name = "SERVICE", help_heading = "Report options")]
    pub(crate) annotations: Option<Annotations>,
}

/// Where annotations are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Annotations {
    /// GitHub Actions: lines that begin with `::error`
    Github,
    /// The same where `GITHUB_ACTIONS=true`, else nothing
    Auto,
}
