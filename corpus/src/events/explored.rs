//! What `cargo dwindle explore` and a target binary say to each other.

use serde::{Deserialize, Serialize};

use crate::BugId;

/// A request to a target binary in the mode `explore`: one JSON object on a line of its standard
/// input. It answers requests in their order. Each answer ends with [`Event::Answered`].
///
/// [`Event::Answered`]: super::Event::Answered
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Each answer has the number of its request.
    pub number: u64,
    /// The bug.
    pub bug_id: BugId,
    /// The key of a variant by cause. `None` for the bug's own input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What is wanted.
    #[serde(flatten)]
    pub wanted: Wanted,
}

/// See [`Request::wanted`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Wanted {
    /// The parts of the minimized input, and what is claimed of them.
    Parts,
    /// Inputs of the claimed class.
    Examples {
        /// The number of inputs.
        count: u32,
        /// The seed of the draws. Another seed gives other inputs.
        seed: u64,
        /// Parts that keep their minimized values.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fixed: Vec<PartPlace>,
        /// Parts that take any value.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        freed: Vec<PartPlace>,
    },
    /// The nearest input that passes.
    Passing,
    /// One search for another cause of the bug.
    Next {
        /// The seed of the search.
        seed: u64,
    },
}

/// A part of the minimized input, as numbers of one run of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartPlace {
    /// The number of a span.
    Span(usize),
    /// The number of a choice.
    Choice(usize),
}

/// See [`Event::Parts`](super::Event::Parts).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploredParts {
    /// The number of the request.
    pub number: u64,
    /// The drawn values of the minimized input, safe for a terminal. Long values are cut.
    pub values: Vec<String>,
    /// The parts whose text is known.
    pub parts: Vec<ExploredPart>,
    /// The number of parts for which there was no time.
    pub missing: u64,
}

/// A part of the minimized input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploredPart {
    /// What a request calls the part.
    pub place: PartPlace,
    /// The index of the value that shows the part.
    pub value: usize,
    /// Where the text of the part begins in that value, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The letter by which claims about other parts name this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letter: Option<String>,
    /// Whether inputs of the class have other values here.
    pub varies: bool,
    /// What is claimed of the part, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
}

/// See [`Event::Example`](super::Event::Example).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploredInput {
    /// The number of the request.
    pub number: u64,
    /// The drawn values of the input, safe for a terminal. Long values are cut.
    pub values: Vec<String>,
    /// How the target ended on it.
    pub ending: InputEnding,
    /// Whether the input belongs to the claimed class.
    pub is_claimed: bool,
}

/// How the target ended on an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputEnding {
    /// It failed as the bug.
    Fails,
    /// It failed as another bug.
    FailsOtherwise,
    /// It passed.
    Passes,
    /// It was rejected, or took too many choices.
    Rejected,
}

/// See [`Event::Answered`](super::Event::Answered).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The number of the request.
    pub number: u64,
    /// Whether the request could be fulfilled. If not, `text` says why.
    pub is_done: bool,
    /// The key of the cause that a search found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}
