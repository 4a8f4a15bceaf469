//! Places at which many other values fail, but not all. A cause needs them, and no claim says it.
//!
//! A number that must be odd has no claim. Then each other odd number would seem to be a new cause.
//! So a few runs try the numbers near it and at regular distances, and pairs of numbers with the
//! same sum. They also exchange coins and change the items of [strings](super::loose_strings). The
//! report shows nothing of this: it only decides what a cause explains.

use super::loose_strings::others_fail;
use super::pattern_search::pattern;
use super::single::is_inside;
use crate::choice::Value;
use crate::explain::causes::strings_together::{Together, change_together};
use crate::explain::classes::claims::{Claim, Pattern, Place, Says};
use crate::explain::classes::draw::Piece;
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::study::Study;
use crate::shrink::place::is_datum;
use crate::sorted::{sort_by, sort_by_key};

/// How many numbers on each side are tried.
const NEAR: i128 = 16;
/// A number is loose if at least two of its neighbours fail, and at least one in this number.
const ONE_IN: usize = 10;
/// Distances beyond them that are tried, too: round numbers and powers of two are common divisors.
const FAR: [i128; 10] = [20, 24, 32, 60, 64, 100, 128, 256, 1000, 1024];
/// A number is also loose if it fails at these multiples of the distance of a failing neighbour.
const MULTIPLES: [i128; 2] = [2, 3];
/// How many pairs of numbers are moved against each other, and by how much.
const PAIRS_MAX: usize = 24;
const STEPS: [i128; 3] = [1, 2, 5];

/// A choice that holds a number, and the line of its values.
type Numbered = (usize, NumberLine);

/// The loose places, and the patterns of strings.
pub(super) fn find(study: &mut Study<'_>, claims: &[Claim]) -> (Vec<Place>, Vec<Pattern>) {
    let base = study.base;
    let unclaimed: Vec<usize> = (0..base.len())
        .filter(|at| is_datum(&base.choices[*at]) && !is_inside(study, claims, &(*at..*at + 1)))
        .collect();
    let mut loose = Vec::new();
    let (mut numbers, mut coins, mut strings) = (Vec::new(), Vec::new(), Vec::new());
    let mut patterns = Vec::new();
    for at in unclaimed {
        let says: Vec<&Says> = claims
            .iter()
            .filter(|claim| claim.place == Place::Choice(at))
            .map(|claim| &claim.says)
            .collect();
        match (study.line(at), &says[..]) {
            (Some(line), [] | [Says::Within(_)]) => {
                if is_loose(study, at, line, says.first().copied()) {
                    loose.push(at);
                } else {
                    numbers.push((at, line));
                }
            }
            (None, []) if matches!(base.choices[at].value, Value::Boolean(_)) => coins.push(at),
            (None, [] | [Says::Containing(_)]) => {
                strings.push(at);
                let Some(pattern) = pattern(study, at) else { continue };
                loose.extend(others_fail(study, &pattern).then_some(at));
                patterns.push(pattern);
            }
            _ => {}
        }
    }
    loose.extend(numbers_together(study, &numbers));
    for (one, other) in pairs(&strings).take(PAIRS_MAX) {
        let Some(together) = change_together(study, one, other) else { continue };
        loose.extend([one, other]);
        if matches!(together, Together::All) {
            patterns.retain(|pattern| ![one, other].contains(&pattern.choice));
        }
    }
    patterns.retain(|pattern| loose.contains(&pattern.choice) || pattern.says_something());
    for (one, other) in pairs(&coins).take(PAIRS_MAX) {
        let swapped = [(one, other), (other, one)]
            .map(|(at, from)| Piece::choice(0, at, base.choices[from].value.clone()));
        if base.choices[one].value != base.choices[other].value
            && study.fails(&swapped) == Some(true)
        {
            loose.extend([one, other]);
        }
    }
    sort_by(&mut loose, Ord::cmp);
    loose.dedup();
    (loose.into_iter().map(Place::Choice).collect(), patterns)
}

/// All pairs, each with the later one first.
fn pairs<T: Copy>(all: &[T]) -> impl Iterator<Item = (T, T)> {
    let pairs = all.iter().enumerate();
    pairs.flat_map(|(index, one)| all[..index].iter().map(|other| (*one, *other)))
}

/// The numbers that need other values together. Those near one another are more likely to belong
/// together, so they are tried first.
fn numbers_together(study: &mut Study<'_>, numbers: &[Numbered]) -> Vec<usize> {
    let base = study.base;
    let point = |(at, line): Numbered| line.point(&base.choices[at].value);
    let mut pairs: Vec<(Numbered, Numbered)> = pairs(numbers).collect();
    sort_by_key(&mut pairs, |(one, other)| {
        point(*one).zip(point(*other)).map(|(one, other)| one.abs_diff(other))
    });
    pairs.truncate(PAIRS_MAX);
    pairs.retain(|(one, other)| make_good(study, *one, *other) || depend(study, *one, *other));
    pairs.into_iter().flat_map(|(one, other)| [one.0, other.0]).collect()
}

/// Whether many numbers near this one fail, or some at regular distances. With a claim, those
/// outside of its interval count.
fn is_loose(study: &mut Study<'_>, at: usize, line: NumberLine, within: Option<&Says>) -> bool {
    let Some(own) = line.point(&study.base.choices[at].value) else { return false };
    let (low, high) = match within {
        Some(Says::Within(constraint)) => {
            NumberLine::under(constraint).map_or((own, own), |line| (line.min(), line.max()))
        }
        _ => (own, own),
    };
    let mut fails = |above: i128| {
        let end = if above < 0 { low } else { high };
        study.fails(&[Piece::choice(0, at, line.moved(&line.value(end), above)?)])
    };
    let (mut failed, mut tried) = (Vec::new(), 0);
    for by in (1..=NEAR).flat_map(|by| [-by, by]) {
        if let Some(is_failure) = fails(by) {
            tried += 1;
            failed.extend(is_failure.then_some(by));
        }
    }
    if failed.len() >= 2 && failed.len() * ONE_IN >= tried {
        return true;
    }
    if failed.is_empty() {
        let far = FAR.into_iter().flat_map(|by| [by, -by]);
        failed.extend(far.into_iter().find(|by| fails(*by) == Some(true)));
    }
    let is_regular = |by: &i128| MULTIPLES.iter().all(|times| fails(by * times) == Some(true));
    failed.iter().any(is_regular)
}

/// Whether the second number can make good what the first one loses: in a sum or a difference that
/// must be equal to something, or beyond it.
fn make_good(study: &mut Study<'_>, one: Numbered, other: Numbered) -> bool {
    let moved = |study: &Study<'_>, (at, line): Numbered, by: i128| {
        Some(Piece::choice(0, at, line.moved(&study.base.choices[at].value, by)?))
    };
    let firsts: Vec<(i128, Piece)> = STEPS
        .into_iter()
        .flat_map(|by| [by, -by])
        .filter_map(|by| Some((by, moved(study, one, by)?)))
        .collect();
    let passing = firsts
        .into_iter()
        .filter(|(_, first)| study.fails(std::slice::from_ref(first)) == Some(false));
    let passing: Vec<(i128, Piece)> = passing.collect();
    // In a sum the second number moves the other way, in a difference the same way.
    [-1, 1].into_iter().any(|way| {
        let verdicts: Vec<bool> = passing
            .iter()
            .filter_map(|(by, first)| {
                let second = moved(study, other, way * by)?;
                study.fails(&[first.clone(), second])
            })
            .collect();
        let made_good = verdicts.iter().filter(|fails| **fails).count();
        made_good >= 2 && 2 * made_good > verdicts.len()
    })
}

/// Whether other values of one number need other values of the other one: for example of two
/// numbers with a great product.
///
/// The failure must go with the first one changed alone, and come back with an end of the second
/// one's range.
fn depend(study: &mut Study<'_>, one: Numbered, other: Numbered) -> bool {
    let (at, line) = one;
    let Some(own) = line.point(&study.base.choices[at].value) else { return false };
    let ends = [other.1.min(), other.1.max()];
    let beside = [-1, 1, -2, 3].map(|by| own.saturating_add(by));
    let points = beside.into_iter().chain([own / 2, own.saturating_mul(2)]);
    let points = points.filter(|point| (line.min()..=line.max()).contains(point));
    let (mut come_back, mut stay_away) = (0, [false; 2]);
    for point in points.chain([line.min(), line.max()]) {
        let first = Piece::choice(0, at, line.value(point));
        if study.fails(std::slice::from_ref(&first)) != Some(false) {
            continue;
        }
        let verdicts = ends.map(|end| {
            let second = Piece::choice(0, other.0, other.1.value(end));
            study.fails(&[first.clone(), second])
        });
        come_back += u32::from(verdicts.contains(&Some(true)));
        for (stays, verdict) in stay_away.iter_mut().zip(verdicts) {
            *stays |= verdict == Some(false);
        }
    }
    come_back >= 2 && stay_away == [true; 2]
}
