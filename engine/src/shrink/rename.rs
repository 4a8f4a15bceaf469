//! Exchanges two values wherever they stand: for example, names that could be given the other way
//! round.

use super::place::Number;
use super::search::Search;
use crate::choice::Value;

/// How many different values the pass exchanges with each other.
const VALUES_MAX: usize = 8;

/// Exchanges each two numbers of which the greater comes first, then each two strings.
pub(super) fn each(search: &mut Search<'_>) {
    let mut offsets: Vec<i128> = Vec::new();
    for number in search.choices().iter().filter_map(Number::of) {
        if !offsets.contains(&number.offset()) && offsets.len() < VALUES_MAX {
            offsets.push(number.offset());
        }
    }
    for (at, one) in offsets.iter().enumerate() {
        for other in &offsets[at + 1..] {
            if (one.unsigned_abs(), *one < 0) > (other.unsigned_abs(), *other < 0) {
                exchange_numbers(search, *one, *other);
            }
        }
    }
    let mut strings: Vec<Value> = Vec::new();
    for choice in search.choices() {
        if matches!(choice.value, Value::Text(_) | Value::Bytes(_))
            && !strings.contains(&choice.value)
            && strings.len() < VALUES_MAX
        {
            strings.push(choice.value.clone());
        }
    }
    for (at, one) in strings.iter().enumerate() {
        for other in &strings[at + 1..] {
            search.attempt(|best, candidate| {
                candidate.extend(best.choices.iter().map(|choice| match &choice.value {
                    value if value == one => other.clone(),
                    value if value == other => one.clone(),
                    value => value.clone(),
                }));
            });
        }
    }
}

fn exchange_numbers(search: &mut Search<'_>, one: i128, other: i128) {
    search.attempt(|best, candidate| {
        candidate.extend(best.choices.iter().map(|choice| {
            let exchanged = Number::of(choice).and_then(|number| match number.offset() {
                offset if offset == one => number.at_offset(other),
                offset if offset == other => number.at_offset(one),
                _ => None,
            });
            exchanged.unwrap_or_else(|| choice.value.clone())
        }));
    });
}
