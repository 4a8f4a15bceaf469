//! A hash map for keys that are hashes already.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are hashes of 64 bits. It does not hash them again.
pub(crate) type HashedMap<K, V> = HashMap<K, V, BuildHasherDefault<Hashed>>;

/// Passes a key on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hashed(u64);

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
