//! Varies all claimed places together, and takes back what does not hold together.

use crate::explain::causes::contexts::Contexts;
use crate::explain::classes::claims::{Claim, Place, Says, Sides, Term, Tries};
use crate::explain::classes::draw::{Piece, put_in};
use crate::explain::classes::evidence::Evidence;
use crate::explain::classes::operations::last_element;
use crate::explain::classes::study::Study;
use crate::explain::classes::trials::TrialVerdict;
use crate::sorted::sort_by_key;

/// How many inputs of the claimed class must fail.
const TRIES: u64 = 150;
/// The fewest with which claims are kept when the budget ends.
const TRIES_MIN: u64 = 20;

/// Removes claims until the rest holds together. Returns the last tries, and whether two parts were
/// claimed to be any value, but may not be so at once.
pub(super) fn hold(study: &mut Study<'_>, claims: &mut Vec<Claim>) -> (Tries, bool) {
    let mut is_mixed = false;
    while claims.iter().any(Claim::is_universal) {
        match study.vary(claims, TRIES) {
            Evidence::Holds(tries) => return (tries, is_mixed),
            Evidence::Refuted(pieces) => {
                let (culprit, is_alone) = culprit(study, claims, pieces);
                let Claim { place, says, .. } = &claims[culprit];
                is_mixed |= !is_alone && matches!((place, says), (Place::Span(_), Says::Any));
                take_back(study, claims, culprit);
            }
            Evidence::Unknown => match study.vary(claims, TRIES_MIN) {
                Evidence::Holds(tries) => return (tries, is_mixed),
                Evidence::Refuted(_) | Evidence::Unknown => {
                    let smallest = smallest(study, claims, 0..claims.len());
                    take_back(study, claims, smallest);
                }
            },
        }
    }
    (Tries::default(), is_mixed)
}

/// Removes a claim, or puts a weaker one in its place. What is left of a claim about alternatives
/// is what was seen.
fn take_back(study: &mut Study<'_>, claims: &mut Vec<Claim>, index: usize) {
    if let Says::Alternatives(all) = &mut claims[index].says {
        for alternative in all.iter_mut().filter(|alternative| alternative.always_fails()) {
            alternative.tries.of += 1;
        }
        claims[index].tries.of += 1;
        return;
    }
    let Claim { place, says, .. } = claims.remove(index);
    let sides = [Sides::Behind, Sides::Before];
    let weaker = match says {
        Says::Further(Sides::Anywhere) => sides.map(Says::Further).to_vec(),
        Says::Containing(Sides::Anywhere) => sides.map(Says::Containing).to_vec(),
        _ => Vec::new(),
    };
    claims.extend(weaker.into_iter().find_map(|says| study.confirmed(place, says)));
}

/// Puts back what can be put back while the input still does not fail. Returns one of the claims
/// that remain: one about alternatives, if its alternative fails for another reason, or else the
/// smallest. Also returns whether no other claim remains: then it does not hold alone either.
fn culprit(study: &mut Study<'_>, claims: &[Claim], mut pieces: Vec<Piece>) -> (usize, bool) {
    let mut order: Vec<usize> = (0..claims.len()).collect();
    sort_by_key(&mut order, |claim| size(study, &claims[*claim]));
    for claim in order {
        let gone = with_dependants(claims, claim);
        let rest: Vec<Piece> =
            pieces.iter().filter(|piece| !gone.contains(&piece.claim)).cloned().collect();
        if rest.len() < pieces.len()
            && !rest.is_empty()
            && matches!(
                study.judge(claims, &rest),
                Some(TrialVerdict::Passes | TrialVerdict::FailsOtherwise)
            )
        {
            pieces = rest;
        }
    }
    let another = pieces.iter().find(|piece| {
        matches!(claims[piece.claim].says, Says::Alternatives(_)) && is_another(study, piece)
    });
    let culprit = another.map_or_else(
        || smallest(study, claims, pieces.iter().map(|piece| piece.claim)),
        |piece| piece.claim,
    );
    (culprit, pieces.iter().all(|piece| piece.claim == culprit))
}

/// Whether the input fails for another reason with an alternative as its last operation: something
/// changes, and only one of both still fails.
fn is_another(study: &mut Study<'_>, alternative: &Piece) -> bool {
    if last_element(study.base).is_none_or(|last| last.start != alternative.at) {
        return false;
    }
    let values = put_in(study.base, std::slice::from_ref(alternative));
    let run = study.trials.run(&values);
    run.is_some_and(|run| {
        run.verdict == TrialVerdict::Fails
            && Contexts::of(study.base, &run.trace).differ(study, &[])
    })
}

fn smallest(study: &Study<'_>, claims: &[Claim], among: impl Iterator<Item = usize>) -> usize {
    let universal = among.filter(|claim| claims[*claim].is_universal());
    universal.min_by_key(|claim| size(study, &claims[*claim])).unwrap_or(0)
}

/// How much a claim frees: choices, then whether it frees them wholly. Later ones are smaller.
fn size(study: &Study<'_>, claim: &Claim) -> (usize, bool, std::cmp::Reverse<usize>) {
    let (choices, at) = match claim.place {
        Place::Choice(at) => (1, at),
        Place::Span(span) => (study.base.spans[span].len(), study.base.spans[span].start as usize),
    };
    (choices, claim.says == Says::Any, std::cmp::Reverse(at))
}

/// The claim, and those whose values depend on its value.
fn with_dependants(claims: &[Claim], claim: usize) -> Vec<usize> {
    let mut found = vec![claim];
    let mut at = 0;
    while let Some(next) = found.get(at).map(|index| claims[*index].place) {
        for (index, other) in claims.iter().enumerate() {
            let depends = match (&other.says, next) {
                (Says::Related(_, Term::Value(value)), Place::Choice(at)) => *value == at,
                (Says::Related(_, Term::Length(_)), Place::Span(_)) => true,
                _ => false,
            };
            if depends && !found.contains(&index) {
                found.push(index);
            }
        }
        at += 1;
    }
    found
}
