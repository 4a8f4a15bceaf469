//! Places at which many other values fail, but not all. A cause needs them, and no claim says it.
//!
//! A number that must be odd has no claim. Then each other odd number would seem to be a new cause.
//! So a few runs try the numbers near it, and pairs of numbers with the same sum. They also
//! exchange coins and change the items of strings. The report shows nothing of this: it
//! only decides what a cause explains.

use super::claims::{Claim, Pattern, Place, Says};
use super::draw::Piece;
use super::number_line::NumberLine;
use super::single::is_inside;
use super::strings::{items, value_of};
use super::study::Study;
use crate::choice::Value;
use crate::shrink::place::is_datum;
use crate::sorted::sort_by;

/// How many numbers on each side are tried.
const NEAR: i128 = 16;
/// A number is loose if at least two of its neighbours fail, and at least one in this number.
const ONE_IN: u32 = 10;
/// How many pairs of numbers are moved against each other, and by how much.
const PAIRS_MAX: usize = 12;
const STEPS: [i128; 3] = [1, 2, 5];
/// The longest string with a pattern.
const ITEMS_MAX: usize = 48;
/// What takes the place of an item, or stands between two.
const ITEMS: [char; 4] = ['\u{0}', '0', 'q', '\u{7f}'];

/// The loose places, and the patterns of strings.
pub(super) fn find(study: &mut Study<'_>, claims: &[Claim]) -> (Vec<Place>, Vec<Pattern>) {
    let base = study.base;
    let unclaimed: Vec<usize> = (0..base.len())
        .filter(|at| is_datum(&base.choices[*at]) && !is_inside(study, claims, &(*at..*at + 1)))
        .collect();
    let mut loose = Vec::new();
    let (mut numbers, mut coins) = (Vec::new(), Vec::new());
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
            (None, []) => patterns.extend(pattern(study, at)),
            _ => {}
        }
    }
    let pairs = numbers
        .iter()
        .enumerate()
        .flat_map(|(index, one)| numbers[..index].iter().map(move |other| (*one, *other)));
    for (one, other) in pairs.take(PAIRS_MAX).collect::<Vec<_>>() {
        if make_good(study, one, other) || depend(study, one, other) {
            loose.extend([one.0, other.0]);
        }
    }
    let coin_pairs = coins
        .iter()
        .enumerate()
        .flat_map(|(index, one)| coins[..index].iter().map(move |other| (*one, *other)));
    for (one, other) in coin_pairs.take(PAIRS_MAX) {
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

/// Whether many numbers near this one fail. With a claim, those outside of its interval count.
fn is_loose(study: &mut Study<'_>, at: usize, line: NumberLine, within: Option<&Says>) -> bool {
    let Some(own) = line.point(&study.base.choices[at].value) else { return false };
    let (low, high) = match within {
        Some(Says::Within(constraint)) => {
            NumberLine::under(constraint).map_or((own, own), |line| (line.min(), line.max()))
        }
        _ => (own, own),
    };
    let below = (1..=NEAR).filter_map(|by| low.checked_sub(by));
    let above = (1..=NEAR).filter_map(|by| high.checked_add(by));
    let near = below.chain(above).filter(|point| (line.min()..=line.max()).contains(point));
    let (mut failed, mut tried) = (0u32, 0u32);
    for point in near {
        if let Some(is_failure) = study.fails(&[Piece::choice(0, at, line.value(point))]) {
            tried += 1;
            failed += u32::from(is_failure);
        }
    }
    failed >= 2 && failed * ONE_IN >= tried
}

/// Whether the second number can make good what the first one loses: in a sum or a difference that
/// must be equal to something, or beyond it.
fn make_good(study: &mut Study<'_>, one: (usize, NumberLine), other: (usize, NumberLine)) -> bool {
    let moved = |study: &Study<'_>, (at, line): (usize, NumberLine), by: i128| {
        let point = line.point(&study.base.choices[at].value)?.checked_add(by)?;
        let is_there = (line.min()..=line.max()).contains(&point);
        is_there.then(|| Piece::choice(0, at, line.value(point)))
    };
    let (mut made_good, mut tried) = (0u32, 0u32);
    for by in STEPS.into_iter().flat_map(|by| [by, -by]) {
        let Some(first) = moved(study, one, by) else { continue };
        if study.fails(std::slice::from_ref(&first)) != Some(false) {
            continue;
        }
        tried += 1;
        made_good += u32::from([-by, by].into_iter().any(|by| {
            let second = moved(study, other, by);
            second.is_some_and(|second| study.fails(&[first.clone(), second]) == Some(true))
        }));
    }
    made_good >= 2 && 2 * made_good > tried
}

/// Whether other values of one number need other values of the other one: for example of two
/// numbers with a great product.
///
/// The failure must go with the first one changed alone, and come back with an end of the second
/// one's range.
fn depend(study: &mut Study<'_>, one: (usize, NumberLine), other: (usize, NumberLine)) -> bool {
    let (at, line) = one;
    let Some(own) = line.point(&study.base.choices[at].value) else { return false };
    let ends = [other.1.min(), other.1.max()];
    let points = [own - 1, own + 1, own - 2, own / 2, own + 3, own.saturating_mul(2)];
    let points = points.into_iter().filter(|point| (line.min()..=line.max()).contains(point));
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

/// Which items of a string must stand in it, and where others may.
fn pattern(study: &mut Study<'_>, at: usize) -> Option<Pattern> {
    let items = items(&study.base.choices[at].value)?;
    if items.len() > ITEMS_MAX {
        return None;
    }
    let all_fail = |study: &mut Study<'_>, changed: &mut dyn FnMut(char) -> Vec<char>| {
        let mut failed = 0;
        for item in ITEMS {
            let changed = changed(item);
            if changed == items {
                continue;
            }
            let value = value_of(&study.base.choices[at].value, &changed);
            if !study.base.choices[at].constraint.allows(&value) {
                continue;
            }
            match study.fails(&[Piece::choice(0, at, value)]) {
                Some(true) => failed += 1,
                Some(false) => return false,
                None => {}
            }
        }
        failed > 0
    };
    let mut free = Vec::with_capacity(items.len());
    for index in 0..items.len() {
        free.push(all_fail(study, &mut |item| {
            let mut changed = items.clone();
            changed[index] = item;
            changed
        }));
    }
    let mut gaps = Vec::with_capacity(items.len() + 1);
    for index in 0..=items.len() {
        gaps.push(all_fail(study, &mut |item| {
            let mut changed = items.clone();
            changed.splice(index..index, [item, 'z', item]);
            changed
        }));
    }
    let says_something = free.contains(&true) || gaps.contains(&true);
    says_something.then_some(Pattern { choice: at, free, gaps })
}
