//! Whether the strings of a failing input may stand for those of a cause.
//!
//! The questions are asked in the minimized input of the cause, with the strings of the other input
//! in it.
//!
//! The items of a cause's string may stand in another string with others between them, where its
//! pattern has no gap: a number in a text may have anything around it that a parser takes. Then:
//!
//! - The cause must fail with the further items. If its string must begin with an item, no other
//!   may stand before it.
//! - It must pass when any of the items that it needs changes there.
//!
//! Two strings that [change together](super::strings_together) may be any others that do so.

use std::mem::discriminant;

use super::strings_together::are_alike;
use super::wanted::Wanted;
use crate::choice::Value;
use crate::explain::classes::claims::{Claims, Pattern, Place};
use crate::explain::classes::pattern::{ANY, OTHERS, is_between, is_item, matches};
use crate::explain::classes::strings::{items, value_of};
use crate::trace::Trace;

/// At most this number of items of one string are changed.
const ITEMS_MAX: usize = 24;

/// How many strings of an input are looked at.
const STRINGS_MAX: usize = 16;

/// The strings of a failing input that may stand for those of a cause.
pub(super) struct Strings<'a> {
    wanted: &'a Wanted<'a>,
    failing: &'a Trace,
    /// Choices of the cause with the strings that stand for them, and whether the input needs them.
    known: Vec<(Vec<(usize, usize)>, bool)>,
}

/// Whether a run with these values fails.
type Fails<'a> = dyn FnMut(&[Value]) -> bool + 'a;

impl<'a> Strings<'a> {
    pub(super) fn of(wanted: &'a Wanted<'a>, failing: &'a Trace) -> Strings<'a> {
        Strings { wanted, failing, known: Vec::new() }
    }

    /// Whether the input needs all its strings that stand for others of the cause. The values are
    /// those of the cause, with loose ones of the input.
    pub(super) fn are_needed(
        &mut self,
        matched: &[(usize, usize)],
        values: &[Value],
        fails: &mut Fails<'_>,
    ) -> bool {
        self.have_items(matched, values, fails) && self.change_together(matched, values, fails)
    }

    /// Whether the strings that match no pattern have the items that the cause needs.
    fn have_items(
        &mut self,
        matched: &[(usize, usize)],
        values: &[Value],
        fails: &mut Fails<'_>,
    ) -> bool {
        let Claims { loose, patterns, .. } = self.wanted.claims;
        let (mut pairs, mut aligned) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let own = pattern.choice;
            let Some(pair) = matched.iter().find(|(of, _)| *of == own) else { continue };
            let base = &self.wanted.base.choices[own].value;
            let other = &self.failing.choices[pair.1].value;
            let is_loose = loose.contains(&Place::Choice(own));
            let is_allowed = self.wanted.is_claimed(own, other)
                || matches(pattern, is_loose, base, other, &mut 0);
            if !is_allowed {
                pairs.push(*pair);
                aligned.extend(Alignment::of(pattern, is_loose, base, other));
            }
        }
        if aligned.len() < pairs.len() || pairs.is_empty() {
            return pairs.is_empty();
        }
        if let Some((_, are_needed)) = self.known.iter().find(|(known, _)| *known == pairs) {
            return *are_needed;
        }
        let are_needed = self.known.len() < STRINGS_MAX
            && [0, 1].into_iter().any(|way| self.need_items(&aligned, way, values, fails));
        self.known.push((pairs, are_needed));
        are_needed
    }

    /// Whether the cause fails with these strings, and passes when an item of them changes.
    fn need_items(
        &self,
        aligned: &[Alignment<'_>],
        way: usize,
        values: &[Value],
        fails: &mut Fails<'_>,
    ) -> bool {
        let mut values = values.to_vec();
        let put = |values: &mut Vec<Value>, at: usize, items: &[char]| {
            values[at] = value_of(&values[at], items);
            self.wanted.base.choices[at].constraint.allows(&values[at])
        };
        let strings: Vec<_> = aligned.iter().map(|aligned| aligned.instance(way)).collect();
        let are_possible = aligned
            .iter()
            .zip(&strings)
            .all(|(aligned, (items, _))| put(&mut values, aligned.pattern.choice, items));
        if !are_possible || !fails(&values) {
            return false;
        }
        aligned.iter().zip(&strings).all(|(aligned, (items, places))| {
            are_needed(items, places, &mut |items| {
                let mut values = values.clone();
                put(&mut values, aligned.pattern.choice, items).then(|| fails(&values))
            })
        })
    }

    /// Whether strings in the places of loose ones without a pattern change together.
    fn change_together(
        &self,
        matched: &[(usize, usize)],
        values: &[Value],
        fails: &mut Fails<'_>,
    ) -> bool {
        let Claims { loose, patterns, .. } = self.wanted.claims;
        let is_any = |own: usize| {
            items(&self.wanted.base.choices[own].value).is_some()
                && loose.contains(&Place::Choice(own))
                && patterns.iter().all(|pattern| pattern.choice != own)
        };
        let any = matched.iter().map(|(own, _)| *own).filter(|own| is_any(*own));
        let any: Vec<usize> = any.collect();
        any.len() < 2 || are_alike((self.wanted.base, values), &any, fails)
    }
}

/// Whether the items of `base` that may not be any item stand in the other string, in order.
pub(super) fn has_items(pattern: &Pattern, is_loose: bool, base: &Value, other: &Value) -> bool {
    Alignment::of(pattern, is_loose, base, other).is_some()
}

/// Where items of a string of a cause stand in another string.
struct Alignment<'a> {
    pattern: &'a Pattern,
    own: Vec<char>,
    others: Vec<char>,
    /// The items of the first string that may not be any item.
    wanted: Vec<usize>,
    /// Where these items stand in the other string, the first time and the last time.
    ways: [Vec<usize>; 2],
}

impl Alignment<'_> {
    fn of<'a>(
        pattern: &'a Pattern,
        is_loose: bool,
        base: &Value,
        other: &Value,
    ) -> Option<Alignment<'a>> {
        let is_text = matches!(base, Value::Text(_));
        let (own, others) = (items(base)?, items(other)?);
        if discriminant(base) != discriminant(other) || pattern.items.len() != own.len() {
            return None;
        }
        let wanted: Vec<usize> = (0..own.len()).filter(|at| pattern.items[*at] != [ANY]).collect();
        let is_here =
            |at: usize, item: char| is_item(own[at], &pattern.items[at], item, is_loose, is_text);
        let mut first = Vec::new();
        for (at, item) in others.iter().enumerate() {
            if wanted.get(first.len()).is_some_and(|wanted| is_here(*wanted, *item)) {
                first.push(at);
            }
        }
        if wanted.is_empty() || first.len() < wanted.len() {
            return None;
        }
        let mut last = Vec::new();
        for (at, item) in others.iter().enumerate().rev() {
            let next = wanted.len().checked_sub(last.len() + 1).map(|next| wanted[next]);
            if next.is_some_and(|wanted| is_here(wanted, *item)) {
                last.push(at);
            }
        }
        last.reverse();
        Some(Alignment { pattern, own, others, wanted, ways: [first, last] })
    }

    /// The string of the cause with its items as they are in the other string, and with what stands
    /// between them there, if the pattern does not allow it.
    /// Also where its items stand in it.
    fn instance(&self, way: usize) -> (Vec<char>, Vec<usize>) {
        let Alignment { pattern, own, others, wanted, ways } = self;
        let (mut items, mut places) = (Vec::new(), Vec::new());
        let (mut from, mut from_other) = (0, 0);
        let ends = wanted.iter().copied().chain([own.len()]);
        for (end, end_other) in ends.zip(ways[way].iter().copied().chain([others.len()])) {
            let (between, there) = (from..end, &others[from_other..end_other]);
            let is_allowed = is_between(pattern, between.clone(), there);
            items.extend_from_slice(if is_allowed { &own[between] } else { there });
            if let Some(item) = others.get(end_other) {
                places.push(items.len());
                items.push(*item);
            }
            (from, from_other) = (end + 1, end_other + 1);
        }
        (items, places)
    }
}

/// Whether the failure goes with each of these items of a string changed.
fn are_needed(
    items: &[char],
    places: &[usize],
    fails: &mut dyn FnMut(&[char]) -> Option<bool>,
) -> bool {
    places.iter().take(ITEMS_MAX).all(|place| {
        OTHERS.into_iter().filter(|other| items[*place] != *other).any(|other| {
            let mut changed = items.to_vec();
            changed[*place] = other;
            fails(&changed) == Some(false)
        })
    })
}
