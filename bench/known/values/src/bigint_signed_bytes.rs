//! num-bigint 0.2.1: `to_signed_bytes_be` leaves out the sign of 2^7, 2^15, 2^23 and so on. Fixed
//! in 0.2.2, <https://github.com/rust-num/num-bigint/pull/72>.
//!
//! Guarded by magic constants: 0x80, followed by zeros alone.

use num_bigint_signed::{BigInt, Sign};

/// A number is read back from its signed bytes.
///
/// # Panics
///
/// If another number is read.
pub fn check(is_negative: bool, digits: &[u32]) {
    let sign = if is_negative { Sign::Minus } else { Sign::Plus };
    let number = BigInt::from_slice(sign, digits);
    assert_eq!(BigInt::from_signed_bytes_be(&number.to_signed_bytes_be()), number);
    assert_eq!(BigInt::from_signed_bytes_le(&number.to_signed_bytes_le()), number);
}
