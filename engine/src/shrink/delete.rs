//! Deletes elements of collections, as many at once as possible.

use std::cmp::Ordering;
use std::ops::Range;

use super::gallop::Gallop;
use super::place::{Number, elements, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::{Constraint, Value};
use crate::trace::{Label, Span};

/// Leaves a collection as soon as two elements in a row are needed. This is cheap even on ten
/// thousand elements.
pub(super) fn quick(search: &mut Search<'_>) {
    search.each_collection(|search, index| collection(search, index, Some(2)));
}

/// Tries to delete every element.
pub(super) fn full(search: &mut Search<'_>) {
    search.each_collection(|search, index| collection(search, index, None));
}

fn collection(search: &mut Search<'_>, index: usize, fruitless_max: Option<usize>) {
    if count(search, index) > 0 {
        runs(search, fruitless_max, false, &|search| {
            elements(search.choices(), search.spans(), index)
        });
    }
}

/// Deletes runs of `units`, from the last unit to the first. If `are_counted`, a number in front of
/// the units may count them, and is lowered together with a deletion that does not hold alone.
fn runs(
    search: &mut Search<'_>,
    fruitless_max: Option<usize>,
    are_counted: bool,
    units: &dyn Fn(&Search<'_>) -> Vec<Range<usize>>,
) {
    let remove = |search: &mut Search<'_>, first_unit: usize, end: usize| {
        let units = units(search);
        let (Some(first), Some(last)) = (units.get(first_unit), units.get(end - 1)) else {
            return Verdict::Worse;
        };
        let (gone, all) = (first.start..last.end, units[0].start);
        let count = end - first_unit;
        let verdict = without(search, gone.clone(), None);
        if verdict == Verdict::Better
            || !are_counted
            || search.trial_length().is_some_and(|length| length < search.len())
        {
            return verdict;
        }
        let counts = (0..all).rev().filter_map(|at| {
            let number = Number::of(&search.choices()[at])?;
            Some((at, number.at(number.distance().checked_sub(count as u128)?)?))
        });
        let counts: Vec<(usize, Value)> = counts.take(COUNTS_MAX).collect();
        if counts
            .into_iter()
            .any(|count| without(search, gone.clone(), Some(count)) == Verdict::Better)
        {
            return Verdict::Better;
        }
        verdict
    };
    let mut end = units(search).len();
    if end > 1 && remove(search, 0, end).holds() {
        return;
    }
    let mut fruitless = 0;
    while end > 0 && !search.is_stopped() {
        let before = end;
        let mut gallop = Gallop::new();
        while let Some(step) = gallop.step() {
            let wanted = step.min(end);
            let went = wanted > 0 && remove(search, end - wanted, end) == Verdict::Better;
            if went {
                end = (end - wanted).min(units(search).len());
            }
            gallop.went(went);
        }
        if end == before {
            fruitless += 1;
            if fruitless_max.is_some_and(|max| fruitless >= max) {
                return;
            }
        } else {
            fruitless = 0;
        }
        end = end.saturating_sub(1);
        // Among equal units in a row, it makes no difference which one goes.
        let units = units(search);
        while let Some([one, other]) = end.checked_sub(1).and_then(|first| units.get(first..=end))
            && is_same(search, one, other)
        {
            end -= 1;
        }
    }
}

/// How many numbers in front of a loop may count its rounds.
const COUNTS_MAX: usize = 2;

/// Tries the best without these choices, and with another value at a place in front of them.
fn without(search: &mut Search<'_>, gone: Range<usize>, change: Option<(usize, Value)>) -> Verdict {
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..gone.start));
        candidate.extend(values(&best.choices, gone.end..best.len()));
        if let Some((at, value)) = change {
            candidate[at] = value;
        }
    })
}

fn is_same(search: &Search<'_>, one: &Range<usize>, other: &Range<usize>) -> bool {
    one.len() == other.len()
        && one
            .clone()
            .zip(other.clone())
            .all(|(one, other)| search.choices()[one].value == search.choices()[other].value)
}

fn count(search: &Search<'_>, index: usize) -> usize {
    elements(search.choices(), search.spans(), index).len()
}

/// Deletes rounds of a loop that the target or a generator wrote itself.
///
/// A round begins where the same place of the source draws again, or where the same constraint
/// comes again. If the rounds cannot go alone, a number in front of the loop is lowered, because it
/// may count them.
pub(super) fn rounds(search: &mut Search<'_>) {
    let mut parent = None;
    while !search.is_stopped() {
        if siblings(search, parent).len() >= SIBLINGS_MIN {
            for kind in kinds(search, parent) {
                runs(search, Some(FRUITLESS_ROUNDS), true, &|search| {
                    beginning_with(search, parent, &kind)
                });
            }
        }
        let next = parent.map_or(0, |parent: u32| parent + 1);
        if next as usize >= search.spans().len() {
            break;
        }
        parent = Some(next);
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
const FRUITLESS_ROUNDS: usize = 20;

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

const FRUITLESS_PAIRS: u64 = 100;

/// Deletes two elements of one collection, next to each other or up to three places apart. It helps
/// where neither element can go alone.
pub(super) fn pairs(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_PAIRS);
    search.each_collection(|search, index| {
        let mut end = count(search, index);
        while end > 1 && !fruitless.is_enough(search) {
            for apart in 1..=3 {
                let ranges = elements(search.choices(), search.spans(), index);
                let Some(first) = end.checked_sub(apart + 1) else { break };
                let (Some(one), Some(other)) = (ranges.get(first), ranges.get(end - 1)) else {
                    break;
                };
                let (one, other) = (one.clone(), other.clone());
                search.attempt(|best, candidate| {
                    candidate.extend(values(&best.choices, 0..one.start));
                    candidate.extend(values(&best.choices, one.end..other.start));
                    candidate.extend(values(&best.choices, other.end..best.len()));
                });
            }
            end = (end - 1).min(count(search, index));
        }
    });
}

const FRUITLESS_WINDOWS: u64 = 60;

/// Deletes three or four neighbouring elements where fewer cannot go. An example is two rounds of
/// an operation that undoes itself when done twice.
pub(super) fn windows(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_WINDOWS);
    search.each_collection(|search, index| {
        let mut end = count(search, index);
        while end > 2 && !fruitless.is_enough(search) {
            for width in 3..=4 {
                let ranges = elements(search.choices(), search.spans(), index);
                let (Some(first), Some(last)) = (
                    end.checked_sub(width).and_then(|first| ranges.get(first)),
                    ranges.get(end - 1),
                ) else {
                    break;
                };
                let gone = first.start..last.end;
                search.attempt(|best, candidate| {
                    candidate.extend(values(&best.choices, 0..gone.start));
                    candidate.extend(values(&best.choices, gone.end..best.len()));
                });
            }
            end = (end - 1).min(count(search, index));
        }
    });
}
