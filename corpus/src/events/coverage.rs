//! Which code inputs reach.

use serde::{Deserialize, Serialize};

/// See [`Event::Coverage`](super::Event::Coverage).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverageFigures {
    /// The name of the target.
    pub target: String,
    /// Inputs that were run.
    pub inputs: u64,
    /// The files of those that failed.
    pub failed: Vec<String>,
    /// The source files under test.
    pub files: Vec<FileCoverage>,
    /// The sums of all files. `file` is empty.
    pub total: FileCoverage,
    /// The folder of the pages, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
}

/// What inputs reach of one source file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileCoverage {
    /// The path of the file.
    pub file: String,
    /// Its lines with code.
    pub lines: Reached,
    /// Its functions.
    pub functions: Reached,
    /// Its regions: parts of the code that run as a whole or not at all.
    pub regions: Reached,
}

/// How many there are, and how many were reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// How many there are.
    pub count: u64,
    /// How many of them were reached.
    pub reached: u64,
}
