//! Which other alternatives fail, too. A claim about them is existential: it says which were seen
//! to fail. Those that failed in every try are part of the class.

use super::single::is_inside;
use crate::choice::Value;
use crate::explain::classes::claims::{Alternative, Claim, Place, Says, Tries};
use crate::explain::classes::draw::{Piece, put_in};
use crate::explain::classes::redraw::other_alternatives;
use crate::explain::classes::study::Study;
use crate::explain::classes::tree::Tree;
use crate::explain::classes::trials::TrialVerdict;

/// How many draws of one alternative are tried.
const DRAWS: u64 = 20;
/// At most this number of other alternatives of one choice.
const ALTERNATIVES_MAX: usize = 32;

/// Adds claims about each choice between alternatives.
pub(super) fn find(study: &mut Study<'_>, claims: &mut Vec<Claim>) {
    for at in 0..study.base.len() {
        let others = other_alternatives(&study.base.choices[at]);
        if others.is_empty() || is_inside(study, claims, &(at..at + 1)) {
            continue;
        }
        let (mut leaves, mut branches) = (Vec::new(), Vec::new());
        for value in others.into_iter().take(ALTERNATIVES_MAX) {
            match leaf(study, at, value) {
                Some(alternative) => leaves.push(alternative),
                None => branches.extend(branch(study, at, value)),
            }
        }
        let owner = study.tree.owners[at].map(Place::Span);
        for (place, found) in [(Some(Place::Choice(at)), leaves), (owner, branches)] {
            let tries = found.iter().fold(Tries::default(), |sum, alternative| Tries {
                failed: sum.failed + alternative.tries.failed,
                of: sum.of + alternative.tries.of,
            });
            if let Some(place) = place.filter(|_| tries.of > 0) {
                claims.push(Claim { place, says: Says::Alternatives(found), tries });
            }
        }
    }
}

/// The alternative with the same draws behind it. `None` if it takes other draws.
fn leaf(study: &mut Study<'_>, at: usize, value: i128) -> Option<Alternative> {
    let piece = Piece::choice(0, at, Value::Integer(value));
    let run = study.trials.run(&put_in(study.base, &[piece]))?;
    let counts = run.verdict != TrialVerdict::NoEvidence;
    let is_alike = Tree::is_alike(study.base, &run.trace);
    let failed = u64::from(run.verdict == TrialVerdict::Fails);
    (counts && is_alike).then_some(Alternative { value, tries: Tries { failed, of: 1 } })
}

/// The alternative with all that it draws, in the place of the span that the choice begins.
fn branch(study: &mut Study<'_>, at: usize, value: i128) -> Option<Alternative> {
    let span = study.tree.owners[at]?;
    if study.base.spans[span].start as usize != at {
        return None;
    }
    let mut tries = Tries::default();
    for draw in 0..DRAWS {
        let (base, value) = (study.base, Value::Integer(value));
        let Study { tree, trials, redraws, .. } = study;
        let Some(redrawn) = redraws.with_alternative(trials, (base, &*tree), span, &value) else {
            continue;
        };
        let is_whole = redrawn.choices.len() == 1;
        let run = study.trials.run(&put_in(base, &[Piece::span(0, base, span, redrawn)]))?;
        tries.of += u64::from(run.verdict != TrialVerdict::NoEvidence);
        tries.failed += u64::from(run.verdict == TrialVerdict::Fails);
        // An alternative that draws nothing is tried once. One that passes at times is seen to
        // fail as soon as it fails, and is given up after half of the draws.
        let is_seen = 0 < tries.failed && tries.failed < tries.of;
        if is_whole || is_seen || (tries.failed == 0 && draw >= DRAWS / 2) {
            break;
        }
    }
    (tries.of > 0).then_some(Alternative { value, tries })
}
