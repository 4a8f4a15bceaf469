//! Changes how the parts of a tree are held together: an element that is a tree becomes several
//! elements, or takes the place of a leaf in a neighbour.

use std::ops::Range;

use super::place::{inside, is_continue, may_hold_itself, moved, parts_alike, values};
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
    let spans = search.spans();
    let Some(Tree { element, span }) = tree(spans, index) else { return Verdict::Worse };
    let parts = parts_alike(spans, span);
    if parts.len() < 2 {
        return Verdict::Worse;
    }
    let start = spans[span].start as usize;
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..element.start));
        for part in parts {
            candidate.extend(values(&best.choices, element.start..start));
            candidate.extend(moved(&best.choices, part, &best.choices[start]));
        }
        candidate.extend(values(&best.choices, element.end..best.len()));
    })
}

/// Puts each element that is a tree in the place of a leaf of the tree before it, or behind it.
pub(super) fn graft(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    search.each_collection(|search, index| {
        let mut trees = trees(search, index);
        let mut at = trees.len();
        while at > 0 && trees.len() > 1 && !fruitless.is_enough(search) {
            at -= 1;
            let neighbours = [at.checked_sub(1), Some(at + 1)];
            if neighbours
                .into_iter()
                .flatten()
                .filter_map(|neighbour| trees.get(neighbour))
                .any(|neighbour| grafted(search, &trees[at], neighbour) == Verdict::Better)
            {
                trees = self::trees(search, index);
                at = at.min(trees.len());
            }
        }
    });
}

fn grafted(search: &mut Search<'_>, moving: &Tree, neighbour: &Tree) -> Verdict {
    let spans = search.spans();
    let whole = spans[moving.span];
    let leaves = inside(spans, neighbour.span)
        .filter(|(_, span)| span.label == whole.label && !span.is_empty());
    let Some(leaf) = leaves.map(|(_, span)| span.range()).min_by_key(ExactSizeIterator::len) else {
        return Verdict::Worse;
    };
    search.attempt(|best, candidate| {
        let (choices, gone) = (&best.choices, moving.element.clone());
        let whole = moved(choices, whole.range(), &choices[leaf.start]);
        if gone.start < leaf.start {
            candidate.extend(values(choices, 0..gone.start));
            candidate.extend(values(choices, gone.end..leaf.start));
            candidate.extend(whole);
            candidate.extend(values(choices, leaf.end..best.len()));
        } else {
            candidate.extend(values(choices, 0..leaf.start));
            candidate.extend(whole);
            candidate.extend(values(choices, leaf.end..gone.start));
            candidate.extend(values(choices, gone.end..best.len()));
        }
    })
}

/// An element whose value may hold values of its kind.
struct Tree {
    /// The choices of the element.
    element: Range<usize>,
    /// The index of the span of the value.
    span: usize,
}

/// The element at this span, if its value may hold values of its kind.
fn tree(spans: &[Span], index: usize) -> Option<Tree> {
    let element = spans.get(index).filter(|span| span.label == Label::ELEMENT)?;
    let (span, value) = inside(spans, index).find(|(_, span)| may_hold_itself(span.label))?;
    (value.end == element.end).then(|| Tree { element: element.range(), span })
}

/// The elements of the collection at this span that are trees and can be deleted.
fn trees(search: &Search<'_>, collection: usize) -> Vec<Tree> {
    let (choices, spans) = (search.choices(), search.spans());
    inside(spans, collection)
        .filter(|(_, span)| span.parent == Some(collection as u32))
        .filter_map(|(index, _)| tree(spans, index))
        .filter(|tree| choices.get(tree.element.start).is_some_and(is_continue))
        .collect()
}
