//! isbn 0.2.0: `hyphenate` panics on a number of ten digits whose check digit is X. Fixed in 0.4.0,
//! <https://github.com/limeburst/isbn-rs/pull/12>.
//!
//! Guarded by a checksum: the weighted sum of the digits, modulo 11.

use isbn::Isbn;

/// A number that is read can be hyphenated.
///
/// Texts of other lengths are left out: 0.2.0 panics on some of them, another bug.
///
/// # Panics
///
/// Inside `isbn`.
pub fn check(text: &str) {
    if !matches!(text.chars().filter(|c| !"- ".contains(*c)).count(), 10 | 13) {
        return;
    }
    if let Ok(number) = text.parse::<Isbn>() {
        let _ = number.hyphenate();
    }
}
