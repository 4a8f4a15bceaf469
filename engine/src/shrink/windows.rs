//! Deletes a few parts in a row: elements of a collection, or parts of another span.

use std::ops::{Range, RangeInclusive};

use super::delete::without;
use super::place::elements;
use super::rounds::siblings;
use super::search::{Fruitless, Search};
use crate::trace::Label;

const FRUITLESS_MAX: u64 = 100;
/// How many elements go at once. [`delete`](super::delete) tries fewer.
const ELEMENTS: RangeInclusive<usize> = 3..=4;
/// How many parts of a loop go at once. [`rounds`](super::rounds) tries whole rounds.
const PARTS: RangeInclusive<usize> = 1..=2;
/// In shorter loops, the last passes and the search around the best find what can go.
const PARTS_MIN: usize = 8;

/// Tries windows of one part and of a few, in collections and in loops.
///
/// An operation that undoes itself when done twice needs two rounds to go. A tree that a function
/// draws may begin with a choice that has no separate span.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    search.each_parent(|search, parent| {
        let widths = if is_collection(search, parent) {
            ELEMENTS
        } else if siblings(search, parent).len() >= PARTS_MIN {
            PARTS
        } else {
            return;
        };
        for width in widths {
            delete(search, parent, width, &mut fruitless);
        }
    });
}

/// Tries all windows of this many parts, from the last to the first.
fn delete(search: &mut Search<'_>, parent: Option<u32>, width: usize, fruitless: &mut Fruitless) {
    let mut end = parts(search, parent).len();
    while end >= width && !fruitless.is_enough(search) {
        let parts = parts(search, parent);
        let window = parts.get(end - width..end);
        let gone = window.map(|window| window[0].start..window[width - 1].end);
        if let Some(gone) =
            gone.filter(|gone| is_collection(search, parent) || begins_with_draw(search, gone))
        {
            without(search, gone, None);
        }
        end -= 1;
    }
}

/// The parts of a span, or of the trace outside of all spans.
fn parts(search: &Search<'_>, parent: Option<u32>) -> Vec<Range<usize>> {
    match parent {
        Some(parent) if is_collection(search, Some(parent)) => {
            elements(search.choices(), search.spans(), parent as usize)
        }
        _ => siblings(search, parent),
    }
}

/// Whether these choices begin with a draw of a function or of the target.
fn begins_with_draw(search: &Search<'_>, choices: &Range<usize>) -> bool {
    let spans = search.spans();
    let first = spans.partition_point(|span| (span.start as usize) < choices.start);
    let here = spans[first..].iter().take_while(|span| span.start as usize == choices.start);
    here.map(|span| span.label).any(Label::is_draw)
}

fn is_collection(search: &Search<'_>, parent: Option<u32>) -> bool {
    let span = parent.and_then(|parent| search.spans().get(parent as usize));
    span.is_some_and(|span| span.label == Label::COLLECTION)
}
