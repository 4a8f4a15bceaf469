//! Inputs between two others whose collections have other lengths, and together as many elements.
//!
//! A buffer may need nine items from two operations. Then each way to share them out is a cause.
//! Between two ways is a third one that fails. Between two faults inputs pass.

use std::ops::Range;

use super::operations::outermost_elements;
use super::tree::Tree;
use crate::choice::Value;
use crate::trace::{Label, Trace};

/// The values of inputs between the two: none if they differ in more than the lengths of inner
/// collections, or if one has more elements in all. Beyond two neighbours there are two inputs.
pub(super) fn between(one: &Trace, other: &Trace) -> Option<Vec<Vec<Value>>> {
    let (of_one, of_other) = (collections(one), collections(other));
    if of_one.len() != of_other.len() {
        return None;
    }
    let pairs = of_one.into_iter().zip(of_other);
    let moved: Vec<Moved> = pairs
        .filter(|(own, other)| own.count != other.count)
        .map(|(own, other)| Moved { own, other })
        .collect();
    let way = |moved: &Moved| moved.other.count.cast_signed() - moved.own.count.cast_signed();
    let is_shared_out = !moved.is_empty() && moved.iter().map(way).sum::<isize>() == 0;
    let empty = |trace: &Trace, elements: &dyn Fn(&Moved) -> Range<usize>| {
        let mut values = trace.values();
        for moved in moved.iter().rev() {
            values.drain(elements(moved));
        }
        values
    };
    let of_one = empty(one, &|moved| moved.own.elements.clone());
    if !is_shared_out || of_one != empty(other, &|moved| moved.other.elements.clone()) {
        return None;
    }
    let at = |halves: isize| {
        let mut values = one.values();
        for moved in moved.iter().rev() {
            let count = moved.own.count.cast_signed() + way(moved) * halves / 2;
            let element = moved.element(one, other)?;
            let elements = vec![element; usize::try_from(count).ok()?].concat();
            values.splice(moved.own.elements.clone(), elements);
        }
        Some(values)
    };
    let has_middle = moved.iter().any(|moved| way(moved).abs() > 1);
    let points: &[isize] = if has_middle { &[1] } else { &[4, -2] };
    Some(points.iter().filter_map(|halves| at(*halves)).collect())
}

/// A collection inside an operation.
struct Collection {
    /// The choices of its elements.
    elements: Range<usize>,
    count: usize,
    /// The choices of its first element.
    first: Range<usize>,
}

/// A collection that has another length in the second input.
struct Moved {
    own: Collection,
    other: Collection,
}

impl Moved {
    /// The values of an element of this collection.
    fn element(&self, one: &Trace, other: &Trace) -> Option<Vec<Value>> {
        let (trace, first) =
            if self.own.count > 0 { (one, &self.own.first) } else { (other, &self.other.first) };
        trace.values().get(first.clone()).map(<[Value]>::to_vec)
    }
}

/// The collections of the operations, in order. None is inside another one.
fn collections(trace: &Trace) -> Vec<Collection> {
    let tree = Tree::of(trace);
    let mut found: Vec<Collection> = Vec::new();
    let operations: Vec<Range<usize>> = outermost_elements(trace).collect();
    for (span, at) in trace.spans.iter().zip(0..) {
        let range = span.range();
        let is_inside = operations
            .iter()
            .any(|operation| operation.start < range.start && range.end <= operation.end);
        let is_next = found.last().is_none_or(|last| last.elements.end <= range.start);
        if span.label != Label::COLLECTION || span.discarded || !is_inside || !is_next {
            continue;
        }
        let Some(elements) = tree.elements(trace, at) else { continue };
        let range_of = |element: &usize| trace.spans[*element].range();
        let first = elements.first().map_or(range.start..range.start, range_of);
        let end = elements.last().map_or(range.start, |last| range_of(last).end);
        found.push(Collection { elements: first.start..end, count: elements.len(), first });
    }
    found
}
