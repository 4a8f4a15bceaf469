//! Shrinks an input that the target takes as it stands: bytes of which only the target knows what they mean.
//!
//! The passes know nothing of the target's types. What they know is how inputs are mostly read: front to back, with a flag in front of each element, lengths at
//! the front or at the back, numbers of one, two, four or eight bytes. Each candidate is smaller than the best (see
//! [`compare_inputs`](crate::order::compare_inputs)), so most of what a pass thinks of need not be run.
//!
//! # Where it ends beside the minimum
//! - What takes more than two pieces away at once, or takes two away and changes a number that is neither a length nor in front of them.
//! - Numbers in decimal, checksums and all that is read backwards from what it is made of.
//! - Trees whose branches have to change their places.

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

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::search::Search;
use crate::order::{compare_inputs, little_endian};

/// A pass by its name.
type Pass = (&'static str, fn(&mut Search<'_>));

macro_rules! passes {
    ($($pass:path),* $(,)?) => { &[$((stringify!($pass), $pass)),*] };
}

/// The passes by price. What costs little and takes much stands first.
const STAGES: &[&[Pass]] = &[
    passes![ends::cut, length::window, delete::blocks],
    passes![zero::blocks, length::lowered, delete::units],
    passes![lower::bytes, length::counted, lower::with_deletion],
    passes![lower::words, carry::each, hoist::each, copy::each],
    passes![alike::zeroed, alike::lowered, sum::moved, sort::neighbours, delete::pairs],
];

/// What is tried where no pass above finds anything more.
const LAST: &[Pass] = passes![each::byte];

/// Runs the passes until none of them improves anything: from the top again once the input got shorter.
pub(super) fn run(search: &mut Search<'_>) {
    run_without("", search);
}

/// The same but for the pass of this name.
fn run_without(without: &str, search: &mut Search<'_>) {
    loop {
        sweep(search, without);
        let improved = search.exhaust(|search| {
            for (_, pass) in LAST.iter().filter(|(name, _)| *name != without) {
                pass(search);
            }
        });
        if !improved || search.is_stopped() {
            return;
        }
    }
}

fn sweep(search: &mut Search<'_>, without: &str) {
    // How many improvements there were when a pass ran in vain.
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

/// The input so far.
fn input(search: &Search<'_>) -> Arc<[u8]> {
    search.best().raw_input().cloned().unwrap_or_default()
}

fn length(search: &Search<'_>) -> usize {
    search.best().raw_input().map_or(0, |input| input.len())
}

/// Tries an input, put together of `parts`: whether it is the best now, or was it already. What is not simpler is not run, nor put together.
fn put<const N: usize>(search: &mut Search<'_>, parts: [&[u8]; N]) -> bool {
    match compare_parts(&parts, search.best().raw_input().map_or(&[], |input| input)) {
        Ordering::Greater => false,
        Ordering::Equal => true,
        Ordering::Less => search.attempt_raw(parts).holds(),
    }
}

/// Compares what `parts` come to with `input`, most of which they may be parts of.
fn compare_parts<const N: usize>(parts: &[&[u8]; N], input: &[u8]) -> Ordering {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut rest = input;
    length.cmp(&input.len()).then_with(|| {
        let mut orders = parts.iter().rev().map(|part| {
            let (before, same_place) = rest.split_at(rest.len() - part.len());
            rest = before;
            if std::ptr::eq(*part, same_place) { Ordering::Equal } else { compare_inputs(part, same_place) }
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

/// How wide numbers are, apart from single bytes.
const WIDTHS: [usize; 3] = [8, 4, 2];

#[cfg(test)]
mod tests;
