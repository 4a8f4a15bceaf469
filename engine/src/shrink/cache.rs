//! What became of candidates that were run before.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::choice::Value;

/// How many answers are kept before all are forgotten: at most some 60 MiB.
const ENTRIES_MAX: usize = 1 << 20;

/// What a candidate drew.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    /// The hash of the choices.
    pub(super) hash: u64,
    /// How many they were, if the target ran to an end.
    pub(super) length: Option<u32>,
}

/// Which choices a candidate came to, by hash.
///
/// A candidate in here is worth running again only if it is the best itself: the best only gets simpler, so what was no improvement never becomes one.
/// Two candidates with one hash cost an improvement at worst, never a wrong result.
#[derive(Default)]
pub(super) struct Cache {
    drawn: HashMap<u64, Drawn, BuildHasherDefault<Hashed>>,
}

impl Cache {
    /// What the candidate with this hash drew, if it was run.
    pub(super) fn get(&self, candidate: u64) -> Option<Drawn> {
        self.drawn.get(&candidate).copied()
    }

    pub(super) fn insert(&mut self, candidate: u64, drawn: Drawn) {
        if self.drawn.len() >= ENTRIES_MAX {
            self.drawn.clear();
        }
        self.drawn.insert(candidate, drawn);
    }
}

/// Passes a key on that is a hash already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("the keys are u64");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// One number for a sequence of values, the same in every process.
pub(super) fn hash<'a>(values: impl IntoIterator<Item = &'a Value>) -> u64 {
    let hash = values.into_iter().fold(0, |hash, value| match value {
        Value::Boolean(value) => mix(hash, u64::from(*value)),
        Value::Integer(value) => match i64::try_from(*value) {
            Ok(value) => mix(hash, (value as u64).rotate_left(8) ^ 0x5A),
            Err(_) => mix(mix(hash, *value as u64), (*value >> 64) as u64 ^ 0xA5A5),
        },
        Value::Float(value) => mix(mix(hash, value.to_bits()), 3),
        Value::Bytes(value) => mix(mix_bytes(hash, value), 4),
        Value::Text(value) => mix(mix_bytes(hash, value.as_bytes()), 5),
    });
    // The last bits of a product are its weakest, and a table looks at these.
    hash ^ hash >> 32
}

fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.fold(mix(hash, bytes.len() as u64), mix)
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
    hash.rotate_left(23) ^ (product >> 64) as u64 ^ product as u64
}
