//! Numbers of a cause that make good one another, as in a sum: where one grows, the other shrinks.
//!
//! So a failure that contains the cause fails again with both numbers moved. A failure that needs
//! one of these numbers as it is has another reason.

use std::cmp::Ordering;

use crate::choice::Value;
use crate::explain::classes::claims::Place;
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::tree::Tree;
use crate::trace::Trace;

/// The most pairs of numbers that are looked at.
const PAIRS_MAX: usize = 6;

/// Two numbers of a cause with one sum, as choices.
pub(crate) type Balance = (usize, usize);

/// The balanced numbers among the loose places of a cause: it fails if both move, and passes if
/// only one of them moves.
pub(crate) fn find(
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

/// Whether `failing` still fails with some of the balanced numbers moved. `matched` says which of
/// its choices stands for which of the cause. `None` if no numbers can move.
pub(crate) fn stays(
    balances: &[Balance],
    matched: &[(usize, usize)],
    failing: &Trace,
    fails: &mut dyn FnMut(&[Value]) -> bool,
) -> Option<bool> {
    let of_failing = |at: usize| matched.iter().find(|(own, _)| *own == at).map(|(_, at)| *at);
    let mut stays = None;
    for (one, other) in balances {
        let (Some(one), Some(other)) = (of_failing(*one), of_failing(*other)) else { continue };
        for by in [1, -1] {
            if let Some(values) = moved(failing, &[(one, by), (other, -by)]) {
                if fails(&values) {
                    return Some(true);
                }
                stays = Some(false);
            }
        }
    }
    stays
}

/// The numbers in which two inputs of one form differ, if some are greater in one input, and some
/// in the other. Empty if something else differs.
pub(crate) fn exchanged(one: &Trace, other: &Trace) -> Vec<Place> {
    if !Tree::is_alike(one, other) {
        return Vec::new();
    }
    let is_other = |at: &usize| one.choices[*at].value != other.choices[*at].value;
    let order = |at: usize| {
        let line = NumberLine::of(&one.choices[at])?;
        let point = |trace: &Trace| line.point(&trace.choices[at].value);
        Some((Place::Choice(at), point(one)?.cmp(&point(other)?)))
    };
    let found: Option<Vec<_>> = (0..one.len()).filter(is_other).map(order).collect();
    let found = found.unwrap_or_default();
    let has = |wanted: Ordering| found.iter().any(|(_, order)| *order == wanted);
    let are_exchanged = has(Ordering::Less) && has(Ordering::Greater);
    found.iter().filter(|_| are_exchanged).map(|(place, _)| *place).collect()
}

/// The values of an input with some numbers moved. `None` if one of them cannot move so far.
fn moved(trace: &Trace, moves: &[(usize, i128)]) -> Option<Vec<Value>> {
    let mut values = trace.values();
    for (at, by) in moves {
        values[*at] = NumberLine::of(&trace.choices[*at])?.moved(&values[*at], *by)?;
    }
    Some(values)
}
