//! Draws recursive values that are deep enough, or that have a given part.

use std::ops::Range;

use fastrand::Rng;

use super::levels::Inner;
use super::redraw::{Redrawn, Redraws};
use super::tree::Tree;
use super::trials::Trials;
use crate::choice::Value;
use crate::trace::Trace;

/// How many parts of a value are replaced to make it deep enough.
const GROWN_MAX: usize = 24;

/// The value at `span`, drawn anew with at least this number of levels. While it has fewer, a part
/// on its last level is replaced by another new value. Every other time it is the same new value
/// again and again: a random deep value holds nearly everything, and so says little of depth.
pub(crate) fn drawn(
    levels: usize,
    redraws: &mut Redraws,
    trials: &mut Trials<'_>,
    source: (&Trace, &Tree),
    span: usize,
    rng: &mut Rng,
) -> Option<Redrawn> {
    let mut whole = redraws.next(trials, source, span)?;
    let repeats = rng.bool();
    let mut repeated = None;
    for _ in 0..GROWN_MAX {
        let last = whole.inner.iter().map(|inner| inner.level).max()?;
        if last >= levels {
            return Some(whole);
        }
        let lasts: Vec<usize> =
            (0..whole.inner.len()).filter(|at| whole.inner[*at].level == last).collect();
        let part = match &repeated {
            Some(part) => Redrawn::clone(part),
            None => redraws.next(trials, source, span)?,
        };
        if repeats && part.inner.len() > 1 {
            repeated = Some(part.clone());
        }
        whole = with_part(whole, rng.choice(lasts)?, part);
    }
    None
}

/// A new value in the place of the one at `span`, with `part` in the place of one of its parts.
/// `None` if the new value has no parts.
pub(crate) fn around(
    part: Vec<Value>,
    redraws: &mut Redraws,
    trials: &mut Trials<'_>,
    source: (&Trace, &Tree),
    span: usize,
    rng: &mut Rng,
) -> Option<Vec<Value>> {
    let whole = redraws.next(trials, source, span)?;
    // The first is the whole value.
    let inner = rng.choice(whole.inner.get(1..)?)?.choices.clone();
    let mut values: Vec<Value> = whole.choices.into_iter().map(|choice| choice.value).collect();
    values.splice(inner, part);
    Some(values)
}

/// `whole` with another value in the place of one of its parts, which has no parts itself.
fn with_part(mut whole: Redrawn, at: usize, part: Redrawn) -> Redrawn {
    let Inner { choices: Range { start, end }, level } = whole.inner[at].clone();
    let (before, now) = (end - start, part.choices.len());
    whole.choices.splice(start..end, part.choices);
    let moved = |place: usize| if place >= end { place - before + now } else { place };
    for inner in &mut whole.inner {
        inner.choices = if inner.choices.start >= end {
            moved(inner.choices.start)..moved(inner.choices.end)
        } else {
            inner.choices.start..moved(inner.choices.end)
        };
    }
    let parts = part.inner.into_iter().map(|inner| Inner {
        choices: inner.choices.start + start..inner.choices.end + start,
        level: inner.level + level - 1,
    });
    whole.inner.splice(at..=at, parts);
    // The keys of collections in the new part are unknown.
    whole.lengths.clear();
    whole
}
