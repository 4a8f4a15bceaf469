//! What is claimed of a minimized failure.

use crate::choice::{Constraint, Value};

/// Claims about a minimized failure. Every place without a claim keeps its value.
#[derive(Clone, Debug)]
pub struct Claims {
    /// The claims. All universal ones hold at the same time.
    pub claims: Vec<Claim>,
    /// Numbers, strings and parts of recursive values at which many other values fail, but not all.
    /// A claim cannot say which. A [cause](crate::explain::Cause::explains) takes any number and
    /// any part there, and a string with the pattern of the minimized one, or with other characters
    /// of the same kinds. Without a pattern it takes any string.
    pub loose: Vec<Place>,
    /// What strings look like, beside what claims say.
    pub patterns: Vec<Pattern>,
    /// Collections in which further elements let the failure go, as spans. A cause explains no
    /// input with further elements there, unless a claim allows them before or behind the others.
    pub closed: Vec<usize>,
    /// Parts of recursive values that also fail inside most larger values, as spans. A cause may
    /// have them at any depth below their place.
    pub inside: Vec<usize>,
    /// Numbers of rounds of loops: a failing input may have any number there. As choices.
    pub counts: Vec<usize>,
    /// Pairs of parts that may be nearly any values, but must be equal, as spans.
    pub equal: Vec<(usize, usize)>,
    /// Alternatives of the last operation that a claim has, and that are likely another fault.
    pub apart: Vec<i128>,
    /// Whether two parts may each be any value, but not both at once. Then the input likely fails
    /// for two reasons, and no other cause is a further form of it.
    pub is_mixed: bool,
    /// The tries in which all claimed places were varied together.
    pub together: Tries,
    /// An input one small step away that passes.
    pub passing: Option<Passing>,
    /// How many runs the claims took.
    pub runs: u64,
    /// Why the search for claims ended.
    pub ending: Ending,
}

/// What a string looks like: items are the characters of a text, or bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The index of the choice.
    pub choice: usize,
    /// For each item of the minimized string: the others that it may be.
    pub items: Vec<Kinds>,
    /// For each item, and at last for the end: the items that may stand before it.
    pub gaps: Vec<Kinds>,
    /// Items that must be equal to one another, and may be any.
    pub equal: Vec<usize>,
}

/// Kinds of items: the least and the greatest number of each.
pub type Kinds = Vec<(u32, u32)>;

/// One claim: what the values at a place may be while the test case still fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The place in the minimized trace.
    pub place: Place,
    /// What may stand there.
    pub says: Says,
    /// The tries in which this place was varied.
    pub tries: Tries,
}

/// A place in the minimized trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The span at this index of [`Trace::spans`](crate::internals::Trace::spans).
    Span(usize),
    /// The choice at this index of [`Trace::choices`](crate::internals::Trace::choices).
    Choice(usize),
}

/// What a claim says of its place.
#[derive(Clone, Debug, PartialEq)]
pub enum Says {
    /// Any value that the generator can make.
    Any,
    /// Any value with at least this number of levels. The value itself is one, and each value of
    /// its label inside another one is one more.
    Deep(usize),
    /// Any value that this constraint allows. It is narrower than that of the choice: an interval
    /// of numbers, or strings of a length.
    Within(Constraint),
    /// Any string that contains the string of the minimized trace, ends or begins with it.
    Containing(Sides),
    /// The collection may have further elements.
    Further(Sides),
    /// The value has a relation to another one.
    Related(Relation, Term),
    /// What happened with other alternatives. Those that failed in all tries belong to the class;
    /// for the others, it is only known whether a failure was seen.
    Alternatives(Vec<Alternative>),
}

/// Where something may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sides {
    /// Before, behind, and between the elements of a collection.
    Anywhere,
    /// Only behind.
    Behind,
    /// Only before.
    Before,
}

/// What a value is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// The value of the choice at this index.
    Value(usize),
    /// The number of elements of the collection at this index of the spans.
    Length(usize),
}

impl Term {
    /// The place of the value or of the collection.
    pub fn place(self) -> Place {
        match self {
            Term::Value(at) => Place::Choice(at),
            Term::Length(span) => Place::Span(span),
        }
    }
}

/// How a value compares with another one. A string compares with a number by its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It differs.
    Different,
    /// It is at most as great.
    AtMost,
    /// It is at least as great.
    AtLeast,
    /// It is less.
    Less,
    /// It is greater.
    Greater,
    /// It is one more.
    OneMore,
    /// It is one less.
    OneLess,
    /// It is a string that contains the other one, with something added at these sides.
    Contains(Sides),
    /// It is part of another string, in which something is added at these sides.
    PartOf(Sides),
    /// It is equal.
    Equal,
}

/// One alternative in place of the one in the minimized trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The value of the choice that selects it.
    pub value: i128,
    /// How often it failed with the same origin.
    pub tries: Tries,
}

impl Alternative {
    /// Whether every try failed, and there was one.
    pub fn always_fails(&self) -> bool {
        self.tries.of > 0 && self.tries.failed == self.tries.of
    }
}

/// Tries that the target accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// How many of them failed with the same origin.
    pub failed: u64,
    /// How many there were.
    pub of: u64,
}

/// An input that passes, one small step away from the minimized one.
#[derive(Clone, Debug, PartialEq)]
pub struct Passing {
    /// What the step changes.
    pub place: Place,
    /// The kind of the step.
    pub step: Step,
    /// The choices of the input.
    pub values: Vec<Value>,
}

/// A step from a failing input to one that passes.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The choice has another value.
    Changed(Value),
    /// The element is absent.
    Deleted,
    /// The empty collection has elements.
    Begun,
}

/// Why the search for claims ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every place was tried.
    Done,
    /// The budget was used up. Places that were not tried have no claim.
    Budget,
    /// The minimized input does not fail in every run, so there are no claims.
    Flaky,
}

impl Claim {
    /// A claim before its tries.
    pub(crate) fn untried(place: Place, says: Says) -> Claim {
        Claim { place, says, tries: Tries::default() }
    }

    /// Whether the claim frees its place at all. A claim about alternatives may only report some
    /// that were seen.
    pub fn is_universal(&self) -> bool {
        match &self.says {
            Says::Alternatives(all) => all.iter().any(Alternative::always_fails),
            _ => true,
        }
    }
}
