//! Hashes of choices, and a hash map for keys that are hashes already.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::choice::Value;
use crate::order::little_endian;

/// A map whose keys are hashes of 64 bits. It does not hash them again.
pub(crate) type HashedMap<K, V> = HashMap<K, V, BuildHasherDefault<KeepsHash>>;

/// A set of hashes of 64 bits.
pub(crate) type Hashes = HashSet<u64, BuildHasherDefault<KeepsHash>>;

/// Passes a key on.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeepsHash(u64);

impl Hasher for KeepsHash {
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

/// Makes one number from a sequence of values, the same in every process.
pub(crate) fn hash<'a>(values: impl IntoIterator<Item = &'a Value>) -> u64 {
    finished(values.into_iter().fold(0, mix_value))
}

/// Mixes the high bits into the low ones. The low bits of a product are its weakest, and a hash
/// table looks at these.
pub(crate) fn finished(hash: u64) -> u64 {
    hash ^ hash >> 32
}

#[inline]
pub(crate) fn mix_value(hash: u64, value: &Value) -> u64 {
    match value {
        Value::Boolean(value) => mix(hash, u64::from(*value)),
        Value::Integer(value) => match i64::try_from(*value) {
            Ok(value) => mix(hash, (value as u64).rotate_left(8) ^ 0x5A),
            Err(_) => mix(mix(hash, *value as u64), (*value >> 64) as u64 ^ 0xA5A5),
        },
        value => mix_other(hash, value),
    }
}

#[inline(never)]
fn mix_other(hash: u64, value: &Value) -> u64 {
    match value {
        Value::Float(value) => mix(mix(hash, value.to_bits()), 3),
        Value::Bytes(value) => mix_input(hash, value),
        Value::Text(value) => mix(mix_bytes(hash, value.as_bytes()), 5),
        Value::Boolean(_) | Value::Integer(_) => unreachable!("these are mixed by `mix_value`"),
    }
}

pub(crate) fn mix_input(hash: u64, input: &[u8]) -> u64 {
    mix(mix_bytes(hash, input), 4)
}

fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let hash =
        words.iter().map(|word| u64::from_le_bytes(*word)).fold(mix(hash, bytes.len() as u64), mix);
    if rest.is_empty() { hash } else { mix(hash, little_endian(rest)) }
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
    hash.rotate_left(23) ^ (product >> 64) as u64 ^ product as u64
}
