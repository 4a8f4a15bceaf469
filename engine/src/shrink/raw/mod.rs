//! Shrinks an input that the target takes as it stands: bytes whose meaning only the target knows.
//!
//! The passes know nothing of the target's types. They know how inputs are mostly read: from front
//! to back, with a flag in front of each element. Lengths stand at the front or at the back.
//! Numbers have one, two, four or eight bytes. Each candidate is smaller than the best (see
//! [`compare_inputs`](crate::order::compare_inputs)). The shrinker therefore need not run most of
//! what a pass proposes.
//!
//! Behind the passes, `around` changes bytes at random, and shrinks what still fails.
//!
//! # Where the passes end beside the minimum
//! These are local minima of the passes. The search around the best escapes from many of them.
//! - Changes that delete more than two pieces at once.
//! - Changes that delete two pieces and change a number, unless the number is a length or stands in
//!   front of them.
//! - Decimal numbers, checksums, and data that the target reads in the reverse order of its parts.
//! - Trees whose branches must change their places.

mod ends;
mod delete;
mod zero;
mod length;
mod hoist;
mod lower;
mod carry;
mod copy;
mod alike;
mod sum;
mod sort;
mod each;
mod kick;
mod around;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::search::Search;
use crate::order::{compare_inputs, little_endian};

/// A pass and its name.
type Pass = (&'static str, fn(&mut Search<'_>));

macro_rules! passes {
    ($($pass:path),* $(,)?) => { &[$((stringify!($pass), $pass)),*] };
}

/// The passes by price: those that cost little and delete much stand first.
const STAGES: &[&[Pass]] = &[
    passes![ends::cut, ends::kept, delete::blocks, length::window],
    passes![zero::blocks, length::lowered, delete::units],
    passes![lower::bytes, length::counted, lower::with_deletion],
    passes![lower::words, carry::each, hoist::each, copy::each],
    passes![
        alike::zeroed,
        alike::together,
        alike::fields,
        alike::lowered,
        sum::moved,
        sort::neighbours,
        delete::pairs
    ],
];

/// The passes that run once the passes above find nothing more.
const LAST: &[Pass] = passes![each::byte];

/// Runs the passes until none of them improves the best. Once the input gets shorter, they start
/// again from the top.
pub(super) fn run(search: &mut Search<'_>) {
    run_without("", search);
}

/// Does the same as [`run`], but leaves out the pass of this name.
fn run_without(without: &str, search: &mut Search<'_>) {
    loop {
        sweep(search, without);
        let improved = search.exhaust(|search| {
            for (_, pass) in LAST.iter().filter(|(name, _)| *name != without) {
                pass(search);
            }
        });
        if search.is_stopped() || (!improved && !search.around(around::each)) {
            return;
        }
    }
}

/// Searches around a best that no pass improves. If that improves it, the passes go on from there.
pub(super) fn run_around(search: &mut Search<'_>) {
    if search.around(around::each) {
        run(search);
    }
}

fn sweep(search: &mut Search<'_>, without: &str) {
    // How many improvements there were when a pass last ran in vain.
    let mut in_vain: HashMap<&str, u64> = HashMap::new();
    let mut stage = 0;
    let mut begun = search.improvements();
    while stage < STAGES.len() && !search.is_stopped() {
        let length = length(search);
        for (name, pass) in STAGES[stage].iter().filter(|(name, _)| *name != without) {
            let improvements = search.improvements();
            if in_vain.get(name) != Some(&improvements) {
                pass(search);
                if search.improvements() == improvements {
                    in_vain.insert(name, improvements);
                }
            }
        }
        stage += 1;
        if self::length(search) < length {
            stage = 0;
        }
        if stage == STAGES.len() && search.improvements() > begun {
            (stage, begun) = (0, search.improvements());
        }
    }
}

/// The best input so far.
fn input(search: &Search<'_>) -> Arc<[u8]> {
    search.best().raw_input().cloned().unwrap_or_default()
}

fn length(search: &Search<'_>) -> usize {
    search.best().raw_input().map_or(0, |input| input.len())
}

/// Tries the concatenation of `parts`. Returns whether it is the best now, or was the best already.
/// An input that is not simpler is neither built nor run.
fn put<const N: usize>(search: &mut Search<'_>, parts: [&[u8]; N]) -> bool {
    match compare_parts(&parts, search.best().raw_input().map_or(&[], |input| input)) {
        Ordering::Greater => false,
        Ordering::Equal => true,
        Ordering::Less => search.attempt_raw(parts).holds(),
    }
}

/// Compares the concatenation of `parts` with `input`. Most of the parts may be slices of `input`.
fn compare_parts<const N: usize>(parts: &[&[u8]; N], input: &[u8]) -> Ordering {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut rest = input;
    length.cmp(&input.len()).then_with(|| {
        let mut orders = parts.iter().rev().map(|part| {
            let (before, same_place) = rest.split_at(rest.len() - part.len());
            rest = before;
            if std::ptr::eq(*part, same_place) {
                Ordering::Equal
            } else {
                compare_inputs(part, same_place)
            }
        });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    })
}

/// Tries the best without these bytes.
fn put_without(search: &mut Search<'_>, gone: Range<usize>) -> bool {
    let input = input(search);
    put(search, [&input[..gone.start], &input[gone.end..]])
}

/// Tries the best with other bytes from `at` on.
fn put_at(search: &mut Search<'_>, at: usize, bytes: &[u8]) -> bool {
    let input = input(search);
    put(search, [&input[..at], bytes, &input[at + bytes.len()..]])
}

/// The little-endian number of `width` bytes at `at`.
fn word(input: &[u8], at: usize, width: usize) -> u64 {
    little_endian(&input[at..at + width])
}

/// The widths of numbers, apart from single bytes.
const WIDTHS: [usize; 3] = [8, 4, 2];

#[cfg(test)]
mod tests;
