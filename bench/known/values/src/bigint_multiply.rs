//! num-bigint 0.4.2: a multiplication panics where a part of a large factor is zero, and where the
//! buffer of an intermediate result is too small. Fixed in 0.4.3,
//! <https://github.com/rust-num/num-bigint/pull/228>.
//!
//! Slow: the products have up to 131,000 bits, and each is divided again.

use num_bigint_toom::BigUint;

/// A part of a number: `digits`, times two to the power of `shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "the fields are said in the line above")]
pub struct Part {
    pub digits: u64,
    pub shift: u16,
}

fn number(parts: &[Part]) -> BigUint {
    parts.iter().map(|part| BigUint::from(part.digits) << part.shift).sum()
}

/// A product divided by one factor is the other.
///
/// # Panics
///
/// If it is not; or inside `num-bigint`.
pub fn check(left: &[Part], right: &[Part]) {
    let (left, right) = (number(left), number(right));
    let product = &left * &right;
    if right != BigUint::default() {
        assert_eq!(product / right, left);
    }
}
