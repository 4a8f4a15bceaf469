//! Strings that are part of one another: texts and byte strings.

use fastrand::Rng;

use super::claims::Sides;
use crate::choice::{Constraint, Value};

/// The characters of a text, or the bytes of a byte string as characters.
pub(crate) fn items(value: &Value) -> Option<Vec<char>> {
    match value {
        Value::Text(text) => Some(text.chars().collect()),
        Value::Bytes(bytes) => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => None,
    }
}

/// The string of these items, of the kind of `like`.
pub(crate) fn value_of(like: &Value, items: &[char]) -> Value {
    match like {
        Value::Text(_) => Value::Text(items.iter().collect::<String>().into()),
        _ => Value::Bytes(items.iter().map(|item| *item as u32 as u8).collect()),
    }
}

/// Whether `outer` is `inner` with something added at these sides, or nothing.
pub(crate) fn is_part(inner: &Value, outer: &Value, sides: Sides) -> bool {
    match (inner, outer) {
        (Value::Text(inner), Value::Text(outer)) => match sides {
            Sides::Anywhere => outer.contains(&**inner),
            Sides::Behind => outer.starts_with(&**inner),
            Sides::Before => outer.ends_with(&**inner),
        },
        (Value::Bytes(inner), Value::Bytes(outer)) => match sides {
            Sides::Anywhere => {
                inner.is_empty() || outer.windows(inner.len()).any(|part| *part == **inner)
            }
            Sides::Behind => outer.starts_with(inner),
            Sides::Before => outer.ends_with(inner),
        },
        _ => false,
    }
}

/// The string `inner` with the items of another one added at these sides.
pub(crate) fn with(inner: &Value, added: &Value, sides: Sides, rng: &mut Rng) -> Option<Value> {
    if std::mem::discriminant(inner) != std::mem::discriminant(added) {
        return None;
    }
    let (part, mut all) = (items(inner)?, items(added)?);
    let at = match sides {
        Sides::Before => all.len(),
        Sides::Behind => 0,
        Sides::Anywhere => rng.usize(..=all.len()),
    };
    all.splice(at..at, part);
    Some(value_of(inner, &all))
}

/// A random part of `outer` that `allowed` has the length of. Something is left at these sides.
pub(crate) fn part(
    outer: &Value,
    allowed: &Constraint,
    sides: Sides,
    rng: &mut Rng,
) -> Option<Value> {
    let all = items(outer)?;
    let (Constraint::Text(length, _) | Constraint::Bytes(length)) = allowed else { return None };
    if length.min > all.len() {
        return None;
    }
    let length = rng.usize(length.min..=length.max.min(all.len()));
    let spare = all.len() - length;
    let start = match sides {
        Sides::Before => spare,
        Sides::Behind => 0,
        Sides::Anywhere => rng.usize(..=spare),
    };
    Some(value_of(outer, &all[start..start + length]))
}
