//! Replaces numbers by their ranks. Then only their order stays: -70, 12 and 900 become 0, 1 and 2.

use super::place::Number;
use super::search::Search;
use super::together::each_kind;
use crate::choice::{IntegerRange, Value};

/// Fewer different numbers come down one by one in as few calls.
const DIFFERENT_MIN: usize = 4;

/// Tries it for the numbers of each range.
pub(super) fn each(search: &mut Search<'_>) {
    each_kind(
        search,
        DIFFERENT_MIN,
        |number| number.range,
        |search, number| rank(search, number.range),
    );
}

fn rank(search: &mut Search<'_>, range: IntegerRange) {
    let numbers = search.choices().iter().filter_map(Number::of);
    let mut values: Vec<i128> =
        numbers.filter(|number| number.range == range).map(|number| number.value).collect();
    values.sort_unstable();
    values.dedup();
    let highest = values.len() as u128 - 1;
    let is_below = range.max.abs_diff(range.towards) < highest;
    let ranked = |number: Number| {
        let rank = values.binary_search(&number.value).ok()? as u128;
        let rank = if is_below { highest - rank } else { rank };
        (number.range == range).then(|| (rank, number.on_side(rank, is_below)))
    };
    // The first number that changes decides which of the two is simpler.
    let is_simpler = search.choices().iter().filter_map(Number::of).find_map(|number| {
        let (rank, value) = ranked(number)?;
        let from = (number.distance(), number.is_below());
        (value != Some(Value::Integer(number.value))).then_some((rank, is_below) < from)
    });
    if is_simpler == Some(true) {
        search.attempt(|best, candidate| {
            candidate.extend(best.choices.iter().map(|choice| {
                let ranked = Number::of(choice).and_then(ranked).and_then(|(_, value)| value);
                ranked.unwrap_or_else(|| choice.value.clone())
            }));
        });
    }
}
