//! Inputs on the line through two inputs that differ in numbers alone.
//!
//! A fault may need that one number is beyond the sum of two others. No claim says it, and each sum
//! is a cause. But beyond two of its inputs, in the same direction, are inputs of the fault again.
//! On the line through the inputs of two faults others pass.

use super::number_line::NumberLine;
use super::tree::Tree;
use crate::choice::Value;
use crate::shrink::place::is_datum;
use crate::trace::Trace;

/// The points of the line that are looked at, in halves of the way from the first input to the
/// second one.
const HALVES: [i128; 5] = [1, 4, 6, -2, -4];

/// The values of some inputs on the line through two inputs. No values if they differ in more
/// than numbers.
pub(super) fn on_a_line(one: &Trace, other: &Trace) -> Vec<Vec<Value>> {
    let Some(moves) = moves(one, other) else { return Vec::new() };
    let point = |halves: i128| {
        let mut values = one.values();
        for (at, line, from, by) in &moves {
            let way = by.checked_mul(halves)?;
            let point = from.checked_add(way / 2).filter(|_| way % 2 == 0)?;
            values[*at] = line.value_at(point)?;
        }
        Some(values)
    };
    HALVES.into_iter().filter_map(point).collect()
}

/// The numbers in which two inputs differ: each with its value in the first one, and how far it is
/// to that in the second one. `None` if they differ in something else, or in nothing.
fn moves(one: &Trace, other: &Trace) -> Option<Vec<(usize, NumberLine, i128, i128)>> {
    if !Tree::is_alike(one, other) {
        return None;
    }
    let mut moves = Vec::new();
    for (at, (one, other)) in one.choices.iter().zip(&other.choices).enumerate() {
        if one.value == other.value {
            continue;
        }
        let line = NumberLine::of(one).filter(|_| is_datum(one))?;
        let (from, to) = (line.point(&one.value)?, line.point(&other.value)?);
        moves.push((at, line, from, to.checked_sub(from)?));
    }
    (!moves.is_empty()).then_some(moves)
}
