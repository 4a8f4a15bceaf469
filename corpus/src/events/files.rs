//! What is said of single files, bugs and folders.

use serde::{Deserialize, Serialize};

use super::BugSeen;
use crate::{BugId, BugKind, Rate};

/// A file of a triage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriagedFile {
    /// The path of the file.
    pub file: String,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: FileOutcome,
}

/// What became of a file of a triage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FileOutcome {
    /// It fails.
    Failed {
        /// The bug.
        bug_id: BugId,
        /// The call path.
        variant: Option<String>,
        /// Whether the store had the bug before.
        known: bool,
        /// In how many runs it fails, if not in all.
        rate: Option<Rate>,
    },
    /// It does not fail.
    Quiet {
        /// How it ends.
        reason: String,
    },
    /// It could not be read.
    Unread {
        /// Why not.
        reason: String,
    },
    /// It has the same content as another file.
    Same {
        /// The other file.
        same_as: String,
    },
}

/// How the run of one file ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileRun {
    /// The path of the file.
    pub file: String,
    /// Whether the target failed.
    pub failed: bool,
    /// Whether the target rejected the input.
    #[serde(default)]
    pub rejected: bool,
    /// How many choices the target made. `None` if it takes its input raw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<u64>,
}

/// The state of a bug after a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BugState {
    /// Its inputs do not fail any more.
    Fixed,
    /// It fails as before.
    Failing,
    /// It fails in some of the runs.
    Flaky,
    /// An input of it fails as another bug.
    Changed,
    /// No input fails, and none tests what it was kept for.
    Stale,
    /// The check could not see whether it fails.
    Unseen,
}

/// A bug that a check has run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedBug {
    /// The name of the target.
    pub target: String,
    /// The bug.
    pub bug_id: BugId,
    /// Its state.
    pub verdict: BugState,
    /// How it failed when it was found.
    pub kind: BugKind,
    /// The place of the failure.
    pub location: Option<String>,
    /// The text of the failure.
    pub message: String,
    /// The folder of the bug.
    pub directory: String,
    /// The input that was run last.
    pub file: String,
    /// How often this input was run.
    pub runs: u64,
    /// How many of these runs failed as the bug.
    pub failures: u64,
    /// The failure that came instead. Only with [`BugState::Changed`].
    pub now: Option<BugSeen>,
    /// Why the state is not clear. Only with [`BugState::Stale`] and [`BugState::Unseen`].
    pub reason: Option<String>,
}

/// A merge of two stores, for one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergedStore {
    /// The name of the target.
    pub target: String,
    /// The store that was read.
    pub from: String,
    /// Bugs that were new in the other store.
    pub bugs_new: u64,
    /// Bugs that both stores had.
    pub bugs_known: u64,
}

/// Inputs that were copied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopiedInputs {
    /// The folder that they were copied to.
    pub folder: String,
    /// Inputs that were new there.
    pub new: u64,
    /// Inputs that the folder had already.
    pub known: u64,
    /// Files without content, which are left out.
    pub empty: u64,
    /// Files that could not be read.
    pub unread: u64,
}

/// See [`Event::Page`](super::Event::Page).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageFigures {
    /// The path of the page.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// The targets on it.
    pub targets: u64,
    /// The bugs on it.
    pub bugs: u64,
    /// Their variants on it.
    pub variants: u64,
    /// Files of the store that cannot be read. They are on the page by name.
    pub damaged: u64,
}

/// A corpus that was minimized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallerCorpus {
    /// The folder of the corpus.
    pub folder: String,
    /// Inputs before.
    pub inputs_before: u64,
    /// Inputs now.
    pub inputs: u64,
    /// Bytes of all inputs before.
    pub bytes_before: u64,
    /// Bytes of all inputs now.
    pub bytes: u64,
    /// What the inputs cover, as libFuzzer counts it: edges, each with how often it ran, in
    /// classes. The same before and now.
    pub features: u64,
    /// Inputs that failed. They are not in the corpus any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedInput>,
}

/// See [`SmallerCorpus::failed`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedInput {
    /// The file in the old corpus.
    pub file: String,
    /// The copy of it that stays.
    pub kept: String,
    /// How the process ended.
    pub reason: String,
}

/// The figures of a corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpusFigures {
    /// The folder.
    pub folder: String,
    /// Its inputs.
    pub inputs: u64,
    /// Different contents among them.
    pub distinct: u64,
    /// The size of all inputs together.
    pub bytes: u64,
    /// The median size.
    pub median_bytes: u64,
    /// The largest size.
    pub largest_bytes: u64,
}
