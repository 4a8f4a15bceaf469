//! Mutated copies of a case.

use fastrand::Rng;

use crate::choice::{Choice, Constraint, FloatRange, IntegerRange, Role, Value};
use crate::trace::{Label, Span, Trace};

/// Returns the choices of `parent` with some of them changed. Draws after the last one are new.
pub(crate) fn mutant(rng: &mut Rng, parent: &Trace) -> Vec<Value> {
    let mut values = parent.values();
    if values.is_empty() {
        return values;
    }
    let is_of_parts = parent.spans.iter().any(|span| span.label == Label::ELEMENT);
    let changes_parts = is_of_parts && rng.u8(..3) == 0;
    let count = match rng.u8(..16) {
        0..10 => 1,
        10..14 => 2,
        _ => rng.usize(3..=8),
    };
    for _ in 0..if changes_parts { count / 2 } else { count } {
        let at = rng.usize(..values.len());
        let changed = change(
            rng,
            &Choice {
                value: values[at].clone(),
                constraint: parent.choices[at].constraint.clone(),
            },
        );
        values[at] = changed;
    }
    if changes_parts {
        change_parts(rng, parent, &mut values);
    } else if rng.u8(..32) == 0 {
        values.truncate(rng.usize(..values.len()));
    }
    values
}

/// Repeats, removes or replaces an element of a collection.
fn change_parts(rng: &mut Rng, parent: &Trace, values: &mut Vec<Value>) {
    let elements: Vec<&Span> = parent
        .spans
        .iter()
        .filter(|span| span.label == Label::ELEMENT && !span.is_empty())
        .collect();
    if elements.is_empty() {
        return;
    }
    // Prefers the last element, because the target often reached its latest state with it.
    let element = if rng.u8(..3) == 0 {
        elements[elements.len() - 1]
    } else {
        elements[rng.usize(..elements.len())]
    };
    match rng.u8(..8) {
        0..2 => {
            values.drain(element.range());
        }
        2..4 => {
            let other = elements[rng.usize(..elements.len())];
            let copy = values[other.range()].to_vec();
            values.splice(element.range(), copy);
        }
        _ => {
            let mut copy = values[element.range()].to_vec();
            for (value, choice) in copy.iter_mut().zip(&parent.choices[element.range()]) {
                if rng.bool() {
                    *value = change(rng, choice);
                }
            }
            let end = element.range().end;
            values.splice(end..end, copy);
        }
    }
}

/// Changes one value.
fn change(rng: &mut Rng, choice: &Choice) -> Value {
    let Choice { value, constraint } = choice;
    match (constraint, value) {
        // Rarely changes the length of a collection, because this shifts all values after it.
        (Constraint::Boolean(coin), Value::Boolean(value)) => {
            Value::Boolean(if coin.more && rng.u8(..8) != 0 { *value } else { !value })
        }
        (Constraint::Integer(range), Value::Integer(value)) => {
            Value::Integer(integer(rng, range, *value))
        }
        (Constraint::Float(range), Value::Float(value)) => {
            constraint.nearest(&Value::Float(float(rng, range, *value)))
        }
        (Constraint::Bytes(_) | Constraint::Rest, Value::Bytes(value)) => {
            let mut bytes = value.to_vec();
            splice(rng, &mut bytes, |rng, old| {
                if rng.bool() { rng.u8(..) } else { old.unwrap_or(0) ^ 1 << rng.u8(..8) }
            });
            constraint.nearest(&Value::Bytes(bytes.into()))
        }
        (Constraint::Text(_, alphabet), Value::Text(value)) => {
            let mut characters: Vec<char> = value.chars().collect();
            splice(rng, &mut characters, |rng, _| {
                if alphabet.is_any() {
                    rng.char(' '..='~')
                } else {
                    alphabet.nth(rng.u32(..alphabet.count()))
                }
            });
            constraint.nearest(&Value::Text(characters.into_iter().collect::<String>().into()))
        }
        _ => value.clone(),
    }
}

fn integer(rng: &mut Rng, range: &IntegerRange, value: i128) -> i128 {
    let width = range.max.abs_diff(range.min);
    let bits = 128 - width.leading_zeros();
    if bits == 0 {
        return value;
    }
    let uniform = |rng: &mut Rng| {
        let steps = if width == u128::MAX { rng.u128(..) } else { rng.u128(..=width) };
        range.min.wrapping_add(steps as i128)
    };
    if range.role != Role::Number {
        return uniform(rng);
    }
    let step = match rng.u8(..8) {
        // Flips one bit of the number.
        0..3 => {
            let flipped = value ^ 1 << rng.u32(..bits);
            return if range.min <= flipped && flipped <= range.max {
                flipped
            } else {
                uniform(rng)
            };
        }
        3 => return uniform(rng),
        4 | 5 => 1 << rng.u32(..bits.min(126)),
        _ => rng.i128(1..=16),
    };
    let moved = if rng.bool() { value.saturating_add(step) } else { value.saturating_sub(step) };
    moved.clamp(range.min, range.max)
}

fn float(rng: &mut Rng, range: &FloatRange, value: f64) -> f64 {
    let sign = if rng.bool() { 1.0 } else { -1.0 };
    match rng.u8(..8) {
        0 => value + sign,
        1 => value * 2.0,
        2 => value / 2.0,
        3 => -value,
        4 => value.round(),
        // A step of any size that still changes the value.
        5 | 6 => value + sign * value.abs().max(1.0) * 2f64.powi(-rng.i32(0..50)),
        _ => {
            let (min, max) = (range.min.max(-1e9), range.max.min(1e9));
            min + (max - min) * rng.f64()
        }
    }
}

/// Changes, inserts, removes or repeats items.
fn splice<T: Copy>(
    rng: &mut Rng,
    items: &mut Vec<T>,
    mut item: impl FnMut(&mut Rng, Option<T>) -> T,
) {
    let at = rng.usize(..=items.len());
    match (rng.u8(..8), items.get(at).copied()) {
        (0..4, Some(old)) => items[at] = item(rng, Some(old)),
        (4, Some(_)) => {
            items.remove(at);
        }
        (5, Some(_)) => {
            let end = (at + rng.usize(1..=8)).min(items.len());
            let copy = items[at..end].to_vec();
            items.splice(end..end, copy);
        }
        _ => items.insert(at, item(rng, None)),
    }
}
