//! Claims that relate one value to another one, or to the length of a collection.

use super::bounded;
use super::interval::{self, Beside, Moving};
use super::roots::roots;
use super::several::{all_related, chain, is_comparable, put};
use super::single::{is_inside, longer};
use crate::choice::{Constraint, Value};
use crate::explain::classes::claims::{Claim, Place, Relation, Says, Sides, Term};
use crate::explain::classes::evidence::{Evidence, TRIES};
use crate::explain::classes::study::Study;
use crate::shrink::place::is_datum;

/// At most this number of pairs is tried.
const PAIRS_MAX: usize = 60;

/// Looks for relations between values that are not free on their own. The claims of the two values
/// are replaced by ones that free the first and relate the second to it.
pub(super) fn find(study: &mut Study<'_>, claims: &mut Vec<Claim>) {
    let (alone, mut narrow) = (claims.clone(), Vec::new());
    for (at, term) in pairs(study, claims).into_iter().take(PAIRS_MAX) {
        if may_not_relate(study, claims, at, term) {
            continue;
        }
        let pair = relate(study, claims, at, term);
        // A relation of two free values is more general than two intervals.
        let is_general = pair.as_ref().is_some_and(|pair| !is_bounded(pair));
        if !is_general && hold_together(study, claims, at, term) {
            continue;
        }
        if pair.as_ref().is_none_or(|pair| is_equation(pair)) {
            narrow.push((at, term));
        }
        if let Some(pair) = pair {
            put(study, claims, pair);
        }
    }
    let mut fixed = all_related(study, claims);
    fixed.extend(chain(study, claims, &fixed));
    narrow.retain(|(at, _)| !fixed.contains(at));
    for (at, term) in narrow {
        let is_equation = claims.iter().any(|claim| match claim.says {
            Says::Related(relation, other) => {
                claim.place == Place::Choice(at) && other == term && relation.distance().is_some()
            }
            _ => false,
        });
        let pair = if is_equation {
            bounded::find(study, &alone, at, term)
        } else if may_not_relate(study, claims, at, term) {
            None
        } else {
            bounded::find(study, claims, at, term)
        };
        if let Some(pair) = pair {
            put(study, claims, pair);
        }
    }
}

/// Whether both values have claims that hold at the same time.
fn hold_together(study: &mut Study<'_>, claims: &[Claim], at: usize, term: Term) -> bool {
    let of = |place: Place| claims.iter().filter(move |claim| claim.place == place);
    let (own, other) = (Place::Choice(at), term.place());
    let mut pattern: Vec<Claim> = of(own).chain(of(other)).cloned().collect();
    with_dependents(claims, &mut pattern);
    of(own).next().is_some()
        && of(other).next().is_some()
        && matches!(study.vary(&pattern, TRIES), Evidence::Holds(_))
}

fn may_not_relate(study: &mut Study<'_>, claims: &[Claim], at: usize, term: Term) -> bool {
    is_related(claims, at)
        || refers_to(claims, term, at)
        || !study.range(term.place()).contains(&at) && are_independent(study, claims, at, term)
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
    let of_kind = |is_string: bool| {
        let kind = |at: &usize| match base.choices[*at].value {
            Value::Integer(_) => !is_string,
            Value::Text(_) | Value::Bytes(_) => is_string,
            Value::Boolean(_) | Value::Float(_) => false,
        };
        candidates.iter().copied().filter(kind).collect::<Vec<usize>>()
    };
    // An element may be related to the length of the collection around it.
    for span in collections.iter().copied() {
        let range = base.spans[span].range();
        let inside = of_kind(false).into_iter().filter(|at| range.contains(at));
        pairs.extend(inside.map(|at| (at, Term::Length(span))));
    }
    let strings = of_kind(true);
    for at in of_kind(false) {
        let bound = strings.iter().filter(|string| !(is_free(at) && is_free(**string)));
        pairs.extend(bound.map(|string| (at, Term::Value(*string))));
    }
    pairs
}

/// Whether one of these claims bounds a value.
fn is_bounded(pair: &[Claim]) -> bool {
    pair.iter().any(|claim| matches!(claim.says, Says::Within(_)))
}

/// Whether these claims say that two values are a fixed distance apart, and what range they have.
fn is_equation(pair: &[Claim]) -> bool {
    is_bounded(pair)
        && pair.iter().any(|claim| match claim.says {
            Says::Related(relation, _) => relation.distance().is_some(),
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
    let place = term.place();
    let own = claims.iter().filter(|claim| claim.place == Place::Choice(at));
    let mut pattern: Vec<Claim> = own.cloned().collect();
    let is_bound = pattern.is_empty();
    let Some(other) = roots(study, claims, place).pop() else { return false };
    let is_unclaimed = claims.iter().all(|claim| !other.contains(claim));
    pattern.extend(other);
    with_dependents(claims, &mut pattern);
    let is_free = |claim: &Claim| {
        claim.says == Says::Any && (claim.place == place || claim.place == Place::Choice(at))
    };
    !is_bound
        && !is_unclaimed
        && pattern.iter().any(is_free)
        && matches!(study.vary(&pattern, TRIES), Evidence::Holds(_))
}

/// Adds the claims about values that relate to one in the pattern: they move with it.
fn with_dependents(claims: &[Claim], pattern: &mut Vec<Claim>) {
    let mut next = 0;
    while let Some(place) = pattern.get(next).map(|claim| claim.place) {
        let moves =
            |claim: &&Claim| matches!(claim.says, Says::Related(_, term) if term.place() == place);
        for claim in claims.iter().filter(moves) {
            if pattern.iter().all(|known| known.place != claim.place) {
                pattern.push(claim.clone());
            }
        }
        next += 1;
    }
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
    let (other, place) = (study.value_of(term)?, term.place());
    let relations = Study::relations(own, &other);
    let narrowed = |study: &mut Study<'_>, relation: Relation| {
        let Place::Choice(other) = place else { return None };
        let constraint = match (study.line(other), relation.distance()) {
            (Some(line), Some(by)) if study.line(at).is_some() => {
                let with = Some((at, Beside::Greater(by)));
                let moving = Moving { at: other, line, with };
                interval::range(study, &moving)
            }
            (None, Some(0)) => longer(&study.base.choices[other]),
            (None, None) if relation.is_of_strings() => longer(&study.base.choices[other]),
            _ => None,
        };
        let says = Says::Within(constraint?);
        Some(vec![Claim::untried(place, says)])
    };
    let holds = |study: &mut Study<'_>, mut pattern: Vec<Claim>, relation: Relation| {
        let says = Says::Related(relation, term);
        pattern.push(Claim::untried(Place::Choice(at), says));
        study.forget(Place::Choice(at));
        if matches!(study.vary(&pattern, TRIES), Evidence::Holds(_)) {
            return Some(pattern);
        }
        // A part of a string may have to be as long as it is.
        let longer = relation.is_of_strings().then(|| longer(&study.base.choices[at])).flatten()?;
        pattern.push(Claim::untried(Place::Choice(at), Says::Within(longer)));
        matches!(study.vary(&pattern, TRIES), Evidence::Holds(_)).then_some(pattern)
    };
    let is_inside = study.range(place).contains(&at);
    let ways = if is_inside { Vec::new() } else { roots(study, claims, place) };
    for root in ways {
        for relation in &relations {
            if let Some(pattern) = holds(study, root.clone(), *relation) {
                return Some(pattern);
            }
        }
    }
    // The first value may be free within bounds while the second one moves with it.
    let narrow = relations.iter().find_map(|relation| {
        let root = narrowed(study, *relation)?;
        holds(study, root, *relation)
    });
    // A collection may have further elements while the value moves with its length.
    let is_claimed = claims.iter().any(|claim| claim.place == place);
    let Place::Span(_) = place else { return narrow };
    let ways = [Sides::Anywhere, Sides::Behind].into_iter().filter(|_| !is_claimed);
    let further = |sides| vec![Claim::untried(place, Says::Further(sides))];
    narrow.or_else(|| {
        ways.into_iter().find_map(|sides| {
            let mut equations = relations.iter().filter(|relation| relation.distance().is_some());
            equations.find_map(|relation| holds(study, further(sides), *relation))
        })
    })
}
