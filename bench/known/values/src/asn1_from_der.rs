//! `simple_asn1` 0.6.0: a time whose second byte is not ASCII is cut inside a character. Fixed in
//! 0.6.1, RUSTSEC-2021-0125.
//!
//! Guarded by the tag of a time and its length of 13 bytes.

/// A document is read or refused.
///
/// # Panics
///
/// Inside `simple_asn1`.
pub fn check(document: &[u8]) {
    let _ = simple_asn1::from_der(document);
}
