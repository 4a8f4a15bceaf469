//! Parts that must be equal, and may be nearly any value then.
//!
//! If both branches of a condition must be one expression, each expression would seem to be a new
//! cause. So a few runs put other values in the place of two equal parts. As for loose places, the
//! report shows nothing of this: it only decides what a cause explains.

use super::single::is_inside;
use crate::choice::{Choice, Constraint, IntegerRange, Role, Value};
use crate::explain::classes::claims::{Claim, Place};
use crate::explain::classes::draw::Piece;
use crate::explain::classes::study::Study;
use crate::explain::classes::tree::are_equal;
use crate::shrink::place::{alternative, is_datum};
use crate::sorted::sort_by_key;

/// How many values are drawn, and with how many of them the parts are tried.
const DRAWS: usize = 40;
const TRIES: u32 = 12;
/// How many of them must fail at least. A half must, too.
const FAILING_MIN: u32 = 3;
/// The most pairs that are tried.
const PAIRS_MAX: usize = 8;

/// The pairs of equal parts in whose place most other equal values fail, too: as spans, the first
/// one first.
pub(super) fn find(study: &mut Study<'_>, claims: &[Claim]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut tried = 0;
    for (one, other) in pairs(study, claims) {
        let is_part = |part: usize, whole: usize| {
            let (part, whole) = (study.base.spans[part].range(), study.base.spans[whole].range());
            whole.start <= part.start && part.end <= whole.end
        };
        if found.iter().any(|(first, second)| is_part(one, *first) && is_part(other, *second)) {
            continue;
        }
        tried += 1;
        if tried > PAIRS_MAX {
            break;
        }
        if must_be_equal(study, one, other) {
            found.push((one, other));
        }
    }
    found
}

/// The pairs of equal values that are not free, the longest first. Where claims describe all of a
/// value, they also say in what it must be equal.
fn pairs(study: &Study<'_>, claims: &[Claim]) -> Vec<(usize, usize)> {
    let base = study.base;
    let is_bound = |span: &usize| {
        let Some(range) = (!base.spans[*span].discarded).then(|| base.spans[*span].range()) else {
            return false;
        };
        // Single numbers have relations.
        let is_number = range.len() == 1 && is_datum(&base.choices[range.start]);
        base.spans[*span].label.is_of_value()
            && !range.is_empty()
            && !is_number
            && !is_inside(study, claims, &range)
    };
    let spans: Vec<usize> = (0..base.spans.len()).filter(is_bound).collect();
    let mut pairs = Vec::new();
    for (index, other) in spans.iter().enumerate() {
        for one in &spans[..index] {
            let are_apart = base.spans[*one].end <= base.spans[*other].start;
            if are_apart
                && !is_described(study, claims, *other)
                && are_equal((base, *one), (base, *other))
            {
                pairs.push((*one, *other));
            }
        }
    }
    sort_by_key(&mut pairs, |(one, other)| {
        (std::cmp::Reverse(base.spans[*one].len()), *other, *one)
    });
    pairs
}

/// Whether every value in a part is claimed to be more than itself.
fn is_described(study: &Study<'_>, claims: &[Claim], span: usize) -> bool {
    let base = study.base;
    let is_claimed = |at: usize| {
        claims.iter().any(|claim| claim.place == Place::Choice(at) && claim.is_universal())
            || is_inside(study, claims, &(at..at + 1))
    };
    base.spans[span].range().all(|at| {
        let choice = &base.choices[at];
        !(is_datum(choice) || alternative(choice).is_some()) || is_claimed(at)
    })
}

/// Whether values that let the base pass in the place of one part mostly let it fail in the place
/// of both. Values that fail alone may have another reason, so they do not count. Short ones have
/// fewer reasons, so they come first.
fn must_be_equal(study: &mut Study<'_>, one: usize, other: usize) -> bool {
    let Study { base, tree, trials, redraws, .. } = &mut *study;
    let drawn = (0..DRAWS).map_while(|_| redraws.next(trials, (base, tree), one));
    let mut drawn: Vec<Vec<Choice>> = drawn.map(|redrawn| redrawn.choices).collect();
    let base = *base;
    sort_by_key(&mut drawn, Vec::len);
    drawn.dedup();
    let (mut failed, mut of) = (0, 0);
    for choices in drawn {
        if of == TRIES {
            break;
        }
        let pieces = [one, other].map(|span| {
            let first = &base.choices[base.spans[span].start as usize];
            Piece::exchanged(base, span, values_at(&choices, first))
        });
        if study.fails(&pieces[..1]) != Some(false) {
            continue;
        }
        if let Some(is_failure) = study.fails(&pieces) {
            of += 1;
            failed += u32::from(is_failure);
        }
    }
    failed >= FAILING_MIN && 2 * failed >= of
}

/// The values of a part, for a place whose first choice is `first`: the first choice of an element
/// counts from one, because zero ends the collection.
fn values_at(part: &[Choice], first: &Choice) -> Vec<Value> {
    let mut values: Vec<Value> = part.iter().map(|choice| choice.value.clone()).collect();
    let own = part.first().and_then(alternative);
    if let (Some(own), Constraint::Integer(IntegerRange { role, .. })) = (own, &first.constraint) {
        values[0] = Value::Integer(own + i128::from(*role == Role::Element));
    }
    values
}
