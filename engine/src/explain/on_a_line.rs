//! Inputs on the line through two inputs that differ in numbers alone.
//!
//! A fault may need that one number is beyond the sum of two others. No claim says it, and each sum
//! is a cause. But beyond two of its inputs, in the same direction, are inputs of the fault again.
//! On the line through the inputs of two faults others pass.
//!
//! A number may also need to be as large as a collection is long. Then one input has an element
//! more, and other numbers. The next inputs have two and three more, and need all of them.

use super::number_line::NumberLine;
use super::operations::outermost_elements;
use super::tree::Tree;
use crate::choice::{Choice, Value};
use crate::shrink::place::is_datum;
use crate::trace::Trace;

/// The points of the line that are looked at, in halves of the way from the first input to the
/// second one.
const HALVES: [i128; 5] = [1, 4, 6, -2, -4];

/// How many times the element that the longer input has more stands in each further input.
const MORE: [usize; 2] = [2, 3];

/// The number of a choice, the line it is on, and how far it moves.
type Move = (usize, NumberLine, i128, i128);

/// The line through two inputs.
pub(super) struct Line {
    /// The values of inputs on it.
    pub on: Vec<Vec<Value>>,
    /// The values of inputs beside it. They pass.
    pub beside: Vec<Vec<Value>>,
}

/// Some inputs on the line through two inputs. None if they differ in more than numbers and one
/// element.
pub(super) fn on_a_line(one: &Trace, other: &Trace) -> Option<Line> {
    if !Tree::is_alike(one, other) {
        let (shorter, longer) = if one.len() < other.len() { (one, other) } else { (other, one) };
        return growing(shorter, longer);
    }
    let moves = moves(one.choices.iter(), &other.choices)?;
    let point = |halves: i128| moved(one.values(), &moves, halves);
    Some(Line { on: HALVES.into_iter().filter_map(point).collect(), beside: Vec::new() })
}

/// Some inputs with more of the element that the longer input has more. Beside them are inputs with
/// one element less.
fn growing(shorter: &Trace, longer: &Trace) -> Option<Line> {
    let more = longer.len() - shorter.len();
    outermost_elements(longer).filter(|range| range.len() == more).find_map(|element| {
        let rest = || longer.choices[..element.start].iter().chain(&longer.choices[element.end..]);
        let moves = moves(rest(), &shorter.choices)?;
        let again: Vec<Value> =
            longer.choices[element.clone()].iter().map(|choice| choice.value.clone()).collect();
        let point = |more: usize, by: usize| {
            let halves = -2 * i128::try_from(by).ok()? + 2;
            let rest = rest().map(|choice| choice.value.clone()).collect();
            let mut values = moved(rest, &moves, halves)?;
            values.splice(element.start..element.start, vec![again.clone(); more].concat());
            Some(values)
        };
        let points = |less: usize| -> Option<Vec<Vec<Value>>> {
            MORE.into_iter().map(|by| point(by - less, by)).collect()
        };
        Some(Line { on: points(0)?, beside: points(1)? })
    })
}

/// The values with each number moved by some halves of its way.
fn moved(mut values: Vec<Value>, moves: &[Move], halves: i128) -> Option<Vec<Value>> {
    for (at, line, from, by) in moves {
        let way = by.checked_mul(halves)?;
        let point = from.checked_add(way / 2).filter(|_| way % 2 == 0)?;
        values[*at] = line.value_at(point)?;
    }
    Some(values)
}

/// The numbers in which two inputs differ: each with its value in the first one, and how far it is
/// to that in the second one. `None` if they differ in something else, or in nothing.
fn moves<'a>(one: impl Iterator<Item = &'a Choice>, other: &[Choice]) -> Option<Vec<Move>> {
    let mut moves = Vec::new();
    for (at, (one, other)) in one.zip(other).enumerate() {
        if one.value == other.value {
            continue;
        }
        let line = NumberLine::of(one).filter(|_| is_datum(one))?;
        let (from, to) = (line.point(&one.value)?, line.point(&other.value)?);
        moves.push((at, line, from, to.checked_sub(from)?));
    }
    (!moves.is_empty()).then_some(moves)
}
