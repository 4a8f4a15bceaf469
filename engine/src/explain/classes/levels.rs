//! How deep a recursive value is, for claims such as "any value at least five levels deep".
//!
//! A level is a span of the label of the value: `-(-x)` of a recursive type has three.

use std::ops::Range;

use crate::trace::Trace;

/// A part of a recursive value that is such a value itself.
#[derive(Clone, Debug)]
pub(crate) struct Inner {
    /// Its choices, from the beginning of the whole value.
    pub(crate) choices: Range<usize>,
    /// The whole value is on level 1.
    pub(crate) level: usize,
}

/// How many levels the value at `span` has.
pub(crate) fn count(trace: &Trace, span: usize) -> usize {
    inner(trace, span).iter().map(|inner| inner.level).max().unwrap_or(1)
}

/// The value at `span` and all parts of it with the same label.
pub(crate) fn inner(trace: &Trace, span: usize) -> Vec<Inner> {
    let whole = trace.spans[span];
    if !whole.label.is_of_value() {
        return Vec::new();
    }
    let mut levels: Vec<usize> = Vec::new();
    let mut inner = Vec::new();
    for part in &trace.spans[span..] {
        let around = part.parent.and_then(|parent| (parent as usize).checked_sub(span));
        // Behind the value, a part has another parent.
        let Some(around) = around.map(|around| levels[around]).or(inner.is_empty().then_some(0))
        else {
            break;
        };
        let is_level = part.label == whole.label && !part.discarded;
        let level = around + usize::from(is_level);
        levels.push(level);
        if is_level {
            let start = whole.start as usize;
            let choices = part.start as usize - start..part.end as usize - start;
            inner.push(Inner { choices, level });
        }
    }
    inner
}
