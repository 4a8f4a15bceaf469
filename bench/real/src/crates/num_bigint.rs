//! num-bigint 0.2.1: `to_signed_bytes_be` leaves out the sign of 2^7, 2^15, 2^23 and so on.

use dwindle::prelude::*;
use num_bigint::{BigInt, Sign};

/// A number is read back from its signed bytes.
pub fn signed_bytes(tc: &mut TestCase) {
    let (is_negative, digits) = tc.draw(any::<(bool, Vec<u8>)>());
    let sign = if is_negative { Sign::Minus } else { Sign::Plus };
    reads_back(&BigInt::from_bytes_be(sign, &digits));
}

/// The same of the number that the input holds, as a drop-in target.
pub fn signed_bytes_drop_in(tc: &mut TestCase) {
    super::drop_in(tc, |bytes: Vec<u8>| reads_back(&BigInt::from_signed_bytes_be(&bytes)));
}

fn reads_back(number: &BigInt) {
    assert_eq!(BigInt::from_signed_bytes_be(&number.to_signed_bytes_be()), *number);
    assert_eq!(BigInt::from_signed_bytes_le(&number.to_signed_bytes_le()), *number);
}
