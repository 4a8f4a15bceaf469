//! The kicks of raw inputs: changed inputs, from which the search around the best starts.

use std::ops::Range;

use fastrand::Rng;

/// Changes the bytes of a base.
type Kick = fn(&mut Rng, &mut Vec<u8>);

pub(super) const KICKS: &[Kick] = &[overwritten, shortened, swapped, copied, together, resized];

/// The longest piece that a kick moves, inserts or leaves out.
const WINDOW_MAX: usize = 16;
/// Numbers below this stand for small lengths, flags and alternatives.
const SMALL: u8 = 8;

/// Changes one to four bytes.
#[expect(clippy::ptr_arg, reason = "all kicks have one type")]
fn overwritten(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.u8(..4) {
        change(rng, bytes);
    }
}

/// Leaves out one or two pieces, and mostly changes one or two bytes.
fn shortened(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.u8(..2) {
        let window = window(rng, bytes.len());
        bytes.drain(window);
    }
    for _ in 0..rng.u8(..3) {
        change(rng, bytes);
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
        change(rng, bytes);
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
        change(rng, bytes);
    }
}

/// Changes several bytes in the same way: sets all to one value, adds one amount to each, or
/// multiplies each by one ratio.
#[expect(clippy::ptr_arg, reason = "all kicks have one type")]
fn together(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let one = rng.usize(..bytes.len());
    let value = bytes[one];
    let places = alike(rng, bytes, one);
    let new = changed(rng, bytes, one);
    let how = rng.u8(..4);
    for at in places {
        bytes[at] = match how {
            0 => new,
            1 => bytes[at].wrapping_sub(1),
            2 => bytes[at].wrapping_sub(value.wrapping_sub(new)),
            _ => (u16::from(bytes[at]) * u16::from(new) / u16::from(value).max(1)) as u8,
        };
    }
}

/// Places whose bytes may change as the byte at `one` does: those with the same value or a near
/// one, those of the same field in a row of records, or any.
fn alike(rng: &mut Rng, bytes: &[u8], one: usize) -> Vec<usize> {
    let (how, step) = (rng.u8(..5), rng.usize(1..=WINDOW_MAX));
    (0..bytes.len())
        .filter(|at| match how {
            0 => bytes[*at] == bytes[one],
            1 => bytes[*at] == bytes[one] && rng.bool(),
            2 => bytes[*at].abs_diff(bytes[one]) < SMALL,
            3 => *at >= one && (at - one).is_multiple_of(step),
            _ => bytes[*at] > 0 && rng.u8(..3) == 0,
        })
        .collect()
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

/// Changes a byte, if there is one.
fn change(rng: &mut Rng, bytes: &mut [u8]) {
    if !bytes.is_empty() {
        let at = rng.usize(..bytes.len());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How many kicks of each kind a test makes.
    const TRIES: u64 = 200_000;

    /// A base, and what only one kind of kick makes of it.
    struct Made {
        kick: Kick,
        base: &'static [u8],
        made: &'static [u8],
    }

    const MADE: &[Made] = &[
        Made { kick: overwritten, base: &[9; 6], made: &[9, 1, 2, 9, 9, 9] },
        Made {
            kick: shortened,
            base: &[9, 8, 7, 6, 5, 4, 3, 2, 1, 10, 11, 12],
            made: &[9, 6, 5, 4, 3, 11, 12],
        },
        Made {
            kick: swapped,
            base: &[9, 8, 7, 6, 5, 4, 3, 2, 1],
            made: &[9, 4, 3, 2, 6, 5, 8, 7, 1],
        },
        Made {
            kick: copied,
            base: &[9, 80, 7, 61, 5, 4, 3, 2, 1],
            made: &[9, 80, 7, 61, 5, 80, 7, 61, 5],
        },
        Made {
            kick: together,
            base: &[140, 1, 140, 2, 140, 3, 140, 4, 140, 5],
            made: &[139, 1, 139, 2, 139, 3, 139, 4, 139, 5],
        },
        Made { kick: resized, base: &[9, 8, 7], made: &[4, 8, 0, 0, 0, 0, 0, 7] },
    ];

    #[test]
    fn each_kick_makes_what_no_other_kick_makes() {
        assert_eq!(MADE.len(), KICKS.len());
        for Made { kick, base, made } in MADE {
            for other in KICKS {
                let mut rng = Rng::with_seed(1);
                let makes_it = (0..TRIES).any(|_| {
                    let mut bytes = base.to_vec();
                    other(&mut rng, &mut bytes);
                    bytes == *made
                });
                assert_eq!(makes_it, std::ptr::fn_addr_eq(*kick, *other), "{base:?} to {made:?}");
            }
        }
    }

    #[test]
    fn every_kick_takes_inputs_of_every_length() {
        for kick in KICKS {
            let mut rng = Rng::with_seed(1);
            for length in (0..40).cycle().take(4000) {
                let mut bytes = vec![7; length];
                kick(&mut rng, &mut bytes);
                assert!(bytes.len() <= length + WINDOW_MAX);
            }
        }
    }
}
