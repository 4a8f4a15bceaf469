//! Signs that a new cause is one fault with a known one.
//!
//! A comparison of two inputs often ends without a verdict, because few contexts let both pass.
//! Then weak signs decide together. Each has a weight, and the sum has a limit. Both were fitted to
//! programs with one fault and with ten. `bench/README.md`, section x, says what they bring.
//!
//! How many causes a bug has is no sign, although it tells much: in a long run each new fault would
//! be hidden.

use crate::choice::Choice;
use crate::explain::causes::cause::Cause;
use crate::explain::classes::operations::{last_element, last_operation};
use crate::shrink::place::is_datum;
use crate::trace::Trace;

/// What it counts that a known cause agrees in part.
const PARTIAL: usize = 3;
/// What it counts that a known cause has the same last operation with the same data.
const LAST: usize = 4;
/// The sum that is enough. A known cause near by counts one.
const ENOUGH: usize = 8;

/// What speaks for one fault.
#[derive(Clone)]
pub(super) struct Signs {
    /// Known causes with this kind of last operation.
    alike: Vec<usize>,
    /// The known causes that explain an input one shrinking step away.
    near: Vec<usize>,
    /// A known cause with the same last operation and its data.
    last: Option<usize>,
    /// A known cause that no context tells apart, though some let both pass.
    partial: Option<usize>,
}

impl Signs {
    /// The signs that need no comparison. `neighbours`: for each known cause, what it explains one
    /// shrinking step away.
    pub(super) fn of(minimized: &Trace, known: &[Cause], neighbours: &[Vec<Trace>]) -> Signs {
        let last = last_operation(minimized);
        let is_alike = |at: &usize| last_operation(&known[*at].minimized) == last;
        let own = last_choices(minimized);
        let is_last = |at: &usize| own.is_some() && last_choices(&known[*at].minimized) == own;
        Signs {
            alike: (0..known.len()).filter(is_alike).collect(),
            near: (0..known.len()).filter(|at| !neighbours[*at].is_empty()).collect(),
            last: (0..known.len()).find(is_last),
            partial: None,
        }
    }

    /// No context tells this known cause apart, though some let both pass.
    pub(super) fn agree_in_part(&mut self, index: usize) {
        self.partial.get_or_insert(index);
    }

    /// The likeliest known cause, if the signs are enough. One of the known causes must have the
    /// same kind of last operation.
    pub(super) fn likeliest(&self) -> Option<usize> {
        let sum = usize::from(self.partial.is_some()) * PARTIAL
            + usize::from(self.last.is_some()) * LAST
            + self.near.len();
        if sum < ENOUGH {
            return None;
        }
        let near = self.near.iter().find(|at| self.alike.contains(at)).copied();
        let first = self.alike.first().copied()?;
        Some(self.partial.or(self.last).or(near).unwrap_or(first))
    }
}

/// The choices of the last operation, if some of them are data.
fn last_choices(trace: &Trace) -> Option<&[Choice]> {
    let choices = &trace.choices[last_element(trace)?];
    choices.iter().any(is_datum).then_some(choices)
}

#[cfg(test)]
mod tests {
    use super::{ENOUGH, Signs};

    fn signs(near: usize) -> Signs {
        Signs { alike: vec![0], near: (1..=near).collect(), last: None, partial: None }
    }

    #[test]
    fn a_sign_or_two_are_not_enough() {
        let last = Signs { last: Some(2), ..signs(3) };
        let partial = Signs { partial: Some(2), ..signs(4) };
        for signs in [signs(ENOUGH - 1), last, partial] {
            assert_eq!(signs.likeliest(), None);
        }
    }

    #[test]
    fn several_signs_are_enough() {
        let all = Signs { last: Some(3), partial: Some(5), ..signs(1) };
        assert_eq!(all.likeliest(), Some(5));
        let near = Signs { last: Some(3), ..signs(4) };
        assert_eq!(near.likeliest(), Some(3));
        assert_eq!(signs(ENOUGH).likeliest(), Some(0));
        let with_alike = Signs { alike: vec![0, 4], ..signs(ENOUGH) };
        assert_eq!(with_alike.likeliest(), Some(4));
    }

    #[test]
    fn another_kind_of_last_operation_is_another_fault() {
        let other = Signs { alike: Vec::new(), partial: Some(1), ..signs(ENOUGH) };
        assert_eq!(other.likeliest(), None);
    }
}
