//! Copies of a case that get a part of another one.

use fastrand::Rng;

use crate::choice::Value;
use crate::trace::{Label, Span, Trace};

/// Returns the choices of `parent`, with a part of `other` in place of a part with the same label,
/// or with elements of `other` beside an element. `None` if no part fits.
pub(super) fn spliced(rng: &mut Rng, parent: &Trace, other: &Trace) -> Option<Vec<Value>> {
    let place = any_of(rng, parent.spans.iter().filter(|span| !span.is_empty()))?;
    let fits = |span: &&Span| span.label == place.label && !span.is_empty();
    let part = any_of(rng, other.spans.iter().filter(fits))?;
    let mut values = parent.values();
    let (range, copied) = if place.label == Label::ELEMENT {
        let at = if rng.bool() { place.start } else { place.end } as usize;
        (at..at, elements(rng, other, part))
    } else {
        (place.range(), part.range())
    };
    values.splice(range, other.choices[copied].iter().map(|choice| choice.value.clone()));
    Some(values)
}

/// The choices of one or more elements in a row, in the collection of `element`. Often they begin
/// with its first element, and often they end with its last.
fn elements(rng: &mut Rng, trace: &Trace, element: &Span) -> std::ops::Range<usize> {
    let of_collection =
        |span: &&Span| span.label == Label::ELEMENT && span.parent == element.parent;
    let all: Vec<&Span> = trace.spans.iter().filter(of_collection).collect();
    let first = if rng.bool() { 0 } else { rng.usize(..all.len()) };
    let last = if rng.bool() { all.len() - 1 } else { rng.usize(first..all.len()) };
    all[first].start as usize..all[last].end as usize
}

fn any_of<'a>(rng: &mut Rng, spans: impl Iterator<Item = &'a Span> + Clone) -> Option<&'a Span> {
    let count = spans.clone().count();
    if count == 0 { None } else { spans.clone().nth(rng.usize(..count)) }
}
