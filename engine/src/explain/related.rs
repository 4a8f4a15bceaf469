//! Claims that relate one value to another one, or to the length of a collection.

use super::claims::{Claim, Place, Relation, Says, Term, Tries};
use super::evidence::{Evidence, TRIES};
use super::interval::{self, Moving};
use super::number_line::NumberLine;
use super::single::{is_inside, longer};
use super::study::Study;
use crate::choice::{Constraint, Value};
use crate::shrink::place::is_datum;
use crate::sorted::sort_by_key;

/// At most this number of pairs is tried.
const PAIRS_MAX: usize = 60;
/// At most this number of values is related at once.
const CHAIN_MAX: usize = 8;

/// Looks for relations between values that are not free on their own. The claims of the two values
/// are replaced by ones that free the first and relate the second to it.
pub(super) fn find(study: &mut Study<'_>, claims: &mut Vec<Claim>) {
    for (at, term) in pairs(study, claims).into_iter().take(PAIRS_MAX) {
        if is_related(claims, at)
            || refers_to(claims, term, at)
            || are_independent(study, claims, at, term)
        {
            continue;
        }
        if let Some(pair) = relate(study, claims, at, term) {
            let pair = as_inequality(study, &pair).unwrap_or(pair);
            claims.retain(|claim| {
                let range = study.range(claim.place);
                pair.iter().all(|new| new.place != claim.place) && !is_inside(study, &pair, &range)
            });
            claims.extend(pair);
        }
    }
    chain(study, claims);
}

/// Relates three and more values that are still not free, each to the next lower one. Their order
/// may matter where no pair of them can be freed alone. A chain says more than is needed, so it
/// comes behind the pairs.
fn chain(study: &mut Study<'_>, claims: &mut Vec<Claim>) {
    let mut chain = bound(study, claims);
    let Some(first) = chain.first().copied() else { return };
    chain.retain(|at| is_comparable(study, *at, first));
    if !(3..=CHAIN_MAX).contains(&chain.len()) {
        return;
    }
    let base = study.base;
    let point = |at: usize| NumberLine::of(&base.choices[at])?.point(&base.choices[at].value);
    sort_by_key(&mut chain, |at| (point(*at), *at));
    let free = Claim { place: Place::Choice(chain[0]), says: Says::Any, tries: Tries::default() };
    for tie in [Relation::AtLeast, Relation::Equal] {
        let mut pattern = vec![free.clone()];
        pattern.extend(chain.windows(2).map(|pair| {
            let is_tie = point(pair[0]) == point(pair[1]);
            let relation = if is_tie { tie } else { Relation::Greater };
            let says = Says::Related(relation, Term::Value(pair[0]));
            Claim { place: Place::Choice(pair[1]), says, tries: Tries::default() }
        }));
        if matches!(study.vary(&pattern, TRIES), Evidence::Holds(_)) {
            claims.retain(|claim| pattern.iter().all(|new| new.place != claim.place));
            claims.extend(pattern);
            return;
        }
    }
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

/// The choices and what each is compared with, if one of the two is not free.
fn pairs(study: &Study<'_>, claims: &[Claim]) -> Vec<(usize, Term)> {
    let base = study.base;
    let is_candidate = |at: &usize| {
        is_datum(&base.choices[*at])
            && base.choices[*at].constraint != Constraint::Path
            && !is_inside(study, claims, &(*at..*at + 1))
    };
    let is_free = |at: usize| {
        claims.iter().any(|claim| claim.place == Place::Choice(at) && claim.says == Says::Any)
    };
    let candidates: Vec<usize> = (0..base.len()).filter(is_candidate).collect();
    let collections: Vec<usize> =
        (0..base.spans.len()).filter(|span| study.tree.elements(base, *span).is_some()).collect();
    let mut pairs = Vec::new();
    for (index, at) in candidates.iter().copied().enumerate() {
        let earlier = candidates[..index].iter().rev();
        let comparable = earlier.filter(|other| is_comparable(study, at, **other));
        let bound = comparable.filter(|other| !(is_free(at) && is_free(**other)));
        pairs.extend(bound.map(|other| (at, Term::Value(*other))));
        if matches!(base.choices[at].value, Value::Integer(_)) {
            let outside = collections.iter().filter(|span| {
                let range = base.spans[**span].range();
                !(range.contains(&at) || is_free(at) && is_inside(study, claims, &range))
            });
            pairs.extend(outside.map(|span| (at, Term::Length(*span))));
        }
    }
    pairs
}

/// Whether two choices have values of one kind, counted from the same zero.
fn is_comparable(study: &Study<'_>, at: usize, other: usize) -> bool {
    match (&study.base.choices[at].constraint, &study.base.choices[other].constraint) {
        (Constraint::Integer(one), Constraint::Integer(other)) => one.offset == other.offset,
        (Constraint::Boolean(_) | Constraint::Rest, _) => false,
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// Whether a claim compares this choice with another value, and leaves it more than one value.
fn is_unequal(claims: &[Claim], at: usize) -> bool {
    claims.iter().any(|claim| match claim.says {
        Says::Related(relation, _) => {
            claim.place == Place::Choice(at) && relation.distance().is_none()
        }
        _ => false,
    })
}

fn is_related(claims: &[Claim], at: usize) -> bool {
    claims
        .iter()
        .any(|claim| claim.place == Place::Choice(at) && matches!(claim.says, Says::Related(..)))
}

/// Whether the choice and the value of `term` can vary independently: one of the two is free, and
/// the claims about both hold at the same time. A relation would then only narrow them. Two
/// intervals are not enough, because a relation may be more general.
fn are_independent(study: &mut Study<'_>, claims: &[Claim], at: usize, term: Term) -> bool {
    let place = match term {
        Term::Value(other) => Place::Choice(other),
        Term::Length(span) => Place::Span(span),
    };
    let own = claims.iter().filter(|claim| claim.place == Place::Choice(at));
    let mut pattern: Vec<Claim> = own.cloned().collect();
    let is_bound = pattern.is_empty();
    let Some(other) = roots(study, claims, place).pop() else { return false };
    let is_unclaimed = claims.iter().all(|claim| !other.contains(claim));
    pattern.extend(other);
    let is_free = |claim: &Claim| {
        claim.says == Says::Any && (claim.place == place || claim.place == Place::Choice(at))
    };
    !is_bound
        && !is_unclaimed
        && pattern.iter().any(is_free)
        && matches!(study.vary(&pattern, TRIES), Evidence::Holds(_))
}

/// Whether `term` relates to the choice `at`, over any number of claims.
fn refers_to(claims: &[Claim], term: Term, at: usize) -> bool {
    let Term::Value(other) = term else { return false };
    other == at
        || claims.iter().any(|claim| match claim.says {
            Says::Related(_, next) if claim.place == Place::Choice(other) => {
                refers_to(claims, next, at)
            }
            _ => false,
        })
}

/// The most general relation of a pair that holds, with the claims that free what it refers to.
fn relate(study: &mut Study<'_>, claims: &[Claim], at: usize, term: Term) -> Option<Vec<Claim>> {
    let own = &study.base.choices[at].value;
    let (other, place) = match term {
        Term::Value(other) => (study.base.choices[other].value.clone(), Place::Choice(other)),
        Term::Length(span) => {
            let length = study.tree.elements(study.base, span)?.len();
            (Value::Integer(length as i128), Place::Span(span))
        }
    };
    let relations = Study::relations(own, &other);
    let narrowed = |study: &mut Study<'_>, relation: Relation| {
        let Place::Choice(other) = place else { return None };
        let constraint = match (study.line(other), relation.distance()) {
            (Some(line), Some(by)) => {
                let moving = Moving { at: other, line, with: Some((at, by)) };
                interval::range(study, moving)
            }
            (None, Some(0)) => longer(&study.base.choices[other]),
            _ => None,
        };
        let says = Says::Within(constraint?);
        Some(vec![Claim { place, says, tries: Tries::default() }])
    };
    let holds = |study: &mut Study<'_>, mut pattern: Vec<Claim>, relation: Relation| {
        let says = Says::Related(relation, term);
        pattern.push(Claim { place: Place::Choice(at), says, tries: Tries::default() });
        study.forget(Place::Choice(at));
        matches!(study.vary(&pattern, TRIES), Evidence::Holds(_)).then_some(pattern)
    };
    for root in roots(study, claims, place) {
        for relation in &relations {
            if let Some(pattern) = holds(study, root.clone(), *relation) {
                return Some(pattern);
            }
        }
    }
    // The first value may be free within bounds while the second one moves with it.
    relations.into_iter().find_map(|relation| {
        let root = narrowed(study, relation)?;
        holds(study, root, relation)
    })
}

/// An inequality in place of an equation: the second value within its bounds, and the first one
/// related to it. `None` if no inequality holds, or if the pair is no equation.
fn as_inequality(study: &mut Study<'_>, pair: &[Claim]) -> Option<Vec<Claim>> {
    let [root, Claim { place: Place::Choice(second), says: Says::Related(relation, term), .. }] =
        pair
    else {
        return None;
    };
    let (Relation::Equal, Term::Value(first)) = (*relation, *term) else { return None };
    if !matches!(root.says, Says::Within(_)) {
        return None;
    }
    let bounded = Claim { place: Place::Choice(*second), ..root.clone() };
    [Relation::AtLeast, Relation::AtMost].into_iter().find_map(|relation| {
        let says = Says::Related(relation, Term::Value(*second));
        let related = Claim { place: Place::Choice(first), says, tries: Tries::default() };
        let pattern = vec![bounded.clone(), related];
        study.forget(Place::Choice(first));
        matches!(study.vary(&pattern, TRIES), Evidence::Holds(_)).then_some(pattern)
    })
}

/// The ways to free the value at `place`: wholly, or as far as it is claimed already. What it
/// relates to itself stays free with it.
fn roots(study: &Study<'_>, claims: &[Claim], place: Place) -> Vec<Vec<Claim>> {
    let of = |place: Place| claims.iter().filter(move |claim| claim.place == place);
    let mut claimed: Vec<Claim> = of(place).cloned().collect();
    if let Place::Span(span) = place {
        // The collection may be free as a part of a span around it.
        let range = study.base.spans[span].range();
        let around = claims.iter().find(|claim| match claim.place {
            Place::Span(free) if matches!(claim.says, Says::Any | Says::Deep(_)) => {
                let free = study.base.spans[free].range();
                free.start <= range.start && range.end <= free.end
            }
            _ => false,
        });
        claimed.extend(around.filter(|claim| claim.place != place).cloned());
    }
    let mut at = 0;
    while let Some(claim) = claimed.get(at) {
        if let Says::Related(_, Term::Value(other)) = claim.says {
            let next: Vec<Claim> = of(Place::Choice(other)).cloned().collect();
            claimed.extend(next);
        }
        at += 1;
    }
    let is_wholly = claimed.iter().any(|claim| claim.says == Says::Any);
    let wholly = vec![Claim { place, says: Says::Any, tries: Tries::default() }];
    let is_chain = claimed.iter().any(|claim| matches!(claim.says, Says::Related(..)));
    let mut roots = Vec::new();
    if !is_wholly && !is_chain {
        roots.push(wholly);
    }
    if !claimed.is_empty() {
        roots.push(claimed);
    }
    roots
}
