//! How an execution ended.

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::panic::{Location, resume_unwind};

/// The result of one run of the target. `F` is what the caller knows of a failure, and `M` what it
/// knows of wrong use. A caller that cannot tell wrong use from a failure has no `M`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome<F = Origin, M = Infallible> {
    /// The run needed more choices than its limit allows.
    Overrun,
    /// The target does not want this test case (`assume`, `reject`, an exhausted filter).
    Rejected,
    /// The run finished without a failure.
    Passed,
    /// The run failed.
    Failed(F),
    /// The target or test uses dwindle wrongly.
    Misused(M),
}

/// The payload of a panic.
pub type Payload = Box<dyn Any + Send>;

impl<F, M> Outcome<F, M> {
    /// Why the test case stopped the run, if it did.
    pub fn halt(&self) -> Option<Halt> {
        match self {
            Outcome::Overrun => Some(Halt::Overrun),
            Outcome::Rejected => Some(Halt::Rejected),
            Outcome::Passed | Outcome::Failed(_) | Outcome::Misused(_) => None,
        }
    }

    /// The same outcome, with a failure that `change` makes from this one.
    pub fn map<G>(self, change: impl FnOnce(F) -> G) -> Outcome<G, M> {
        match self {
            Outcome::Overrun => Outcome::Overrun,
            Outcome::Rejected => Outcome::Rejected,
            Outcome::Passed => Outcome::Passed,
            Outcome::Failed(failure) => Outcome::Failed(change(failure)),
            Outcome::Misused(misuse) => Outcome::Misused(misuse),
        }
    }

    /// The failure, if the run failed.
    pub fn failure(self) -> Option<F> {
        match self {
            Outcome::Failed(failure) => Some(failure),
            Outcome::Overrun | Outcome::Rejected | Outcome::Passed | Outcome::Misused(_) => None,
        }
    }

    /// What the target did, as a verb.
    pub fn in_words(&self) -> &'static str {
        match self {
            Outcome::Overrun => "was stopped at the limit of choices",
            Outcome::Rejected => "rejects it",
            Outcome::Passed => "passes",
            Outcome::Failed(_) => "fails",
            Outcome::Misused(_) => "uses dwindle wrongly",
        }
    }
}

impl Outcome<Payload> {
    /// Whether the run passed. Continues the panic of a run that failed.
    ///
    /// # Errors
    /// Why the test case stopped the run.
    pub fn or_unwind(self) -> Result<(), Halt> {
        match self {
            Outcome::Overrun => Err(Halt::Overrun),
            Outcome::Rejected => Err(Halt::Rejected),
            Outcome::Passed => Ok(()),
            Outcome::Failed(payload) => resume_unwind(payload),
        }
    }
}

impl<F, M> From<Halt> for Outcome<F, M> {
    fn from(halt: Halt) -> Outcome<F, M> {
        match halt {
            Halt::Overrun => Outcome::Overrun,
            Halt::Rejected => Outcome::Rejected,
        }
    }
}

/// A number that stands for the bug. A shrink must keep it. The engine only compares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u64);

/// Why a test case stopped a run. It is the payload of an unwinding that skips the panic hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The run needed more choices than its limit allows.
    Overrun,
    /// The target does not want this test case.
    Rejected,
}

/// How many values a filter draws before it rejects the test case.
pub(crate) const FILTER_ATTEMPTS: usize = 3;

/// What rejected a test case. Its text names a remedy for too many rejections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The target itself, or a generator of the user.
    Target,
    /// A filter, made at this location, kept no value.
    Filter(&'static Location<'static>),
    /// A collection of distinct elements found no new element.
    Distinct {
        /// How many distinct elements it had found.
        found: usize,
        /// How many distinct elements it needs.
        wanted: usize,
    },
    /// A value of the type with this name contained others without an end.
    Depth(&'static str),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Target => {
                f.write_str("rejected by the target: draw only what it wants, or let it take more")
            }
            Rejection::Filter(place) => write!(
                f,
                "the filter made at {place} kept none of {FILTER_ATTEMPTS} values: draw only \
                 values that it keeps (`map` others to them), or let it keep more"
            ),
            Rejection::Distinct { found, wanted } => write!(
                f,
                "{wanted} distinct elements are wanted and no new one came after {found}: allow \
                 fewer with `len`, give the elements more values to choose from, or take some of \
                 given values with `subsequence`"
            ),
            Rejection::Depth(name) => write!(
                f,
                "values of `{name}` contain each other without an end: put an `Option` or a `Vec` \
                 around one of the fields that recurse, or add a variant that does not recurse"
            ),
        }
    }
}
