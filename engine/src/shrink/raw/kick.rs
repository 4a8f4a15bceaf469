//! The kicks of raw inputs: changed inputs, from which the search around the best starts.

use std::ops::Range;

use fastrand::Rng;

/// Changes the bytes of a base.
type Kick = fn(&mut Rng, &mut Vec<u8>);

pub(super) const KICKS: &[Kick] =
    &[overwritten, without_window, without_two, swapped, copied, together, at_the_end, resized];

/// The longest piece that a kick moves, inserts or leaves out.
const WINDOW_MAX: usize = 16;
/// How many bytes at the end are treated as lengths.
const LENGTHS_MAX: usize = 4;
/// Numbers below this stand for small lengths, flags and alternatives.
const SMALL: u8 = 8;

/// Changes one to four bytes.
fn overwritten(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.u8(..4) {
        change(rng, bytes, 0);
    }
}

/// Leaves out a piece, and mostly changes one or two bytes.
fn without_window(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let window = window(rng, bytes.len());
    bytes.drain(window);
    for _ in 0..rng.u8(..3) {
        change(rng, bytes, 0);
    }
}

/// Leaves out two pieces, and perhaps changes a byte.
fn without_two(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..2 {
        let window = window(rng, bytes.len());
        bytes.drain(window);
    }
    if rng.bool() {
        change(rng, bytes, 0);
    }
}

/// Swaps two pieces, which need not have the same length.
fn swapped(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let (one, mut other) = (window(rng, bytes.len()), window(rng, bytes.len()));
    if rng.bool() {
        other.end = bytes.len().min(other.start + one.len());
    }
    let (one, other) = if one.start <= other.start { (one, other) } else { (other, one) };
    if one.end <= other.start {
        let (first, second) = (bytes[one.clone()].to_vec(), bytes[other.clone()].to_vec());
        bytes.splice(other, first);
        bytes.splice(one, second);
    }
    if rng.bool() {
        change(rng, bytes, 0);
    }
}

/// Writes a piece over another one of the same length, or instead of one of another length.
fn copied(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let from = bytes[window(rng, bytes.len())].to_vec();
    let mut to = window(rng, bytes.len());
    if rng.bool() {
        to.end = bytes.len().min(to.start + from.len());
    }
    bytes.splice(to, from);
    if rng.bool() {
        change(rng, bytes, 0);
    }
}

/// Adds the same amount to several bytes, or sets them all to one value.
fn together(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let one = rng.usize(..bytes.len());
    let how = rng.u8(..4);
    let step = rng.usize(1..=WINDOW_MAX);
    let value = bytes[one];
    let places: Vec<usize> = (0..bytes.len())
        .filter(|at| match how {
            0 => bytes[*at] == value,
            1 => bytes[*at] == value && rng.bool(),
            2 => *at >= one && (at - one).is_multiple_of(step),
            _ => bytes[*at] > 0 && rng.u8(..3) == 0,
        })
        .collect();
    let new = changed(rng, bytes, one);
    let less = match rng.u8(..4) {
        0 => 1,
        1 => rng.u8(1..SMALL),
        2 => 255,
        _ => value.wrapping_sub(new),
    };
    let sets = rng.bool();
    for at in places {
        bytes[at] = if sets { new } else { bytes[at].wrapping_sub(less) };
    }
}

/// Changes bytes near the end, where lengths stand, and perhaps cuts some off.
fn at_the_end(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if rng.bool() {
        bytes.truncate(bytes.len().saturating_sub(rng.usize(1..=WINDOW_MAX)));
        for _ in 0..rng.u8(1..4) {
            change(rng, bytes, 0);
        }
    } else {
        let last = bytes.len().saturating_sub(LENGTHS_MAX);
        change(rng, bytes, last);
        if rng.bool() {
            without_window(rng, bytes);
        }
    }
}

/// Lowers a byte, and inserts or leaves out bytes behind it.
fn resized(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.usize(..bytes.len());
    bytes[at] = rng.u8(..=bytes[at]);
    let behind = rng.usize(at + 1..=bytes.len());
    let length = rng.usize(1..=WINDOW_MAX);
    if rng.bool() {
        bytes.drain(behind..bytes.len().min(behind + length));
    } else {
        let filled = rng.bool();
        let inserted: Vec<u8> = (0..length).map(|_| if filled { rng.u8(..) } else { 0 }).collect();
        bytes.splice(behind..behind, inserted);
    }
}

/// A piece of at most [`WINDOW_MAX`] bytes. It is empty only if there are none.
fn window(rng: &mut Rng, length: usize) -> Range<usize> {
    let start = rng.usize(..length.max(1)).min(length);
    start..length.min(start + rng.usize(1..=WINDOW_MAX))
}

/// Changes a byte from `from` on.
fn change(rng: &mut Rng, bytes: &mut [u8], from: usize) {
    if from < bytes.len() {
        let at = rng.usize(from..bytes.len());
        bytes[at] = changed(rng, bytes, at);
    }
}

/// Another value for a byte: a small one, one that stands elsewhere, a lower one, a neighbour or
/// any one.
fn changed(rng: &mut Rng, bytes: &[u8], at: usize) -> u8 {
    match rng.u8(..6) {
        0 => rng.u8(..SMALL),
        1 => bytes[rng.usize(..bytes.len())],
        2 => rng.u8(..=bytes[at]),
        3 => bytes[at].wrapping_sub(1),
        4 => 1 << rng.u8(..8),
        _ => rng.u8(..),
    }
}
