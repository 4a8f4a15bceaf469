//! The figures at the end.

use serde::{Deserialize, Serialize};

use super::{BugSeen, NewCoverage, Rejected};
use crate::{BugId, Report};

/// The figures of a command that ran targets. `command` names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Totals {
    /// A run of a fuzzer.
    Run(EndOfRun),
    /// A check of all bugs of a target.
    Check(EndOfCheck),
    /// A triage.
    Triage(EndOfTriage),
}

/// A bug in the figures of a run or a triage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BugRow {
    /// The same as `report.json`.
    pub report: Report,
    /// How often the bug was hit, in all runs that the store knows.
    pub hits: u64,
    /// Contents of files that show it. Only in a triage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<u64>,
    /// Variants of the bug in the store. Only in a triage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<u64>,
    /// The folder of the bug. Only in a triage that keeps bugs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
}

/// See [`Totals::Run`]. Figures have the same meaning as in [`Heartbeat`](super::Heartbeat).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndOfRun {
    /// Executions of the target.
    pub executions: u64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// Bugs that the store did not have before.
    pub new_bugs: u64,
    /// Failures that the run has seen, of all bugs.
    pub hits: u64,
    /// How often the fuzzer died and was started again.
    pub restarts: u64,
    /// Seconds that were lost to these deaths.
    pub restart_seconds: f64,
    /// Whether a signal ended the run.
    pub interrupted: bool,
    /// The estimate for another minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_coverage: Option<NewCoverage>,
    /// The inputs that were rejected. `None` if the engine does not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Rejected>,
    /// The bugs that the run has hit.
    pub bugs: Vec<BugRow>,
    /// Groups of these bugs that are likely one fault.
    pub likely_one_fault: Vec<Vec<BugId>>,
}

/// See [`Totals::Check`]. Each number counts bugs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndOfCheck {
    /// The name of the target.
    pub target: String,
    /// See [`BugState::Fixed`](super::BugState::Fixed).
    pub fixed: u64,
    /// See [`BugState::Failing`](super::BugState::Failing).
    pub failing: u64,
    /// See [`BugState::Flaky`](super::BugState::Flaky).
    pub flaky: u64,
    /// See [`BugState::Changed`](super::BugState::Changed).
    pub changed: u64,
    /// See [`BugState::Stale`](super::BugState::Stale).
    pub stale: u64,
    /// See [`BugState::Unseen`](super::BugState::Unseen).
    pub unseen: u64,
}

/// See [`Totals::Triage`]. The numbers without another word count contents of files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndOfTriage {
    /// The name of the target.
    pub target: String,
    /// Files that were given.
    pub files: u64,
    /// Different contents among them.
    pub contents: u64,
    /// Those that the store knew already, and that were not run.
    pub known: u64,
    /// Those that were run.
    pub run: u64,
    /// Those that failed in each run.
    pub failed: u64,
    /// Those that failed in some of their runs.
    pub flaky: u64,
    /// Those that did not fail.
    pub quiet: u64,
    /// Files that could not be read.
    pub unread: u64,
    /// Call paths that became the same as another one when they were minimized.
    pub joined: u64,
    /// Seconds since the triage began.
    pub seconds: f64,
    /// Whether a signal ended the triage.
    pub interrupted: bool,
    /// Whether the triage keeps nothing.
    pub dry_run: bool,
    /// The bugs that the files show.
    pub bugs: Vec<BugRow>,
    /// Bugs that were hit during minimizations, and that no file shows.
    pub met: Vec<BugSeen>,
    /// Groups of bugs that are likely one fault.
    pub likely_one_fault: Vec<Vec<BugId>>,
}
