//! What runs targets and searches their choices.
//!
//! For the crate `dwindle`, for tests and for measurements. It may change in any version.

pub use crate::execute::execute;
pub use crate::explore::{Explorer, case_seed};
pub use crate::outcome::{Halt, Origin, Outcome, Payload, Rejection};
pub use crate::test_case::{
    Alternatives, CHOICES_MAX, DEPTH_HARD, DEPTH_MAX, Driver, Follower, Score, Scorer,
    TranscriptEvent,
};
pub use crate::trace::{Label, Span, Trace};

/// One typed draw: a value and the constraint that it was drawn under.
pub mod choice {
    pub use crate::alphabet::{Alphabet, char_rank};
    pub use crate::choice::{
        Choice, Coin, Constraint, FloatRange, IntegerRange, Length, PATH_MAX, Role, Value,
    };
    pub use crate::shares::Shares;
}

/// Mutates inputs at their choices.
#[cfg(feature = "fuzzing")]
pub mod mutation {
    pub use crate::mutation::{Arm, Constants, Lent, Mutator, Operator, Parent, Word, bytewise};
}

/// Which of two choice sequences is simpler.
pub mod order {
    pub use crate::order::{compare, compare_choices, compare_inputs};
}

/// Sorts with one copy of the code for all keys.
pub mod sorted {
    pub use crate::sorted::{sort_by, sort_by_cached_key, sort_by_key};
}

/// Which bytes stand for which choices.
pub mod codec {
    pub use crate::codec::{BYTE_FORMAT, encode, encode_choice};
}

/// The search for the simplest test case that fails in the same way.
pub mod shrink {
    pub use crate::shrink::{
        AROUND, Around, Budget, CAPPED, Candidate, Finish, Runner, Shrunk, THOROUGH, passes,
        search_around, shrink, shrink_without,
    };
}

/// Claims about a minimized failure.
pub mod explain {
    pub use crate::explain::{
        Alternative, Budget, Cause, Claim, Claims, Ending, Fresh, Kinds, KnownCauses, Next,
        Outside, Passing, Pattern, Place, RUNS, Relation, Says, Sides, Step, Term, Tries, explain,
        further_form, nearest_passing, next, places,
    };
}

/// Tests how a generator shrinks.
pub mod shrinking {
    pub use crate::shrinking::check_shrinking;
}

/// Wrong use of dwindle by a target or a test.
pub mod misuse {
    pub use crate::misuse::{MARK, of};
}
