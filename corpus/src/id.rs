//! Names made from content: bug ids and content hashes.

use std::fmt;
use std::str::FromStr;

use crate::digest::{Hasher, digest};

/// The name of a bug: 16 lower-case hex digits of a blake3 hash.
///
/// Ids sort in the same order as their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BugId(u64);

impl BugId {
    /// Returns the id of the bug with this signature. The caller decides what a signature contains.
    /// For failures of targets, the module `failure` of the crate `dwindle` decides.
    pub fn of(signature: &str) -> BugId {
        BugId(first_bits(digest(signature.as_bytes())))
    }

    /// Like [`BugId::of`], for a signature in parts. Hashes the parts one by one, without building
    /// the whole text in memory.
    pub fn of_parts(signature: fmt::Arguments<'_>) -> BugId {
        struct Hashed(Hasher);

        impl fmt::Write for Hashed {
            fn write_str(&mut self, part: &str) -> fmt::Result {
                self.0.update(part.as_bytes());
                Ok(())
            }
        }

        let mut hashed = Hashed(Hasher::new());
        // Hashing cannot fail.
        let _ = fmt::write(&mut hashed, signature);
        BugId(first_bits(hashed.0.finish()))
    }

    /// The number whose hex digits are the id.
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// The id with this number, see [`to_bits`](BugId::to_bits).
    pub const fn from_bits(bits: u64) -> BugId {
        BugId(bits)
    }
}

/// The name of a content: the first 128 bits of its blake3 hash, as 32 lower-case hex digits.
///
/// With 128 bits, even billions of contents all have different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(u128);

impl ContentId {
    /// Returns the name of these bytes.
    pub fn of(bytes: &[u8]) -> ContentId {
        ContentId(digest(bytes))
    }

    /// Parses a name as `Display` writes it.
    pub(crate) fn from_name(name: &str) -> Option<ContentId> {
        is_hex(name, 32).then(|| u128::from_str_radix(name, 16).ok().map(ContentId)).flatten()
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Returns 16 lower-case hex digits that name `bytes`.
///
/// They are the `<hash>` of `original-<hash>`, and a checksum in the list of known contents. Their
/// first twelve digits are the hash in the key of a variant by cause. Their first eight digits are
/// a checksum in a property's input text, and part of a writer's name.
pub fn content_hash(bytes: &[u8]) -> String {
    format!("{:016x}", first_bits(digest(bytes)))
}

fn first_bits(digest: u128) -> u64 {
    (digest >> 64) as u64
}

/// Whether a text consists of exactly `digits` lower-case hex digits.
fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// The error of parsing a text that is not a [`BugId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotABugId;

impl fmt::Display for NotABugId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a bug id is 16 lower-case hex digits")
    }
}

impl std::error::Error for NotABugId {}

impl fmt::Display for BugId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for BugId {
    type Err = NotABugId;

    /// Accepts exactly what `Display` writes, so that one bug has one name.
    fn from_str(text: &str) -> Result<BugId, NotABugId> {
        if !is_hex(text, 16) {
            return Err(NotABugId);
        }
        u64::from_str_radix(text, 16).map(BugId).map_err(|_| NotABugId)
    }
}

#[cfg(feature = "fuzzing")]
mod events {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::BugId;

    impl Serialize for BugId {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }

    impl<'de> Deserialize<'de> for BugId {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BugId, D::Error> {
            let text = String::deserialize(deserializer)?;
            text.parse().map_err(serde::de::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_first_sixteen_digits_of_blake3() {
        // The published blake3 digest of the empty string begins with these digits.
        assert_eq!(BugId::of("").to_string(), "af1349b9f5f9a1a6");
        assert_eq!(content_hash(b""), "af1349b9f5f9a1a6");
        assert_eq!(ContentId::of(b"").to_string(), "af1349b9f5f9a1a6a0404dea36dcc949");
    }

    #[test]
    fn an_id_of_parts_equals_the_id_of_the_whole() {
        let (place, line) = ("demo-1.0/src/lib.rs", 3);
        assert_eq!(
            BugId::of_parts(format_args!("panic\n{place}:{line}\n")),
            BugId::of("panic\ndemo-1.0/src/lib.rs:3\n")
        );
    }

    #[test]
    fn content_ids_are_read_only_from_valid_names() {
        let content = ContentId::of(b"a crash");
        assert_eq!(ContentId::from_name(&content.to_string()), Some(content));
        for wrong in [
            "",
            "-",
            "af1349b9f5f9a1a6",
            "AF1349B9F5F9A1A6A0404DEA36DCC949",
            "+f1349b9f5f9a1a6a0404dea36dcc949",
        ] {
            assert_eq!(ContentId::from_name(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn bug_ids_are_read_only_from_valid_text() {
        let id = BugId::of("panic at demo-1.0/src/lib.rs:3:9");
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in [
            "",
            "af1349b9f5f9a1a",
            "af1349b9f5f9a1a60",
            "AF1349B9F5F9A1A6",
            "+f1349b9f5f9a1a6",
            "variant-00000000",
        ] {
            assert_eq!(wrong.parse::<BugId>(), Err(NotABugId), "{wrong:?}");
        }
    }

    #[test]
    fn ids_sort_as_their_text_and_keep_leading_zeros() {
        let mut ids: Vec<BugId> = (0..64).map(|i: i32| BugId::of(&i.to_string())).collect();
        ids.push(BugId(7));
        ids.sort();
        let texts: Vec<String> = ids.iter().map(BugId::to_string).collect();
        assert!(texts.is_sorted() && texts.iter().all(|t| t.len() == 16));
    }
}
