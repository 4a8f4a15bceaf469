//! Arithmetic on `rust_decimal`'s `Decimal`, checked at every step, so nothing may panic.
//!
//! `rust_decimal` 1.13.0: a division by a number of 33 to 64 bits panics with "attempt to subtract
//! with overflow" when the upper half of the remainder equals the upper half of the divisor; a sum
//! panics with "attempt to negate with overflow".

use rust_decimal::Decimal;

/// An arithmetic expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "the fields are those of `Decimal::from_parts`")]
pub enum Expr {
    /// A number of 96 bits in three parts, divided by ten to the power of `scale % 29`.
    Lit { lo: u32, mid: u32, hi: u32, negative: bool, scale: u8 },
    /// A sum.
    Add(Box<Expr>, Box<Expr>),
    /// A difference.
    Sub(Box<Expr>, Box<Expr>),
    /// A product.
    Mul(Box<Expr>, Box<Expr>),
    /// A quotient.
    Div(Box<Expr>, Box<Expr>),
}

/// The value, or `None` on overflow or a division by zero.
///
/// # Panics
///
/// Where `Decimal`'s checked operations do, which they promise not to.
pub fn eval(expr: &Expr) -> Option<Decimal> {
    match expr {
        Expr::Lit { lo, mid, hi, negative, scale } => {
            Some(Decimal::from_parts(*lo, *mid, *hi, *negative, u32::from(*scale)))
        }
        Expr::Add(left, right) => eval(left)?.checked_add(eval(right)?),
        Expr::Sub(left, right) => eval(left)?.checked_sub(eval(right)?),
        Expr::Mul(left, right) => eval(left)?.checked_mul(eval(right)?),
        Expr::Div(left, right) => eval(left)?.checked_div(eval(right)?),
    }
}
