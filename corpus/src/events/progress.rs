//! What is sent while work goes on.

use serde::{Deserialize, Serialize};

use crate::BugId;

/// The figures of a run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heartbeat {
    /// Executions of the target.
    pub executions: u64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// Bugs that the run has hit.
    pub bugs: u64,
    /// Those of them that the store did not have before.
    pub new_bugs: u64,
    /// Failures that the run has seen, of all bugs.
    pub hits: u64,
    /// How often the fuzzer died and was started again.
    pub restarts: u64,
    /// Seconds that were lost to these deaths.
    pub restart_seconds: f64,
    /// The bug that is being minimized.
    pub minimizing: Option<BugId>,
    /// Edges that libFuzzer has covered. `cargo dwindle` adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<u64>,
    /// Inputs in libFuzzer's corpus. `cargo dwindle` adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corpus: Option<u64>,
}

/// Work with a known end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done, for example `running`.
    pub phase: String,
    /// Items done.
    pub done: u64,
    /// All items of this phase.
    pub total: u64,
    /// Seconds since the command began.
    pub seconds: f64,
    /// Bugs found so far.
    #[serde(default)]
    pub bugs: u64,
}

/// How fast one input runs, as the minimizer runs candidates. Each figure is a median.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Runs in a second.
    pub candidates: f64,
    /// Processor time of a run.
    pub processor_microseconds: f64,
    /// Empty requests to a worker in a second.
    pub round_trips: f64,
}
