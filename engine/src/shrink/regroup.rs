//! Changes how the parts of a tree are held together: an element that is a tree becomes several
//! elements, or takes the place of a leaf in a neighbour.

use std::ops::Range;

use super::place::{collections, elements, inside, moved, values};
use super::search::{Fruitless, Search, Verdict};
use crate::trace::{Label, Span};

const FRUITLESS_MAX: u64 = 100;

/// Puts the parts of each element that is a tree in its place, as elements.
pub(super) fn dissolve(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut index = 0;
    while index < search.spans().len() && !fruitless.is_enough(search) {
        if dissolved(search, index) != Verdict::Better {
            index += 1;
        }
    }
}

fn dissolved(search: &mut Search<'_>, index: usize) -> Verdict {
    let Some((element, tree)) = tree(search.spans(), index) else { return Verdict::Worse };
    let parts = parts(search.spans(), tree);
    if parts.len() < 2 {
        return Verdict::Worse;
    }
    let start = search.spans()[tree].start as usize;
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..element.start));
        for part in parts {
            candidate.extend(values(&best.choices, element.start..start));
            candidate.extend(moved(&best.choices, part, &best.choices[start]));
        }
        candidate.extend(values(&best.choices, element.end..best.len()));
    })
}

/// Puts each element that is a tree in the place of a leaf of the element before it, or behind it.
pub(super) fn graft(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut at = 0;
    while let Some(&index) = collections(search.spans()).get(at) {
        let mut element = elements(search.choices(), search.spans(), index).len();
        while element > 0 && !fruitless.is_enough(search) {
            element -= 1;
            grafted(search, index, element);
        }
        at += 1;
    }
}

fn grafted(search: &mut Search<'_>, collection: usize, element: usize) -> Verdict {
    let spans = search.spans();
    let children: Vec<(usize, Range<usize>)> = inside(spans, collection)
        .filter(|(_, span)| span.parent == Some(collection as u32) && span.label == Label::ELEMENT)
        .filter_map(|(index, _)| tree(spans, index).map(|(element, tree)| (tree, element)))
        .collect();
    let Some((moving, gone)) = children.get(element).cloned() else { return Verdict::Worse };
    let moving = spans[moving];
    let before = element.checked_sub(1).and_then(|before| children.get(before));
    let others = before.into_iter().chain(children.get(element + 1));
    let leaves: Vec<Range<usize>> = others
        .filter(|(other, _)| spans[*other].label == moving.label)
        .filter_map(|(other, _)| leaf(spans, *other))
        .collect();
    for leaf in leaves {
        let verdict = search.attempt(|best, candidate| {
            candidate.extend(values(&best.choices, 0..leaf.start));
            candidate.extend(moved(&best.choices, moving.range(), &best.choices[leaf.start]));
            let behind = candidate.len();
            candidate.extend(values(&best.choices, leaf.end..best.len()));
            let gone = if gone.start < leaf.start {
                gone.clone()
            } else {
                gone.start - leaf.end + behind..gone.end - leaf.end + behind
            };
            candidate.drain(gone);
        });
        if verdict == Verdict::Better {
            return verdict;
        }
    }
    Verdict::Worse
}

/// The choices of the element at this span, and the span of the value that it holds, if that has a
/// type that can hold itself.
fn tree(spans: &[Span], index: usize) -> Option<(Range<usize>, usize)> {
    let element = spans.get(index).filter(|span| span.label == Label::ELEMENT)?;
    let (tree, _) = inside(spans, index).find(|(_, span)| {
        !span.label.is_draw()
            && !matches!(
                span.label,
                Label::ELEMENT | Label::ATTEMPT | Label::COLLECTION | Label::TUPLE
            )
    })?;
    (spans[tree].end == element.end).then(|| (element.range(), tree))
}

/// The outermost spans inside the span at `index` that have its label.
fn parts(spans: &[Span], index: usize) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (_, span) in inside(spans, index)
        .filter(|(_, span)| span.label == spans[index].label && !span.is_empty())
    {
        if parts.last().is_none_or(|last| last.end <= span.start as usize) {
            parts.push(span.range());
        }
    }
    parts
}

/// The shortest span inside the one at `index` that has its label.
fn leaf(spans: &[Span], index: usize) -> Option<Range<usize>> {
    let alike = inside(spans, index)
        .filter(|(_, span)| span.label == spans[index].label && !span.is_empty());
    alike.map(|(_, span)| span.range()).min_by_key(ExactSizeIterator::len)
}
