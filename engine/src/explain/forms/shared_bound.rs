//! Whether two causes need the same bound in their last operation.
//!
//! Steps of several kinds may lead to the state that a fault needs: a cursor at the start of a
//! text, after one step or after three. No claim says how such steps add up, so each number of
//! steps would be another cause. But the last operation shows the fault. If two causes end
//! with the same operation, and its values have the same bound, for example a number up to 9, they
//! are likely one fault. A bound that many faults have says nothing, for example a number from 1.
//!
//! Two faults of one operation that have one bound in common become one cause, and no run can tell
//! them apart from one fault with two ways to its state.

use crate::choice::{Choice, Constraint};
use crate::explain::causes::cause::Cause;
use crate::explain::classes::claims::{Place, Says};
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::operations::{last_element, last_operation};

/// A bound of what may stand at a place.
#[derive(PartialEq)]
enum Bound {
    Least(i128),
    Most(i128),
}

/// Whether both causes end with the same operation, and with the same bound of a value in it.
pub(super) fn share_a_bound(one: &Cause, other: &Cause) -> bool {
    let last = |cause: &Cause| last_element(&cause.minimized);
    let (Some(of_one), Some(of_other)) = (last(one), last(other)) else { return false };
    last_operation(&one.minimized).is_some()
        && last_operation(&one.minimized) == last_operation(&other.minimized)
        && of_one.len() == of_other.len()
        && of_one.zip(of_other).any(|(at_one, at_other)| {
            let of_other = bounds(other, at_other);
            bounds(one, at_one).iter().any(|bound| of_other.contains(bound))
        })
}

/// The bounds that are claimed of a choice, without 1 and its neighbours.
fn bounds(cause: &Cause, at: usize) -> Vec<Bound> {
    let claims = cause.claims.claims.iter().filter(|claim| claim.place == Place::Choice(at));
    let within = claims.filter_map(|claim| match &claim.says {
        Says::Within(constraint) => Some(constraint),
        _ => None,
    });
    let bounds = within.flat_map(|constraint| ends(&cause.minimized.choices[at], constraint));
    let says_much = |bound: &Bound| match bound {
        Bound::Least(number) | Bound::Most(number) => !(-1..=1).contains(number),
    };
    bounds.filter(says_much).collect()
}

/// The ends of an interval that are not those of the choice itself. A string has its least length.
fn ends(choice: &Choice, within: &Constraint) -> Vec<Bound> {
    if let Constraint::Text(length, _) | Constraint::Bytes(length) = within {
        return vec![Bound::Least(length.min as i128)];
    }
    let (Some(all), Some(line)) = (NumberLine::of(choice), NumberLine::under(within)) else {
        return Vec::new();
    };
    let least = (line.min() != all.min()).then_some(Bound::Least(line.min()));
    let most = (line.max() != all.max()).then_some(Bound::Most(line.max()));
    least.into_iter().chain(most).collect()
}
