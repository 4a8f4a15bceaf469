//! Signs that a new cause is one fault with a known one.
//!
//! A comparison of two inputs often ends without a verdict, because few contexts let both pass.
//! Then weak signs decide together. Each has a weight, and the sum has a limit. Both were fitted to
//! programs with one fault and with ten. On others that were written afterwards, the signs join
//! half of the causes that are one fault with a known one, and hide one fault of eleven.

use super::cause::Cause;
use super::operations::{last_element, last_operation};
use crate::choice::Choice;
use crate::shrink::place::is_datum;
use crate::trace::Trace;

/// What it counts that a known cause agrees in part.
const PARTIAL: usize = 3;
/// What it counts that a known cause has the same last operation with the same data.
const LAST: usize = 4;
/// The most that known causes near by count, one each.
const NEAR_MAX: usize = 8;
/// This number of causes and further forms counts one: the more a bug has, the less likely is a
/// further fault.
const KNOWN: usize = 8;
/// The sum that is enough.
const ENOUGH: usize = 9;

/// What speaks for one fault.
pub(super) struct Signs {
    /// Known causes with this kind of last operation.
    alike: Vec<usize>,
    /// The known causes that explain an input one shrinking step away.
    near: Vec<usize>,
    /// A known cause with the same last operation and its data.
    last: Option<usize>,
    /// A known cause that no context tells apart, though some let both pass.
    partial: Option<usize>,
    /// How many causes and further forms are known.
    known: usize,
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
            known: known.len(),
        }
    }

    /// No context tells this known cause apart, though some let both pass.
    pub(super) fn agree_in_part(&mut self, index: usize) {
        self.partial.get_or_insert(index);
    }

    /// The likeliest known cause, if the signs are enough. One of the known causes must have the
    /// same kind of last operation.
    pub(super) fn likeliest(&self) -> Option<usize> {
        let count = usize::from(self.partial.is_some()) * PARTIAL
            + usize::from(self.last.is_some()) * LAST
            + self.near.len().min(NEAR_MAX);
        // In eighths, so that nothing is rounded.
        if count * KNOWN + self.known < ENOUGH * KNOWN {
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
    use super::{ENOUGH, KNOWN, NEAR_MAX, Signs};

    fn signs(near: usize, known: usize) -> Signs {
        Signs { alike: vec![0], near: (1..=near).collect(), last: None, partial: None, known }
    }

    #[test]
    fn one_sign_is_not_enough() {
        let few = ENOUGH - 1;
        let last = Signs { last: Some(2), ..signs(0, few) };
        let partial = Signs { partial: Some(2), ..signs(0, few) };
        for signs in [signs(few, 7), signs(0, ENOUGH * KNOWN - 1), last, partial] {
            assert_eq!(signs.likeliest(), None);
        }
    }

    #[test]
    fn several_signs_are_enough() {
        let all = Signs { last: Some(3), partial: Some(5), ..signs(2, 3) };
        assert_eq!(all.likeliest(), Some(5));
        let near = Signs { last: Some(3), ..signs(4, 8) };
        assert_eq!(near.likeliest(), Some(3));
        assert_eq!(signs(NEAR_MAX, 9).likeliest(), Some(0));
        let with_alike = Signs { alike: vec![0, 4], ..signs(NEAR_MAX, 9) };
        assert_eq!(with_alike.likeliest(), Some(4));
    }

    #[test]
    fn another_kind_of_last_operation_is_another_fault() {
        let other = Signs { alike: Vec::new(), partial: Some(1), ..signs(NEAR_MAX, 60) };
        assert_eq!(other.likeliest(), None);
    }
}
