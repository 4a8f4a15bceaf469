//! The operations of an input: the elements of its outermost collection.

use std::ops::Range;

use crate::shrink::place::alternative;
use crate::trace::{Label, Span, Trace};

/// The alternative that the last element of the outermost collection takes.
///
/// Two operations may need the same state and be two faults: reading a key, and replacing it. No
/// context tells them apart. The operation that shows the fault stands last in a minimized input.
pub(super) fn last_operation(trace: &Trace) -> Option<i128> {
    alternative(trace.choices.get(last_element(trace)?.start)?)
}

/// The choices of the last element of the outermost collection.
pub(super) fn last_element(trace: &Trace) -> Option<Range<usize>> {
    outermost_elements(trace).last()
}

/// The choices of each element of the outermost collections, in order.
pub(super) fn outermost_elements(trace: &Trace) -> impl Iterator<Item = Range<usize>> {
    let depth = |span: &Span| {
        std::iter::successors(span.parent, |above| trace.spans[*above as usize].parent).count()
    };
    let elements =
        trace.spans.iter().filter(|span| span.label == Label::ELEMENT && !span.discarded);
    let least = elements.clone().map(depth).min();
    elements.filter(move |span| Some(depth(span)) == least).map(Span::range)
}
