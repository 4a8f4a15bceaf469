//! The operations of an input: the elements of its outermost collection.

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
pub(super) fn last_element(trace: &Trace) -> Option<std::ops::Range<usize>> {
    let depth = |span: &Span| {
        std::iter::successors(span.parent, |above| trace.spans[*above as usize].parent).count()
    };
    let elements =
        trace.spans.iter().filter(|span| span.label == Label::ELEMENT && !span.discarded);
    elements.min_by_key(|span| (depth(span), std::cmp::Reverse(span.start))).map(Span::range)
}
