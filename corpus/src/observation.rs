//! One observed case, in the format of Hypothesis' observability, which Tyche reads.
//!
//! <https://hypothesis.readthedocs.io/en/latest/reference/integrations.html>

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::printable::printable_json;

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// The target returned.
    Passed,
    /// The target failed.
    Failed,
    /// The case was rejected.
    GaveUp,
}

/// A case, as one line of JSON. All fields are always there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Always `test_case`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When the first case began, in seconds since 1970. The cases of one run share it.
    pub run_start: f64,
    /// The name of the target.
    pub property: String,
    /// How the case ended.
    pub status: CaseStatus,
    /// Why it failed or was rejected. Empty for a case that passed.
    pub status_reason: String,
    /// The drawn values as lines of Rust.
    pub representation: String,
    /// The drawn values by name: numbers and truth values as such, others as their `Debug` text.
    pub arguments: Map<String, Value>,
    /// Where the case comes from.
    pub how_generated: String,
    /// Figures of the case: `choices` and `bytes`.
    pub features: Map<String, Value>,
    /// Covered lines. dwindle does not know them and writes null.
    pub coverage: Option<Value>,
    /// Seconds by what was done in them.
    pub timing: Map<String, Value>,
    /// What Hypothesis has there, as far as it exists here, and the file of the input.
    pub metadata: Map<String, Value>,
}

impl Observation {
    /// The line, without its end. All characters are safe to print on a terminal.
    ///
    /// # Panics
    /// Never: all parts are JSON.
    pub fn to_line(&self) -> String {
        printable_json(serde_json::to_string(self).expect("all parts are JSON"))
    }

    /// Reads a line. `None` unless it is a case.
    pub fn read(line: &[u8]) -> Option<Observation> {
        let read: Observation = serde_json::from_slice(line).ok()?;
        (read.kind == "test_case").then_some(read)
    }
}
