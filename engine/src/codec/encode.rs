//! Writes choices as bytes.

use crate::choice::{Choice, Constraint, IntegerRange, Value};
use crate::shares::Shares;

/// Returns the canonical bytes of `choices`. Decoding them with the same generator gives the same
/// choices.
///
/// The result has at least one byte, because fuzzers reject empty files. The exception is an empty
/// rest of the input as the last choice, which must stay empty.
pub fn encode(choices: &[Choice]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for choice in choices {
        encode_choice(choice, &mut bytes);
    }
    if bytes.is_empty()
        && !matches!(choices.last(), Some(Choice { constraint: Constraint::Rest, .. }))
    {
        bytes.push(0);
    }
    bytes
}

/// Appends the canonical bytes of one choice.
pub fn encode_choice(choice: &Choice, bytes: &mut Vec<u8>) {
    match (&choice.value, &choice.constraint) {
        (Value::Boolean(value), Constraint::Boolean(coin)) => {
            let raw = if !value {
                0
            } else if coin.more {
                1
            } else {
                u64::MAX
            };
            bytes.extend_from_slice(&raw.to_le_bytes()[..usize::from(coin.bytes)]);
        }
        (Value::Integer(value), Constraint::Integer(range)) => encode_integer(*value, range, bytes),
        (Value::Float(value), Constraint::Float(range)) => {
            if range.type_bytes == 4 {
                bytes.extend_from_slice(&(*value as f32).to_le_bytes());
            } else {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
        (Value::Bytes(value), Constraint::Bytes(length)) => {
            push_escaped(value, bytes);
            if value.len() < length.max {
                bytes.push(0);
            }
        }
        (Value::Text(value), Constraint::Text(length, _)) => {
            bytes.extend_from_slice(value.as_bytes());
            if length.max == usize::MAX || value.chars().count() < length.max {
                bytes.push(TEXT_END);
            }
        }
        (Value::Bytes(value), Constraint::Rest | Constraint::Path) => {
            bytes.extend_from_slice(value);
        }
        (value, constraint) => unreachable!("{value:?} was recorded under {constraint:?}"),
    }
}

/// Ends a text that could go on.
pub(crate) const TEXT_END: u8 = 0xFF;

fn push_escaped(string: &[u8], bytes: &mut Vec<u8>) {
    for byte in string {
        if *byte <= 1 {
            bytes.push(1);
        }
        bytes.push(*byte);
    }
}

/// A byte string in the byte format, with its end.
#[cfg(feature = "fuzzing")]
pub(crate) fn escape(string: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(string.len() + 1);
    push_escaped(string, &mut bytes);
    bytes.push(0);
    bytes
}

/// The byte string that these bytes stand for, up to its end.
#[cfg(feature = "fuzzing")]
pub(crate) fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut string = Vec::with_capacity(bytes.len());
    let mut bytes = bytes.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            0 => break,
            1 => string.extend(bytes.next()),
            byte => string.push(*byte),
        }
    }
    string
}

fn encode_integer(value: i128, range: &IntegerRange, bytes: &mut Vec<u8>) {
    let weighted;
    let (value, range) = if range.shares == Shares::EQUAL {
        (value, range)
    } else {
        weighted = range.in_places(value, range.shares.ends());
        (weighted.0, &weighted.1)
    };
    let zero = if range.offset { i128::MIN } else { 0 };
    let nearest = zero.clamp(range.min, range.max);
    // The format takes the integer nearest to 0 as the simplest, so it and `towards` are swapped.
    let value = if value == range.towards {
        nearest
    } else if value == nearest {
        range.towards
    } else {
        value
    };
    let range = &IntegerRange { towards: nearest, ..*range };
    if range.max.abs_diff(range.min) <= 0xFF {
        let is_its_own_byte = (zero <= range.min && range.max.abs_diff(zero) <= 0xFF)
            || (!range.offset && -0x80 <= range.min && range.max <= 0x7F);
        bytes.push(if is_its_own_byte {
            value.wrapping_sub(zero) as u8
        } else {
            steps_from_simplest(value, range)
        });
    } else {
        let raw = if range.offset { value ^ i128::MIN } else { value };
        bytes.extend_from_slice(&raw.to_le_bytes()[..usize::from(range.type_bytes)]);
    }
}

/// The steps from the simplest value up to `value`. After the maximum of the range, the count goes
/// on from the minimum.
fn steps_from_simplest(value: i128, range: &IntegerRange) -> u8 {
    let steps = if value >= range.towards {
        value.abs_diff(range.towards)
    } else {
        range.max.abs_diff(range.towards) + 1 + value.abs_diff(range.min)
    };
    steps as u8
}
