//! The operations of an input: the elements of its outermost collection, or the rounds of a loop
//! that is written by hand.

use std::ops::Range;

use crate::choice::{Choice, Value};
use crate::shrink::place::alternative;
use crate::trace::{Label, Span, Trace};

/// The alternative that the last element of the outermost collection takes. Of a round of a loop,
/// the first number.
///
/// Two operations may need the same state and be two faults: reading a key, and replacing it. No
/// context tells them apart. The operation that shows the fault stands last in a minimized input.
pub(super) fn last_operation(trace: &Trace) -> Option<i128> {
    let number = |choice: &Choice| match choice.value {
        Value::Integer(value) => Some(value),
        _ => None,
    };
    if let Some(round) = outermost_rounds(trace).pop() {
        return trace.choices[round].iter().find_map(number);
    }
    alternative(trace.choices.get(last_element(trace)?.start)?)
}

/// The choices of the last element of the outermost collection.
pub(super) fn last_element(trace: &Trace) -> Option<Range<usize>> {
    outermost_elements(trace).last()
}

/// The choices of each element of the outermost collections, in order; or of each
/// [round](outermost_rounds) of a loop around them.
pub(super) fn outermost_elements(trace: &Trace) -> impl Iterator<Item = Range<usize>> + use<> {
    let rounds = outermost_rounds(trace);
    if rounds.is_empty() { elements(trace) } else { rounds }.into_iter()
}

/// The choices of each round of a loop that draws from the test case itself. None if a collection
/// lies outside of the loop.
pub(super) fn outermost_rounds(trace: &Trace) -> Vec<Range<usize>> {
    let mut rounds = rounds(trace);
    let is_inside = |element: &Range<usize>| {
        rounds.iter().any(|round| round.start <= element.start && element.end <= round.end)
    };
    if !elements(trace).iter().all(is_inside) {
        rounds.clear();
    }
    rounds
}

/// The choices of each element of the outermost collections, in order.
pub(super) fn elements(trace: &Trace) -> Vec<Range<usize>> {
    let depth = |span: &Span| {
        std::iter::successors(span.parent, |above| trace.spans[*above as usize].parent).count()
    };
    let elements =
        trace.spans.iter().filter(|span| span.label == Label::ELEMENT && !span.discarded);
    let least = elements.clone().map(depth).min();
    elements.filter(|span| Some(depth(span)) == least).map(Span::range).collect()
}

/// The rounds of a loop. Each begins with the first draw of the test case that is repeated, and
/// some have further draws.
fn rounds(trace: &Trace) -> Vec<Range<usize>> {
    let is_draw = |span: &&Span| span.parent.is_none() && span.label.is_draw() && !span.is_empty();
    let draws: Vec<&Span> = trace.spans.iter().filter(is_draw).collect();
    let places = |label: Label| {
        draws.iter().enumerate().filter(move |(_, draw)| draw.label == label).map(|(at, _)| at)
    };
    let Some(head) = draws.iter().find(|draw| places(draw.label).count() > 1) else {
        return Vec::new();
    };
    let heads: Vec<usize> = places(head.label).collect();
    let ends = heads.iter().skip(1).copied().chain([draws.len()]);
    let mut rounds: Vec<(usize, usize)> = heads.iter().copied().zip(ends).collect();
    // The last round may be one draw of several at one place, and what is drawn behind them.
    if rounds[..rounds.len() - 1].iter().all(|(at, end)| end - at == 1) {
        return Vec::new();
    }
    // The last draw of a `while` loop says that it ends.
    rounds.pop_if(|(at, _)| {
        matches!(trace.choices[draws[*at].start as usize].value, Value::Boolean(false))
    });
    let range = |(at, end): (usize, usize)| {
        draws[at].start as usize..draws.get(end).map_or(trace.len(), |draw| draw.start as usize)
    };
    rounds.into_iter().map(range).collect()
}
