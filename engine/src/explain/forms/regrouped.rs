//! Inputs in which two neighbouring operations of one kind are one operation with all their items.
//!
//! A fault may need a number of items, in one operation or in several. Then each way to group them
//! is a cause. Whether the groups matter shows where an item is missing and another operation
//! makes it good.

use std::ops::Range;

use crate::choice::{Choice, Value};
use crate::explain::classes::operations::outermost_elements;
use crate::explain::classes::strings::{items, value_of};
use crate::shrink::place::is_continue;
use crate::trace::Trace;

/// Two operations that became one.
pub(super) struct Regrouped {
    /// The input with one operation in place of two.
    pub(super) merged: Vec<Value>,
    /// The input, and the merged one, without the last item of the two operations.
    pub(super) less: [Vec<Value>; 2],
    /// The same behind a further copy of the first operation.
    pub(super) made_good: [Vec<Value>; 2],
}

/// For each pair of neighbouring operations that can be one, the inputs that tell whether they may.
pub(super) fn regrouped(trace: &Trace) -> Vec<Regrouped> {
    let operations: Vec<Range<usize>> = outermost_elements(trace).collect();
    let pairs = operations.windows(2).filter(|pair| pair[0].end == pair[1].start);
    pairs.filter_map(|pair| regroup(trace, operations[0].start, &pair[0], &pair[1])).collect()
}

fn regroup(
    trace: &Trace,
    begin: usize,
    first: &Range<usize>,
    second: &Range<usize>,
) -> Option<Regrouped> {
    let (one, other) = (&trace.choices[first.clone()], &trace.choices[second.clone()]);
    let from = begin_of_items(one)?;
    let is_same = |(one, other): (&Choice, &Choice)| one.value == other.value;
    if begin_of_items(other) != Some(from) || !one[..from].iter().zip(other).all(is_same) {
        return None;
    }
    let put = |range: Range<usize>, operation: Vec<Value>| {
        let mut values = trace.values();
        values.splice(range, operation);
        values
    };
    let both = first.start..second.end;
    let short = shortened(other, from)?;
    let merged = put(both.clone(), as_one(one, &values(other), from));
    let less = [put(second.clone(), short.clone()), put(both, as_one(one, &short, from))];
    let made_good = less.clone().map(|mut less| {
        less.splice(begin..begin, values(one));
        less
    });
    Some(Regrouped { merged, less, made_good })
}

/// Where the items of an operation begin, which are all that stands behind its first choices: a
/// collection, or a string.
fn begin_of_items(operation: &[Choice]) -> Option<usize> {
    let last = operation.len().checked_sub(1)?;
    if items(&operation[last].value).is_some() {
        return Some(last);
    }
    let is_end = is_continue(&operation[last]) && !continues(&operation[last]);
    let begin = (1..operation.len()).find(|at| is_continue(&operation[*at]));
    begin.filter(|_| is_end)
}

/// Whether a choice that begins or ends an element begins one.
fn continues(choice: &Choice) -> bool {
    !matches!(choice.value, Value::Boolean(false) | Value::Integer(0))
}

/// An operation without its last item.
fn shortened(operation: &[Choice], from: usize) -> Option<Vec<Value>> {
    let mut values = values(operation);
    if let Some(mut items) = items(&values[from]) {
        items.pop()?;
        values[from] = value_of(&values[from], &items);
        return Some(values);
    }
    let is_begin = |at: &usize| is_continue(&operation[*at]) && continues(&operation[*at]);
    let last = (from..operation.len()).rev().find(is_begin)?;
    values.drain(last..operation.len() - 1);
    Some(values)
}

/// One operation with the items of two.
fn as_one(one: &[Choice], other: &[Value], from: usize) -> Vec<Value> {
    let mut merged = values(one);
    if let (Some(mut items), Some(more)) = (items(&merged[from]), items(&other[from])) {
        items.extend(more);
        merged[from] = value_of(&merged[from], &items);
    } else {
        merged.pop();
        merged.extend_from_slice(&other[from..]);
    }
    merged
}

fn values(operation: &[Choice]) -> Vec<Value> {
    operation.iter().map(|choice| choice.value.clone()).collect()
}
