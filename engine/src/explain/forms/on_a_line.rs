//! Inputs on the line through two inputs.
//!
//! Two inputs may differ in numbers, in items of strings, and in how often elements and items stand
//! in a row. A fault may need that one number is beyond the sum of two others, that two strings end
//! with the same character, or that as much is taken from a buffer as was put in. No claim says it,
//! and each such input is a cause. But between two of these inputs and beyond them are inputs of
//! the fault again. On the line through the inputs of two faults others pass.
//!
//! More elements of a kind may be harmless. So where their number changes, the fault must need
//! those of one kind: an input with one of them less is beside the line, and passes.

use std::ops::Range;

use super::aligned::{Atom, Input, Pair, aligned};
use crate::choice::{Choice, Value};
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::operations::outermost_elements;
use crate::explain::classes::strings::value_of;
use crate::trace::{Label, Span, Trace};

/// The points of the line that are looked at, in twelfths of the way from the first input to the
/// second one: the middle and others between the two, and some beyond them.
const BETWEEN: [i128; 5] = [6, 4, 8, 3, 9];
const BEYOND: [i128; 4] = [24, 36, -12, -24];

/// The most inputs beside a point of the line.
const BESIDE_MAX: usize = 4;

/// An input on a line through two others.
pub(super) struct Point {
    pub values: Vec<Value>,
    /// Inputs beside the line: one of them passes, if there are any.
    pub beside: Vec<Vec<Value>>,
}

/// Some inputs on the lines through two inputs: one in which elements of the outermost collections
/// stand several times, and one in which those of the innermost ones do. No line if the inputs
/// differ in more than what changes on it.
pub(super) fn on_a_line(one: &Trace, other: &Trace) -> Vec<Vec<Point>> {
    let elements = [one, other]
        .map(|trace| (outermost_elements(trace).collect(), innermost_elements(trace).collect()));
    let [(outer, inner), (outer_of_other, inner_of_other)]: [(Vec<_>, Vec<_>); 2] = elements;
    let mut lines = Vec::new();
    lines.extend(line((one, &outer), (other, &outer_of_other)));
    if (&outer, &outer_of_other) != (&inner, &inner_of_other) {
        lines.extend(line((one, &inner), (other, &inner_of_other)));
    }
    lines
}

/// The choices of each element that holds no collection, in order.
fn innermost_elements(trace: &Trace) -> impl Iterator<Item = Range<usize>> {
    let is_collection = |span: &&Span| span.label == Label::COLLECTION && !span.discarded;
    let mut holds_one = vec![false; trace.spans.len()];
    for collection in trace.spans.iter().filter(is_collection) {
        let mut around = collection.parent.map(|at| at as usize);
        while let Some(at) = around.filter(|at| !holds_one[*at]) {
            holds_one[at] = true;
            around = trace.spans[at].parent.map(|at| at as usize);
        }
    }
    let is_element = move |(at, span): &(usize, &Span)| {
        span.label == Label::ELEMENT && !span.discarded && !holds_one[*at]
    };
    trace.spans.iter().enumerate().filter(is_element).map(|(_, span)| span.range())
}

fn line(one: Input<'_>, other: Input<'_>) -> Option<Vec<Point>> {
    let pairs = aligned(one, other)?;
    let counts = |twelfths: i128| -> Option<Vec<usize>> {
        let count = |pair: &Pair<'_>| {
            usize::try_from(between(pair.counts.map(|count| count as i128), twelfths)?).ok()
        };
        pairs.iter().map(count).collect()
    };
    let at = |twelfths: i128| {
        let counts = counts(twelfths)?;
        Some((values(&pairs, &counts, twelfths)?, counts))
    };
    let has_counts = pairs.iter().any(|pair| pair.counts[0] != pair.counts[1]);
    let is_middle_enough = !has_counts && at(BETWEEN[0]).is_some();
    let inside = if is_middle_enough { &BETWEEN[..1] } else { &BETWEEN };
    // A string with other items may fail alone, so there must be an input between the two.
    let has_items = pairs.iter().any(Pair::has_other_items);
    if has_items && inside.iter().all(|twelfths| at(*twelfths).is_none()) {
        return None;
    }
    let point = |twelfths: i128| {
        let (on, counts) = at(twelfths)?;
        let changes = |index: &usize| {
            let [first, second] = pairs[*index].counts;
            first != second && counts[*index] > 0
        };
        let less = |index: usize| {
            let mut less = counts.clone();
            less[index] -= 1;
            values(&pairs, &less, twelfths)
        };
        let beside = (0..pairs.len()).filter(changes).take(BESIDE_MAX).filter_map(less).collect();
        Some(Point { values: on, beside })
    };
    Some(inside.iter().chain(&BEYOND).copied().filter_map(point).collect())
}

/// The input in which each pair stands this often. `None` if its numbers and strings are not
/// allowed.
fn values(pairs: &[Pair<'_>], counts: &[usize], twelfths: i128) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    let mut open = None;
    let pairs =
        pairs.iter().zip(counts).flat_map(|(pair, count)| std::iter::repeat_n(pair, *count));
    for (one, other) in pairs.flat_map(|pair| pair.one.iter().zip(&pair.other)) {
        match one {
            Atom::Choice(choice) => values.push(match one.points(other) {
                Some((from, to)) if from != to => {
                    NumberLine::of(choice)?.value_at(between([from, to], twelfths)?)?
                }
                _ => choice.value.clone(),
            }),
            Atom::Open(choice) => open = Some((*choice, Vec::new())),
            Atom::Item(_) => open.as_mut()?.1.push(item(one.points(other)?, twelfths)?),
            Atom::Close => {
                let (choice, items) = open.take()?;
                values.push(string(choice, &items)?);
            }
        }
    }
    Some(values)
}

/// The item near the point of the line: between two numbers of items there need be no number.
fn item((from, to): (i128, i128), twelfths: i128) -> Option<char> {
    let item = from + (to - from) * twelfths / 12;
    let is_another = from == to || item != from && item != to;
    char::from_u32(u32::try_from(item).ok().filter(|_| is_another)?)
}

/// The string of these items, if its place allows it.
fn string(place: &Choice, items: &[char]) -> Option<Value> {
    let are_bytes = items.iter().all(|item| u8::try_from(*item).is_ok());
    let is_possible = are_bytes || matches!(place.value, Value::Text(_));
    let string = is_possible.then(|| value_of(&place.value, items))?;
    place.constraint.allows(&string).then_some(string)
}

/// The point that is some twelfths of the way from one point to another. `None` if it is between
/// two.
fn between([from, to]: [i128; 2], twelfths: i128) -> Option<i128> {
    let way = to.checked_sub(from)?.checked_mul(twelfths)?;
    from.checked_add(way / 12).filter(|_| way % 12 == 0)
}
