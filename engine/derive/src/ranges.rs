//! Mistakes with ranges that can be seen in the source.

use syn::{Block, Error, Expr, ExprLit, ExprRange, ExprUnary, Lit, RangeLimits, Result, UnOp};

use crate::errors::and;
use crate::walk::{Node, through_block, through_expression};

/// Rejects a range in place of a generator, and ranges without a value in `g::integers(..)`,
/// `g::floats(..)` and `.len(..)`.
///
/// A range whose ends are not numbers is checked when the generator is made.
///
/// # Errors
/// For each such range, at the range.
pub(crate) fn check(generator: &Expr) -> Result<()> {
    if let Expr::Range(range) = generator {
        let message = "a range is not a generator: write `g::integers(..)`, `g::floats(..)` or \
                       `g::characters().range(..)` with these ends";
        return Err(Error::new_spanned(range, message));
    }
    let mut error = None;
    through_expression(generator, &mut |node| look(&node, &mut error));
    error.map_or(Ok(()), Err)
}

/// Rejects ranges without a value in the body of a function, as [`check`] does.
///
/// # Errors
/// For each such range, at the range.
pub(crate) fn check_block(block: &Block) -> Result<()> {
    let mut error = None;
    through_block(block, &mut |node| look(&node, &mut error));
    error.map_or(Ok(()), Err)
}

/// Adds an error for a call whose argument is a range without a value. Looks inside all nodes.
fn look(node: &Node<'_>, error: &mut Option<Error>) -> bool {
    let argument = match node {
        Node::Call(call) if is_of_numbers(&call.func) => call.args.first(),
        Node::MethodCall(call) if call.method == "len" => call.args.first(),
        _ => None,
    };
    if let Some(Expr::Range(range)) = argument
        && is_empty(range)
    {
        let message =
            "this range holds no value: its end must lie above its start, or on it with `..=`";
        and(error, Error::new_spanned(range, message));
    }
    true
}

fn is_of_numbers(function: &Expr) -> bool {
    let Expr::Path(function) = function else { return false };
    let last = function.path.segments.last();
    last.is_some_and(|name| name.ident == "integers" || name.ident == "floats")
}

fn is_empty(range: &ExprRange) -> bool {
    let ends = (range.start.as_deref().and_then(number), range.end.as_deref().and_then(number));
    match (ends, &range.limits) {
        ((Some(start), Some(end)), RangeLimits::HalfOpen(_)) => start >= end,
        ((Some(start), Some(end)), RangeLimits::Closed(_)) => start > end,
        _ => false,
    }
}

/// The number that a literal stands for. An integer that a float cannot hold has no number here.
fn number(end: &Expr) -> Option<f64> {
    const EXACT: u64 = 1 << 53;
    match end {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            let number: u64 = number.base10_parse().ok()?;
            (number <= EXACT).then_some(number as f64)
        }
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => Some(-number(expr)?),
        Expr::Paren(inner) => number(&inner.expr),
        Expr::Group(inner) => number(&inner.expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;
    use syn::parse_quote;

    #[test]
    fn ranges_without_a_value_are_refused() {
        let refused: [Expr; 9] = [
            parse_quote!(1..=6),
            parse_quote!(low..),
            parse_quote!(g::integers(10..1)),
            parse_quote!(g::integers(5u8..5)),
            parse_quote!(integers(-1..=-5)),
            parse_quote!(g::floats(1.5..=1.0)),
            parse_quote!(g::vec(g::integers(3..(2)))),
            parse_quote!(g::text().len(3..3).map(|text| text.len())),
            parse_quote!(g::from_fn(|tc| tc.draw(g::integers(0xF..1)))),
        ];
        for generator in refused {
            assert!(check(&generator).is_err(), "{}", generator.to_token_stream());
        }
    }

    #[test]
    fn ranges_that_hold_a_value_or_may_hold_one_pass() {
        let fine: [Expr; 7] = [
            parse_quote!(g::integers(1..10)),
            parse_quote!(g::integers(5..=5)),
            parse_quote!(g::integers(9..n)),
            parse_quote!(g::integers(9..)),
            parse_quote!(g::integers(0x8000_0000_0000_0001u64..0x8000_0000_0000_0002)),
            parse_quote!(g::floats(-1.0..-0.5)),
            parse_quote!(ages.range(9..1)),
        ];
        for generator in fine {
            assert!(check(&generator).is_ok(), "{}", generator.to_token_stream());
        }
    }
}
