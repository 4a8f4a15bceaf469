//! How an execution ended.

use std::fmt;
use std::panic::Location;

/// What became of one run of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It asked for more choices than it may make.
    Overrun,
    /// The test case was not one the target wants (`assume`, `reject`, an exhausted filter).
    Rejected,
    /// It ran to its end.
    Passed,
    /// It failed.
    Failed(Origin),
}

/// What a shrink must keep: a number that stands for the bug. The engine only compares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u64);

/// Why a run was stopped from inside. It travels as the payload of an unwinding that no panic hook sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// More choices than allowed.
    Overrun,
    /// Not a test case the target wants.
    Rejected,
}

/// How often a filter draws before it rejects the test case.
pub const FILTER_ATTEMPTS: usize = 3;

/// Who said that a test case is not one the target wants. Its text says what to do if that happens too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The target itself, or a generator of the user's.
    Target,
    /// The filter that was made at this place kept nothing.
    Filter(&'static Location<'static>),
    /// A collection of distinct elements found no new one.
    Distinct {
        /// How many there were.
        found: usize,
        /// How many there have to be.
        wanted: usize,
    },
    /// A value of this type, by its name, contained others without an end.
    Depth(&'static str),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Target => f.write_str("rejected by the target: draw only what it wants, or let it take more"),
            Rejection::Filter(place) => write!(
                f,
                "the filter made at {place} kept none of {FILTER_ATTEMPTS} values: draw only values that it keeps (`map` others to them), or let it keep more"
            ),
            Rejection::Distinct { found, wanted } => write!(
                f,
                "{wanted} distinct elements are wanted and no new one came after {found}: allow fewer with `len`, give the elements more values to choose from, or take \
                 some of given values with `subsequence`"
            ),
            Rejection::Depth(name) => write!(
                f,
                "values of `{name}` contain each other without an end: put an `Option` or a `Vec` around one of the fields that recurse, or add a variant that does not \
                 recurse"
            ),
        }
    }
}
