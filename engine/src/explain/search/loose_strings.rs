//! Strings of which many others of the same form fail, but not all: each item may be one of many of
//! its kind, or change with another one.

use std::ops::Range;

use crate::explain::classes::claims::Pattern;
use crate::explain::classes::draw::Piece;
use crate::explain::classes::pattern::is_in;
use crate::explain::classes::strings::{self, items, value_of};
use crate::explain::classes::study::Study;

/// How many pairs of neighbours are changed together, and which bit of the first one.
const PAIRS_MAX: usize = 4;
const BITS: [u32; 3] = [1, 2, 4];
/// The numbers of the digits.
const DIGITS: Range<u32> = 0x30..0x3A;
/// How many items are changed alone, and by how much.
const KINDS_MAX: usize = 4;
const NEAR: [u32; 4] = [1, 2, 3, 7];
/// An item is of a kind if at least two others near it fail, and at least one in this number.
const ONE_IN: usize = 4;

/// Whether other strings of the same length fail: an item may be another one of its kind, or can
/// make good what its neighbour loses, as in a checksum, a sum or a difference.
/// Items that may be others by the pattern of the string do not count.
pub(crate) fn others_fail(study: &mut Study<'_>, pattern: &Pattern) -> bool {
    asked(study, pattern, &mut |items, fixed, fails| {
        has_kinds(items, fixed, fails) || make_good(items, fixed, fails)
    })
}

/// Whether items of the string make good what their neighbours lose.
pub(crate) fn has_sum(study: &mut Study<'_>, pattern: &Pattern) -> bool {
    asked(study, pattern, &mut |items, fixed, fails| make_good(items, fixed, fails))
}

/// A question about the numbers of the items, and about those that the pattern fixes.
type Asks<'a> = dyn FnMut(&[u32], &[usize], &mut Fails<'_>) -> bool + 'a;

fn asked(study: &mut Study<'_>, pattern: &Pattern, asks: &mut Asks<'_>) -> bool {
    let at = pattern.choice;
    let Some(items) = items(&study.base.choices[at].value) else { return false };
    let numbers: Vec<u32> = items.iter().map(|item| u32::from(*item)).collect();
    let mut fails = |changes: &[(usize, Option<u32>)]| {
        let mut changed = items.clone();
        for (index, number) in changes {
            changed[*index] = number.and_then(char::from_u32)?;
        }
        let value = value_of(&study.base.choices[at].value, &changed);
        // A byte has no number above 255.
        let is_kept = strings::items(&value)? == changed;
        let is_allowed = is_kept && study.base.choices[at].constraint.allows(&value);
        is_allowed.then(|| study.fails(&[Piece::choice(0, at, value)])).flatten()
    };
    let is_fixed =
        |index: &usize| !pattern.items[*index].iter().any(|kind| is_in(*kind, numbers[*index]));
    let fixed: Vec<usize> = (0..numbers.len()).filter(is_fixed).collect();
    asks(&numbers, &fixed, &mut fails)
}

/// Runs a string with some of its items changed.
type Fails<'a> = dyn FnMut(&[(usize, Option<u32>)]) -> Option<bool> + 'a;

/// Whether many items near one of the items fail.
fn has_kinds(items: &[u32], fixed: &[usize], fails: &mut Fails<'_>) -> bool {
    fixed.iter().take(KINDS_MAX).any(|index| {
        let item = items[*index];
        let near = NEAR.iter().flat_map(|by| [item.checked_sub(*by), item.checked_add(*by)]);
        let verdicts: Vec<bool> = near.filter_map(|other| fails(&[(*index, other)])).collect();
        let failed = verdicts.iter().filter(|failed| **failed).count();
        failed >= 2 && failed * ONE_IN >= verdicts.len()
    })
}

/// All digits, in place of what stands beside a digit: a check digit weighs each place in another
/// way.
fn digits_beside(one: u32) -> impl Iterator<Item = Option<u32>> {
    DIGITS.filter(move |_| DIGITS.contains(&one)).map(Some)
}

/// Whether items make good what their neighbours lose.
fn make_good(items: &[u32], fixed: &[usize], fails: &mut Fails<'_>) -> bool {
    fixed.array_windows().take(PAIRS_MAX).any(|[first, second]| {
        let (one, other) = (items[*first], items[*second]);
        let (mut made_good, mut tried) = (0, 0);
        for changed in BITS.map(|bit| one ^ bit) {
            if fails(&[(*first, Some(changed))]) != Some(false) {
                continue;
            }
            tried += 1;
            let ways = [
                Some(other ^ one ^ changed),
                (other + one).checked_sub(changed),
                (other + changed).checked_sub(one),
            ];
            let mut ways = ways.into_iter().chain(digits_beside(changed));
            made_good += u32::from(
                ways.any(|way| fails(&[(*first, Some(changed)), (*second, way)]) == Some(true)),
            );
        }
        made_good >= 2 && 2 * made_good > tried
    })
}
