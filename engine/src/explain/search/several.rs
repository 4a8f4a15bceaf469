//! Claims that relate three and more values at once.

use super::single::is_inside;
use crate::choice::{Constraint, Value};
use crate::explain::classes::claims::{Claim, Place, Relation, Says, Sides, Term};
use crate::explain::classes::evidence::{Evidence, TRIES};
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::study::Study;
use crate::shrink::place::is_datum;
use crate::sorted::sort_by_key;

/// At most this number of values is related at once.
const CHAIN_MAX: usize = 8;

/// Relates three and more equal values that are still not free: all of them must be equal, or hold
/// the shortest string. Two booleans are enough, because no pair of them is related elsewhere, and
/// some may differ from the others. Returns the related values.
pub(super) fn all_related(study: &mut Study<'_>, claims: &mut Vec<Claim>) -> Vec<usize> {
    let bound = bound(study, claims);
    let mut found = Vec::new();
    for (index, first) in bound.iter().copied().enumerate() {
        let value = |at: usize| &study.base.choices[at].value;
        let is_boolean = |at: usize| matches!(value(at), Value::Boolean(_));
        let is_like = |at: &usize| {
            is_boolean(first) && is_boolean(*at)
                || is_comparable(study, *at, first) && value(*at) == value(first)
        };
        let alike: Vec<usize> = bound[index..].iter().copied().filter(is_like).collect();
        let least = if is_boolean(first) { 2 } else { 3 };
        if found.contains(&first) || !(least..=CHAIN_MAX).contains(&alike.len()) {
            continue;
        }
        let longest = |at: &&usize| length_max(&study.base.choices[**at].constraint);
        let root = *alike.iter().min_by_key(longest).unwrap_or(&first);
        let others = alike.iter().filter(|at| **at != root);
        let pattern = |holds: bool| {
            let related = others.clone().map(|at| {
                let relation = match sides_of(claims, *at).filter(|_| holds) {
                    Some(sides) => Relation::Contains(sides),
                    None if value(*at) == value(root) => Relation::Equal,
                    None => Relation::Different,
                };
                let says = Says::Related(relation, Term::Value(root));
                Claim::untried(Place::Choice(*at), says)
            });
            let free = Claim::untried(Place::Choice(root), Says::Any);
            std::iter::once(free).chain(related).collect::<Vec<Claim>>()
        };
        let mut ways = vec![pattern(true), pattern(false)];
        ways.dedup();
        let mut ways = ways.into_iter();
        if let Some(pattern) =
            ways.find(|pattern| matches!(study.vary(pattern, TRIES), Evidence::Holds(_)))
        {
            let are_numbers = !is_boolean(first);
            put(study, claims, pattern);
            found.extend(alike);
            if are_numbers {
                break;
            }
        }
    }
    found
}

/// Relates three and more values that are still not free, each to the next lower one. Their order
/// may matter where no pair of them can be freed alone. A chain says more than is needed, so it
/// comes behind the pairs. Returns these values if their distances are fixed.
pub(super) fn chain(study: &mut Study<'_>, claims: &mut Vec<Claim>, same: &[usize]) -> Vec<usize> {
    let mut chain = bound(study, claims);
    chain.retain(|at| !same.contains(at));
    let Some(first) = chain.first().copied() else { return chain };
    chain.retain(|at| is_comparable(study, *at, first));
    if !(3..=CHAIN_MAX).contains(&chain.len()) {
        return Vec::new();
    }
    let base = study.base;
    let value = |at: usize| &base.choices[at].value;
    let point = |at: usize| NumberLine::of(&base.choices[at])?.point(value(at));
    sort_by_key(&mut chain, |at| (point(*at), *at));
    let is_tie = |pair: &[usize]| value(pair[0]) == value(pair[1]);
    // Different values that are no numbers have no order.
    if chain.windows(2).any(|pair| !is_tie(pair) && point(pair[0]) == point(pair[1])) {
        return Vec::new();
    }
    let is_next = |pair: &[usize]| {
        let points = point(pair[0]).zip(point(pair[1]));
        points.is_some_and(|(one, other)| other <= one.saturating_add(1))
    };
    let are_near =
        chain.windows(2).all(|pair| is_tie(pair) || is_next(pair)) && !chain.windows(2).all(is_tie);
    let free = Claim::untried(Place::Choice(chain[0]), Says::Any);
    for (tie, step) in [
        (Relation::AtLeast, Relation::Greater),
        (Relation::Equal, Relation::Greater),
        (Relation::Equal, Relation::OneMore),
    ] {
        let is_fixed = step == Relation::OneMore;
        if is_fixed && !are_near {
            break;
        }
        let mut pattern = vec![free.clone()];
        pattern.extend(chain.windows(2).map(|pair| {
            let relation = if is_tie(pair) { tie } else { step };
            let says = Says::Related(relation, Term::Value(pair[0]));
            Claim::untried(Place::Choice(pair[1]), says)
        }));
        if matches!(study.vary(&pattern, TRIES), Evidence::Holds(_)) {
            claims.retain(|claim| pattern.iter().all(|new| new.place != claim.place));
            claims.extend(pattern);
            return if is_fixed { chain } else { Vec::new() };
        }
    }
    Vec::new()
}

/// The choices that hold data, and are neither free nor related by an inequality.
fn bound(study: &Study<'_>, claims: &[Claim]) -> Vec<usize> {
    let base = study.base;
    let is_free = |at: usize| {
        claims.iter().any(|claim| claim.place == Place::Choice(at) && claim.says == Says::Any)
    };
    (0..base.len())
        .filter(|at| {
            is_datum(&base.choices[*at])
                && base.choices[*at].constraint != Constraint::Path
                && !is_free(*at)
                && !is_unequal(claims, *at)
                && !is_inside(study, claims, &(*at..*at + 1))
        })
        .collect()
}

/// Whether a claim compares this choice with another value, and leaves it more than one value.
pub(super) fn is_unequal(claims: &[Claim], at: usize) -> bool {
    claims.iter().any(|claim| match claim.says {
        Says::Related(relation, _) => {
            claim.place == Place::Choice(at) && relation.distance().is_none()
        }
        _ => false,
    })
}

/// The greatest length of a string under this constraint.
fn length_max(constraint: &Constraint) -> usize {
    match constraint {
        Constraint::Text(length, _) | Constraint::Bytes(length) => length.max,
        _ => 0,
    }
}

/// On which sides a string may have further items, as claimed.
fn sides_of(claims: &[Claim], at: usize) -> Option<Sides> {
    claims.iter().find_map(|claim| match claim.says {
        Says::Containing(sides) if claim.place == Place::Choice(at) => Some(sides),
        _ => None,
    })
}

/// Puts claims in the place of those about the same places, or about parts of them.
pub(super) fn put(study: &Study<'_>, claims: &mut Vec<Claim>, pair: Vec<Claim>) {
    claims.retain(|claim| {
        let range = study.range(claim.place);
        pair.iter().all(|new| new.place != claim.place) && !is_inside(study, &pair, &range)
    });
    claims.extend(pair);
}

/// Whether two choices have values of one kind, counted from the same zero.
pub(super) fn is_comparable(study: &Study<'_>, at: usize, other: usize) -> bool {
    match (&study.base.choices[at].constraint, &study.base.choices[other].constraint) {
        (Constraint::Integer(one), Constraint::Integer(other)) => one.offset == other.offset,
        (Constraint::Boolean(_) | Constraint::Rest, _) => false,
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
