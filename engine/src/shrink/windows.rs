//! Deletes a few parts in a row: elements of a collection, or parts of another span.

use std::ops::{Range, RangeInclusive};

use super::delete::without;
use super::place::elements;
use super::rounds::siblings;
use super::search::{Fruitless, Search, Verdict};
use crate::trace::Label;

const FRUITLESS_MAX: u64 = 100;
/// How many elements go at once. [`delete`](super::delete) tries fewer.
const ELEMENTS: RangeInclusive<usize> = 3..=4;
/// How many parts of a loop go at once. [`rounds`](super::rounds) tries whole rounds.
const PARTS: RangeInclusive<usize> = 1..=2;
/// In shorter loops, the last passes and the search around the best find what can go.
const PARTS_MIN: usize = 8;

/// Tries three and four elements of collections, and one or two parts of loops that begin with a
/// draw.
///
/// An operation that undoes itself when done twice needs several elements to go. A tree that a
/// function draws in a loop has no span of its kind, so its first draw may go alone.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    search.each_parent(|search, parent| {
        let is_collection = is_collection(search, parent);
        let mut parts = parts(search, parent);
        if !is_collection && parts.len() < PARTS_MIN {
            return;
        }
        for width in if is_collection { ELEMENTS } else { PARTS } {
            let mut end = parts.len();
            while end >= width && !fruitless.is_enough(search) {
                let gone = parts[end - width].start..parts[end - 1].end;
                end -= 1;
                if (is_collection || begins_with_draw(search, gone.start))
                    && without(search, gone, None) == Verdict::Better
                {
                    parts = self::parts(search, parent);
                    end = end.min(parts.len());
                }
            }
        }
    });
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

/// Whether a draw of a function or of the target begins here.
fn begins_with_draw(search: &Search<'_>, at: usize) -> bool {
    let spans = search.spans();
    let first = spans.partition_point(|span| (span.start as usize) < at);
    let here = spans[first..].iter().take_while(|span| span.start as usize == at);
    here.map(|span| span.label).any(Label::is_draw)
}

fn is_collection(search: &Search<'_>, parent: Option<u32>) -> bool {
    let span = parent.and_then(|parent| search.spans().get(parent as usize));
    span.is_some_and(|span| span.label == Label::COLLECTION)
}
