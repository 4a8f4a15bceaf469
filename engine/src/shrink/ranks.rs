//! Replaces numbers by their ranks. Then only their order stays: -70, 12 and 900 become 0, 1 and 2.

use super::place::Number;
use super::search::Search;
use super::together::each_range;
use crate::choice::IntegerRange;
use crate::sorted::sort_by;

/// Fewer different numbers come down one by one in as few calls.
const DIFFERENT_MIN: usize = 4;

/// Tries it for the numbers of each range.
pub(super) fn each(search: &mut Search<'_>) {
    each_range(search, DIFFERENT_MIN, rank);
}

fn rank(search: &mut Search<'_>, range: IntegerRange) {
    let numbers = search.choices().iter().filter_map(Number::of);
    let mut values: Vec<i128> =
        numbers.filter(|number| number.range == range).map(|number| number.value).collect();
    sort_by(&mut values, Ord::cmp);
    values.dedup();
    let fits = |end: i128| end.abs_diff(range.towards) >= values.len() as u128 - 1;
    let is_below = !fits(range.max);
    if values.len() < DIFFERENT_MIN || is_below && !fits(range.min) {
        return;
    }
    // How far from the simplest value a number of this range lies as a rank, and on which side.
    let ranked = |number: Number| {
        let rank = values.binary_search(&number.value).ok().filter(|_| number.range == range)?;
        let distance = if is_below { values.len() - 1 - rank } else { rank };
        Some((distance as u128, is_below && distance > 0))
    };
    // The first number that changes decides which of the two is simpler.
    let is_simpler = search.choices().iter().filter_map(Number::of).find_map(|number| {
        let (from, to) = ((number.distance(), number.is_below()), ranked(number)?);
        (from != to).then_some(to < from)
    });
    if is_simpler == Some(true) {
        search.attempt(|best, candidate| {
            candidate.extend(best.choices.iter().map(|choice| {
                let ranked = Number::of(choice).and_then(|number| {
                    let (distance, is_below) = ranked(number)?;
                    number.on_side(distance, is_below)
                });
                ranked.unwrap_or_else(|| choice.value.clone())
            }));
        });
    }
}
