//! The interval around a number in which every number fails: gallops to both ends, bisects, then
//! tries numbers inside.

use crate::choice::{Constraint, Value};
use crate::explain::classes::claims::{Claim, Place, Says};
use crate::explain::classes::draw::{Piece, put_in};
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::study::Study;
use crate::explain::classes::trials::TrialVerdict;
use crate::random::Random;

/// How many numbers inside the interval are tried for each end before the claim is tried as usual.
const INSIDE: usize = 8;
/// How often a number that passes may cut the interval.
const CUTS_MAX: usize = 4;

/// A rejected number stands for its neighbours, up to this number of them.
const REJECTED_MAX: usize = 4;

/// A number, and another choice that has another value meanwhile.
pub(super) struct Moving {
    pub(super) at: usize,
    pub(super) line: NumberLine,
    pub(super) with: Option<(usize, Beside)>,
}

/// The value of another choice while a number moves.
pub(super) enum Beside {
    /// It is greater by this.
    Greater(i128),
    /// It has this value.
    Is(Value),
}

/// The claim that every number of an interval fails at the place of the choice `at`.
pub(super) fn find(study: &mut Study<'_>, at: usize) -> Option<Claim> {
    let line = study.line(at)?;
    let within = Says::Within(range(study, &Moving { at, line, with: None })?);
    study.confirmed(Place::Choice(at), within)
}

/// The interval in which every number that was tried fails.
pub(super) fn range(study: &mut Study<'_>, moving: &Moving) -> Option<Constraint> {
    let Moving { at, line, .. } = *moving;
    let own = line.point(&study.base.choices[at].value)?;
    let mut ends = [line.min(), line.max()];
    for (end, is_up) in ends.iter_mut().zip([false, true]) {
        *end = reach(study, moving, own, *end, is_up)?;
    }
    for cut in 0.. {
        let [min, max] = ends;
        if min == max || cut > CUTS_MAX {
            return None;
        }
        let Some(passing) = passing_inside(study, moving, own, (min, max)) else { break };
        let is_up = passing > own;
        let beside = if is_up { passing - 1 } else { passing + 1 };
        ends[usize::from(is_up)] = boundary(study, moving, own, beside, is_up)?;
    }
    Some(line.between(ends[0], ends[1]))
}

/// Whether a number fails at this place, or, if it is rejected, the nearest one on the way to
/// `own`. `None` if the budget is used up.
fn fails(study: &mut Study<'_>, moving: &Moving, own: i128, point: i128) -> Option<bool> {
    let Moving { at, line, ref with } = *moving;
    let mut point = point;
    for _ in 0..REJECTED_MAX {
        if point == own {
            return Some(true);
        }
        let mut pieces = vec![Piece::choice(0, at, line.value(point))];
        if let Some((other, beside)) = with {
            let value = match beside {
                Beside::Greater(by) => line.value(point.checked_add(*by)?),
                Beside::Is(value) => value.clone(),
            };
            if !study.base.choices[*other].constraint.allows(&value) {
                return Some(false);
            }
            pieces.push(Piece::choice(0, *other, value));
        }
        match study.trials.run(&put_in(study.base, &pieces))?.verdict {
            TrialVerdict::NoEvidence => point += own.cmp(&point) as i128,
            verdict => return Some(verdict == TrialVerdict::Fails),
        }
    }
    Some(false)
}

/// The last number that fails, from `own` up or down to `end`.
fn reach(study: &mut Study<'_>, place: &Moving, own: i128, end: i128, is_up: bool) -> Option<i128> {
    if fails(study, place, own, end)? { Some(end) } else { boundary(study, place, own, end, is_up) }
}

/// Gallops from `own` towards `end` as long as numbers fail, then bisects.
fn boundary(
    study: &mut Study<'_>,
    place: &Moving,
    own: i128,
    end: i128,
    is_up: bool,
) -> Option<i128> {
    let at_distance = |distance: u128| {
        if is_up {
            own.saturating_add_unsigned(distance).min(end)
        } else {
            own.saturating_sub_unsigned(distance).max(end)
        }
    };
    let (mut good, mut step) = (0u128, 1u128);
    let all = own.abs_diff(end);
    let mut bad = loop {
        if good >= all {
            return Some(end);
        }
        let next = step.min(all);
        if !fails(study, place, own, at_distance(next))? {
            break next;
        }
        good = next;
        step = step.saturating_mul(2);
    };
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fails(study, place, own, at_distance(middle))? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(at_distance(good))
}

/// A number inside the interval that does not fail, if some tries find one.
fn passing_inside(
    study: &mut Study<'_>,
    place: &Moving,
    own: i128,
    (min, max): (i128, i128),
) -> Option<i128> {
    let within = place.line.between(min, max);
    let targeted = study.targeted_values(place.at, place.at..place.at + 1);
    let drawn =
        |study: &mut Study<'_>| Random::new(study.rng.u64(..)).next(&within, &study.base.choices);
    let drawn: Vec<Value> = (0..INSIDE).map(|_| drawn(study)).collect();
    let allowed = targeted.into_iter().filter(|value| within.allows(value));
    for value in allowed.chain(drawn) {
        let Some(point) = place.line.point(&value) else { continue };
        if !fails(study, place, own, point)? {
            return Some(point);
        }
    }
    None
}
