//! Whether two causes say the same.

use super::cause::Cause;
use super::claims::{Claims, Place};
use super::contains::contains;
use super::known::KnownCauses;
use super::number_line::NumberLine;
use super::tree::Tree;
use super::wanted::Wanted;
use crate::choice::Value;
use crate::outcome::{Origin, Outcome};
use crate::shrink::{Candidate, Runner};
use crate::trace::Trace;

/// Whether two causes say the same: one explains the minimized input of the other, and neither has
/// [two reasons](Claims::is_mixed).
///
/// - Parts that must be [equal](Claims::equal) are compared as they are: equal parts of another
///   cause need not be its reason.
/// - Where only [loose](Claims::loose) values differ, the numbers in the middle between both must
///   fail, too. Between two pairs with one sum there is a third pair with it. Between two faults
///   inputs pass.
pub fn joined(one: &Cause, other: &Cause, origin: Origin, runner: &mut dyn Runner) -> bool {
    if one.claims.is_mixed || other.claims.is_mixed {
        return false;
    }
    let pairs = [(one, other), (other, one)];
    let is_there = |(one, other): &(&Cause, &Cause)| {
        let claims = Claims { loose: Vec::new(), equal: Vec::new(), ..one.claims.clone() };
        contains(&Wanted::of(&one.minimized, &claims), &other.minimized)
    };
    let mut is_there_loosely = |(one, other): &(&Cause, &Cause)| {
        let claims = Claims { equal: Vec::new(), ..one.claims.clone() };
        let one = [Cause { minimized: one.minimized.clone(), claims }];
        KnownCauses::new(&one, origin).explaining(&other.minimized, runner).is_some()
    };
    pairs.iter().any(is_there)
        || pairs.iter().any(&mut is_there_loosely) && fails_between(one, other, origin, runner)
}

/// Whether an input with the numbers in the middle fails. Inputs of two forms have no middle, and
/// count as if it did.
fn fails_between(one: &Cause, other: &Cause, origin: Origin, runner: &mut dyn Runner) -> bool {
    let (a, b) = (&one.minimized, &other.minimized);
    if !Tree::is_alike(a, b) {
        return true;
    }
    let is_loose = |at: &usize| {
        [one, other].iter().any(|cause| cause.claims.loose.contains(&Place::Choice(*at)))
    };
    let differing: Vec<usize> =
        (0..a.len()).filter(|at| a.choices[*at].value != b.choices[*at].value).collect();
    [0, 1].into_iter().any(|up| {
        let middle = |at: usize| -> Option<Value> {
            let line = NumberLine::of(&a.choices[at])?;
            let (low, high) =
                (line.point(&a.choices[at].value)?, line.point(&b.choices[at].value)?);
            let (low, high) = (low.min(high), low.max(high));
            let width = high - low;
            Some(line.value(low + width / 2 + up * (width % 2)))
        };
        let mut values = a.values();
        for at in differing.iter().copied().filter(is_loose) {
            match middle(at) {
                Some(value) => values[at] = value,
                None => return true,
            }
        }
        let mut drawn = Trace::default();
        runner.run(Candidate::replaying(&values), a.len(), &mut drawn) == Outcome::Failed(origin)
    })
}
