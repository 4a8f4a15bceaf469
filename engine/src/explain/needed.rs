//! Whether a failing input needs the items of a string that a cause needs.
//!
//! The items of a cause's string may stand in another string with others between them, where no
//! pattern has a gap: a number in a text may have anything around it that a parser takes. Then each
//! of these items is changed in the other string. If the input still fails without one of them, it
//! fails for another reason.

use super::claims::{Kinds, Pattern};
use super::pattern::{ANY, OTHERS, is_item};
use super::strings::{items, value_of};
use crate::choice::Value;
use crate::trace::Trace;

/// At most this number of items of one string are changed.
const ITEMS_MAX: usize = 24;

/// For each item of `base` that is not any item, where it stands in the other string, the first
/// time and the last time. `None` if they are not there in this order.
pub(super) fn places(
    pattern: &Pattern,
    is_loose: bool,
    base: &Value,
    other: &Value,
) -> Option<[Vec<usize>; 2]> {
    if std::mem::discriminant(base) != std::mem::discriminant(other) {
        return None;
    }
    let is_text = matches!(base, Value::Text(_));
    let (base, other) = (items(base)?, items(other)?);
    if pattern.items.len() != base.len() {
        return None;
    }
    let wanted: Vec<(char, &Kinds)> =
        base.into_iter().zip(&pattern.items).filter(|(_, kinds)| **kinds != [ANY]).collect();
    let is_here =
        |(item, kinds): &(char, &Kinds), other| is_item(*item, kinds, other, is_loose, is_text);
    if wanted.is_empty() {
        return None;
    }
    let mut first = Vec::new();
    for (at, item) in other.iter().enumerate() {
        if wanted.get(first.len()).is_some_and(|wanted| is_here(wanted, *item)) {
            first.push(at);
        }
    }
    let mut last = Vec::new();
    for (at, item) in other.iter().enumerate().rev() {
        let next = wanted.len().checked_sub(last.len() + 1).map(|next| &wanted[next]);
        if next.is_some_and(|wanted| is_here(wanted, *item)) {
            last.push(at);
        }
    }
    (first.len() == wanted.len()).then_some([first, last])
}

/// Whether the failure goes with each of these items of a string changed.
pub(super) fn are_needed(
    places: &[usize],
    at: usize,
    failing: &Trace,
    fails: &mut dyn FnMut(&[Value]) -> bool,
) -> bool {
    let choice = &failing.choices[at];
    let Some(own) = items(&choice.value) else { return false };
    let mut values = failing.values();
    places.iter().take(ITEMS_MAX).all(|place| {
        OTHERS.into_iter().filter(|item| own[*place] != *item).any(|item| {
            let mut changed = own.clone();
            changed[*place] = item;
            let value = value_of(&choice.value, &changed);
            choice.constraint.allows(&value) && {
                values[at] = value;
                !fails(&values)
            }
        })
    })
}
