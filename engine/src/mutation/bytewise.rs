//! Mutations of bytes, for the operators that change one part of an input. They serve fuzzers that
//! do not lend their own.

use fastrand::Rng;

/// The longest run of bytes that a mutation inserts or removes.
const RUN_MAX: usize = 32;

/// A mutation that changes bytes in one to four places, and keeps at most the given number of them.
pub fn bytewise(seed: u64) -> impl FnMut(&mut Vec<u8>, usize) {
    let mut rng = Rng::with_seed(seed);
    move |bytes, max| {
        let count = 1 << rng.u32(..3);
        for _ in 0..count {
            change(&mut rng, bytes);
        }
        bytes.truncate(max);
    }
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let at = rng.usize(..=bytes.len());
    if at == bytes.len() {
        bytes.push(rng.u8(..));
        return;
    }
    let end = (at + rng.usize(1..=RUN_MAX)).min(bytes.len());
    match rng.u8(..8) {
        0 | 1 => bytes[at] ^= 1 << rng.u32(..8),
        2 => bytes[at] = rng.u8(..),
        3 => bytes[at] = bytes[at].wrapping_add(rng.u8(1..=16)),
        4 => bytes[at] = bytes[at].wrapping_sub(rng.u8(1..=16)),
        // Another byte of these often has a meaning here, too.
        5 => bytes[at] = bytes[rng.usize(..bytes.len())],
        6 => drop(bytes.drain(at..end)),
        _ => {
            let run = bytes[at..end].to_vec();
            let to = rng.usize(..=bytes.len());
            bytes.splice(to..to, run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_change_and_stay_within_their_limit() {
        let mut mutate = bytewise(1);
        let (mut same, mut lengths) = (0, [false; 9]);
        for _ in 0..1000 {
            let mut bytes = b"abcdef".to_vec();
            mutate(&mut bytes, 8);
            lengths[bytes.len()] = true;
            same += u32::from(bytes == b"abcdef");
        }
        assert!(same < 100, "{same}");
        assert_eq!(lengths[2..], [true; 7], "shorter and longer");
    }

    #[test]
    fn no_bytes_become_some() {
        let mut bytes = Vec::new();
        bytewise(1)(&mut bytes, 8);
        assert!(!bytes.is_empty());
    }
}
