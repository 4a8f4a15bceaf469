//! The hash of contents and signatures: BLAKE3.
//!
//! With the feature `fuzzing`, which hashes many inputs, the crate blake3 computes it. It needs the
//! crate cc for its build, so other builds compute the same hash with `tree`.

#[cfg(any(test, not(feature = "fuzzing")))]
mod tree;

#[cfg(feature = "fuzzing")]
type Inner = blake3::Hasher;
#[cfg(not(feature = "fuzzing"))]
type Inner = tree::Hasher;

/// Hashes bytes that come in parts.
pub(crate) struct Hasher(Inner);

impl Hasher {
    pub(crate) fn new() -> Hasher {
        Hasher(Inner::new())
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The first 128 bits of the hash.
    pub(crate) fn finish(&self) -> u128 {
        let digest = self.0.finalize();
        u128::from_be_bytes(std::array::from_fn(|at| digest.as_bytes()[at]))
    }
}

/// The first 128 bits of the hash of these bytes.
pub(crate) fn digest(bytes: &[u8]) -> u128 {
    let mut hasher = Hasher::new();
    hasher.update(bytes);
    hasher.finish()
}
