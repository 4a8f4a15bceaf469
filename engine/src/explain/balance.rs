//! Numbers of a cause that make good one another, as in a sum: where one grows, the other shrinks.
//!
//! So a failure that contains the cause fails again with both numbers moved. A failure that needs
//! one of these numbers as it is has another reason.

use super::claims::Place;
use super::number_line::NumberLine;
use crate::choice::Value;
use crate::trace::Trace;

/// The most pairs of numbers that are looked at.
const PAIRS_MAX: usize = 6;

/// Two numbers of a cause with one sum, as choices.
pub(super) type Balance = (usize, usize);

/// The balanced numbers among the loose places of a cause: it fails if both move, and passes if
/// only one of them moves.
pub(super) fn find(
    base: &Trace,
    loose: &[Place],
    fails: &mut dyn FnMut(&[Value]) -> bool,
) -> Vec<Balance> {
    let loose: Vec<usize> = loose
        .iter()
        .filter_map(|place| match place {
            Place::Choice(at) => Some(*at),
            Place::Span(_) => None,
        })
        .collect();
    let pairs = loose
        .iter()
        .enumerate()
        .flat_map(|(index, one)| loose[index + 1..].iter().map(move |other| (*one, *other)));
    let mut found = Vec::new();
    for (one, other) in pairs.take(PAIRS_MAX) {
        let mut fails = |moves: &[(usize, i128)]| moved(base, moves).map(|values| fails(&values));
        let is_balanced = [1, -1].into_iter().any(|by| {
            fails(&[(one, by), (other, -by)]) == Some(true)
                && [(one, by), (other, -by)].into_iter().any(|alone| fails(&[alone]) != Some(true))
        });
        if is_balanced {
            found.push((one, other));
        }
    }
    found
}

/// Whether `failing` passes with some of the balanced numbers moved, and fails with none.
/// `matched` says which of its choices stands for which of the cause.
pub(super) fn is_upset(
    balances: &[Balance],
    matched: &[(usize, usize)],
    failing: &Trace,
    fails: &mut dyn FnMut(&[Value]) -> bool,
) -> bool {
    let of_failing = |at: usize| matched.iter().find(|(own, _)| *own == at).map(|(_, at)| *at);
    let mut has_passed = false;
    for (one, other) in balances {
        let (Some(one), Some(other)) = (of_failing(*one), of_failing(*other)) else { continue };
        for by in [1, -1] {
            if let Some(values) = moved(failing, &[(one, by), (other, -by)]) {
                if fails(&values) {
                    return false;
                }
                has_passed = true;
            }
        }
    }
    has_passed
}

/// The values of an input with some numbers moved. `None` if one of them cannot move so far.
fn moved(trace: &Trace, moves: &[(usize, i128)]) -> Option<Vec<Value>> {
    let mut values = trace.values();
    for (at, by) in moves {
        let line = NumberLine::of(&trace.choices[*at])?;
        let point = line.point(&values[*at])?.checked_add(*by)?;
        values[*at] = line.value_at(point)?;
    }
    Some(values)
}
