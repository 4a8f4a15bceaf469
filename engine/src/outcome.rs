//! How an execution ended.

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
