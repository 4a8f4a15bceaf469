//! Deletes rounds of a loop that the target or a generator wrote itself.
//!
//! A round begins where the same place of the source draws again, or where the same constraint
//! comes again. If the rounds cannot go alone, a number in front of the loop is lowered, because it
//! may count them.

use std::cmp::Ordering;
use std::ops::Range;

use super::delete::{runs, without};
use super::place::Number;
use super::search::{Search, Verdict};
use crate::choice::Constraint;
use crate::trace::{Label, Span};

const FRUITLESS_MAX: usize = 20;

/// Tries each loop, and leaves it as soon as 20 rounds in a row are needed.
pub(super) fn each(search: &mut Search<'_>) {
    search.each_parent(|search, parent| {
        if siblings(search, parent).len() >= SIBLINGS_MIN {
            for kind in kinds(search, parent) {
                runs(search, Some(FRUITLESS_MAX), true, &|search| {
                    beginning_with(search, parent, &kind)
                });
            }
            only(search, parent);
        }
    });
}

/// How many parts the only round of a loop may have.
const ONLY_MAX: usize = 4;

/// Deletes the only round behind a number that may count it: nothing comes again there.
fn only(search: &mut Search<'_>, parent: Option<u32>) {
    let mut part = 0;
    loop {
        let parts = siblings(search, parent);
        let Some([count, behind @ ..]) = parts.get(part..) else { return };
        let number = Number::of(&search.choices()[count.start]);
        let one = number.filter(|number| count.len() == 1 && number.distance() == 1);
        if let Some(none) = one.and_then(|number| number.at(0)) {
            let rounds = behind.iter().take(ONLY_MAX).map(|last| behind[0].start..last.end);
            rounds.into_iter().any(|round| {
                without(search, round, Some((count.start, none.clone()))) == Verdict::Better
            });
        }
        part += 1;
    }
}

/// What a part is: the label of its span, or the constraint of its single choice.
#[derive(Clone, PartialEq)]
enum Kind {
    Span(Label),
    Choice(Constraint),
}

/// The kinds of parts that come at least twice in the span `parent`.
fn kinds(search: &Search<'_>, parent: Option<u32>) -> Vec<Kind> {
    let mut kinds: Vec<(Kind, usize)> = Vec::new();
    for (_, kind) in parts(search, parent) {
        match kinds.iter().position(|(known, _)| *known == kind) {
            Some(known) => kinds[known].1 += 1,
            None if kinds.len() < KINDS_MAX => kinds.push((kind, 1)),
            None => {}
        }
    }
    kinds.into_iter().filter(|(_, count)| *count > 1).map(|(kind, _)| kind).collect()
}

/// More kinds than this do not come from one loop.
const KINDS_MAX: usize = 8;

/// The rounds that begin with a part of this kind. The last one is as long as the one before it.
fn beginning_with(search: &Search<'_>, parent: Option<u32>, kind: &Kind) -> Vec<Range<usize>> {
    let parts = parts(search, parent);
    let starts: Vec<usize> =
        parts.iter().enumerate().filter(|(_, part)| part.1 == *kind).map(|(at, _)| at).collect();
    let mut rounds: Vec<Range<usize>> =
        starts.windows(2).map(|pair| parts[pair[0]].0.start..parts[pair[1]].0.start).collect();
    if let [.., before, last] = starts[..] {
        let end = (last + (last - before)).min(parts.len());
        rounds.push(parts[last].0.start..parts[end - 1].0.end);
    }
    rounds
}

/// The [`siblings`], each with its kind.
fn parts(search: &Search<'_>, parent: Option<u32>) -> Vec<(Range<usize>, Kind)> {
    let spans = search.spans();
    let mut at = parent.map_or(0, |parent| parent as usize + 1);
    let kind = move |range: Range<usize>| {
        while spans.get(at).is_some_and(|span| {
            (span.start as usize) < range.start || span.parent != parent || span.is_empty()
        }) {
            at += 1;
        }
        let kind = match spans.get(at) {
            Some(span) if span.range() == range => Kind::Span(span.label),
            _ => Kind::Choice(search.choices()[range.start].constraint.clone()),
        };
        (range, kind)
    };
    siblings(search, parent).into_iter().map(kind).collect()
}

/// Fewer draws in a row count as the fields of a value, not as a loop.
const SIBLINGS_MIN: usize = 4;

/// Returns the parts that follow one another in one span, or outside of all spans. A part is a
/// draw, or a choice that a generator or the target made directly.
///
/// The result is empty if any child is an element of a collection, or if the parts are only
/// collections: a collection has separate choices that say whether the loop goes on.
fn siblings(search: &Search<'_>, parent: Option<u32>) -> Vec<Range<usize>> {
    let spans = search.spans();
    let first = parent.map_or(0, |parent| parent as usize + 1);
    let inside =
        || spans[first..].iter().take_while(move |span| parent.is_none() || span.parent >= parent);
    let children: Vec<Range<usize>> = inside()
        .filter(|span| span.parent == parent && !span.is_empty())
        .map(Span::range)
        .collect();
    if inside().any(|span| span.parent == parent && span.label == Label::ELEMENT) {
        return Vec::new();
    }
    // Of nested collections, the outermost one holds all the others.
    let mut counted = 0;
    let mut collected = 0;
    for span in inside().filter(|span| {
        span.label == Label::COLLECTION
            && children.binary_search_by(|child| within(child, span)).is_ok()
    }) {
        if span.start as usize >= counted {
            counted = span.end as usize;
            collected += span.len();
        }
    }
    let (whole, is_written_out) = parent.map_or((0..search.len(), true), |parent| {
        (spans[parent as usize].range(), spans[parent as usize].label.is_written_out())
    });
    let choices: usize = children.iter().map(ExactSizeIterator::len).sum();
    if collected == choices && choices > 0 {
        return Vec::new();
    }
    // The fields of a type also stand without spans, but inside a span that names the type.
    if is_written_out { with_bare_choices(whole, &children) } else { children }
}

/// Splits `whole` into the children and each single choice outside of them.
fn with_bare_choices(whole: Range<usize>, children: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut at = whole.start;
    for child in children {
        parts.extend((at..child.start).map(|choice| choice..choice + 1));
        parts.push(child.clone());
        at = child.end;
    }
    parts.extend((at..whole.end).map(|choice| choice..choice + 1));
    parts
}

/// Whether the draw holds the span (`Equal`), or on which side of the span the draw lies.
fn within(draw: &Range<usize>, span: &Span) -> Ordering {
    if draw.end <= span.start as usize {
        Ordering::Less
    } else if draw.start > span.start as usize {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}
