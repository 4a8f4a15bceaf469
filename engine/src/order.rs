//! Shortlex: which of two choice sequences is simpler.
//!
//! The sequence with fewer choices is simpler. At equal length, the first choice that differs
//! decides, by the order of its kind:
//!
//! - Boolean: `false`, then `true`.
//! - Integer: by distance from the value it shrinks towards, then above before below.
//! - Float: integral before fractional, before infinite, before NaN. Then fewer binary places, then
//!   magnitude, then positive before negative.
//! - Bytes: by length, then by bytes.
//! - The rest of the input: by length, then by bytes from the last to the first. Numbers in it are
//!   little-endian, and lengths stand at the end.
//! - A path of given shrinks: step by step, lower steps first. A missing step means 0.
//! - Text: by length in bytes, then by characters. Bytes count, so that every character counts for
//!   the bytes it takes. Characters sort in this order: digits, `A` to `Z`, `a` to `z`, other
//!   printable ASCII, control characters, the rest by code point.
//!
//! The idea, and the reasons for each part, come from `MacIver` and Donaldson 2020, section 2.2.

use std::cmp::Ordering;

use crate::alphabet::char_rank;
use crate::choice::{Choice, Constraint, Value};

/// Compares two choice sequences. The simpler one is less.
pub fn compare(left: &[Choice], right: &[Choice]) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| {
        left.iter()
            .zip(right)
            .map(|(left, right)| compare_choices(left, right))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

/// Compares the choices at one place of two sequences. Kinds sort in this order: boolean, integer,
/// float, bytes, the rest of the input, text, path.
pub fn compare_choices(left: &Choice, right: &Choice) -> Ordering {
    match (&left.value, &right.value) {
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Integer(a), Value::Integer(b)) => {
            integer_key(*a, &left.constraint).cmp(&integer_key(*b, &right.constraint))
        }
        (Value::Float(a), Value::Float(b)) => float_key(*a).cmp(&float_key(*b)),
        _ if left.constraint == Constraint::Path || right.constraint == Constraint::Path => {
            compare_paths(left, right)
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            let is_rest = |choice: &Choice| choice.constraint == Constraint::Rest;
            match (is_rest(left), is_rest(right)) {
                (true, true) => compare_inputs(a, b),
                (false, false) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
                (left, right) => left.cmp(&right),
            }
        }
        (Value::Text(a), Value::Text(b)) => compare_texts(a, b),
        (a, b) => kind_rank(a).cmp(&kind_rank(b)),
    }
}

/// Compares two raw inputs.
///
/// The last byte counts most, because of `Unstructured` of the crate arbitrary. It reads numbers
/// with their least byte first, selects variants by the most significant byte, and reads lengths
/// from the end. In an order that starts at the first byte, 16777216 would be simpler than 1.
pub fn compare_inputs(left: &[u8], right: &[u8]) -> Ordering {
    // In a little-endian number, too, the last byte counts most.
    left.len().cmp(&right.len()).then_with(|| {
        let ((left_front, left), (right_front, right)) = (left.as_rchunks(), right.as_rchunks());
        let number = |word: &[u8; 8]| u64::from_le_bytes(*word);
        left.iter()
            .rev()
            .map(number)
            .cmp(right.iter().rev().map(number))
            .then_with(|| little_endian(left_front).cmp(&little_endian(right_front)))
    })
}

/// The number in at most eight bytes, the least significant byte first.
pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Compares two paths, or a path with a choice of another kind, which sorts first.
fn compare_paths(left: &Choice, right: &Choice) -> Ordering {
    match (&left.value, &right.value) {
        (Value::Bytes(a), Value::Bytes(b)) if left.constraint == right.constraint => {
            let step = |path: &[u8], depth: usize| path.get(depth).copied().unwrap_or(0);
            (0..a.len().max(b.len()))
                .map(|depth| step(a, depth).cmp(&step(b, depth)))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        }
        _ => (left.constraint == Constraint::Path).cmp(&(right.constraint == Constraint::Path)),
    }
}

fn compare_texts(left: &str, right: &str) -> Ordering {
    left.len()
        .cmp(&right.len())
        .then_with(|| left.chars().map(char_rank).cmp(right.chars().map(char_rank)))
}

fn integer_key(value: i128, constraint: &Constraint) -> (u128, bool) {
    let towards = if let Constraint::Integer(range) = constraint { range.towards } else { 0 };
    (value.abs_diff(towards), value < towards)
}

fn kind_rank(value: &Value) -> u8 {
    match value {
        Value::Boolean(_) => 0,
        Value::Integer(_) => 1,
        Value::Float(_) => 2,
        Value::Bytes(_) => 3,
        Value::Text(_) => 4,
    }
}

/// The sort key of a float: class, binary places, magnitude, sign.
pub(crate) fn float_key(value: f64) -> (u8, u32, u64, bool) {
    let magnitude = value.abs();
    let negative = value.is_sign_negative();
    if value.is_nan() {
        (3, 0, magnitude.to_bits(), negative)
    } else if value.is_infinite() {
        (2, 0, 0, negative)
    } else if magnitude.fract() == 0.0 {
        (0, 0, magnitude.to_bits(), negative)
    } else {
        (1, binary_places(magnitude), magnitude.to_bits(), negative)
    }
}

/// How many binary places a finite fractional number has.
fn binary_places(magnitude: f64) -> u32 {
    let bits = magnitude.to_bits();
    let exponent = (bits >> 52) as i32;
    let (mantissa, exponent) = if exponent == 0 {
        (bits & ((1 << 52) - 1), -1074)
    } else {
        (bits & ((1 << 52) - 1) | 1 << 52, exponent - 1075)
    };
    (-exponent) as u32 - mantissa.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_sort_by_bytes_then_by_characters() {
        let sorted = ["", "0", "9", "A", "a", " ", "00", "0A", "é", "000"];
        for pair in sorted.windows(2) {
            assert!(compare_texts(pair[0], pair[1]).is_lt(), "{pair:?}");
        }
    }

    #[test]
    fn inputs_sort_by_length_then_from_the_last_byte_to_the_first() {
        let of = |length: usize, changed: &[(usize, u8)]| {
            let mut bytes = vec![7; length];
            for (at, byte) in changed {
                bytes[*at] = *byte;
            }
            bytes
        };
        let mut inputs: Vec<Vec<u8>> = (0..20).map(|length| of(length, &[])).collect();
        inputs.extend(
            (0..19)
                .flat_map(|at| [6, 8].map(|byte| of(19, &[(at, byte), (19 - 1 - at, 15 - byte)]))),
        );
        for (left, right) in
            inputs.iter().flat_map(|left| inputs.iter().map(move |right| (left, right)))
        {
            let bytewise = left
                .len()
                .cmp(&right.len())
                .then_with(|| left.iter().rev().cmp(right.iter().rev()));
            assert_eq!(compare_inputs(left, right), bytewise, "{left:?} {right:?}");
        }
    }

    #[test]
    fn floats_sort_integral_then_short() {
        let sorted = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            2.0,
            1e300,
            0.5,
            -0.5,
            1.5,
            0.25,
            0.1,
            5e-324,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        for pair in sorted.windows(2) {
            assert!(float_key(pair[0]) < float_key(pair[1]), "{pair:?}");
        }
    }
}
