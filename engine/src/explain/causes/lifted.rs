//! Alternatives that lift what a cause needs.
//!
//! If a part of a recursive value must be `a * 0`, and a negation fails in its place whatever it
//! negates, then the negation is another reason to fail. The claims say truly that it fails. But
//! the cause does not explain it.

use crate::explain::classes::claims::{Claims, Place, Says};
use crate::explain::classes::tree::outermost;
use crate::shrink::place::{alternative, is_datum};
use crate::trace::Trace;

/// For each span: whether it is a part of a recursive value, and something behind its first choice
/// cannot be any value. There, an alternative that fails with any values is another reason.
pub(super) fn spans(base: &Trace, claims: &Claims) -> Vec<bool> {
    (0..base.spans.len()).map(|span| is_inside(base, span) && needs(base, claims, span)).collect()
}

fn is_inside(base: &Trace, span: usize) -> bool {
    outermost(base, span).is_some_and(|top| top != span)
}

fn needs(base: &Trace, claims: &Claims, span: usize) -> bool {
    let is_free = |at: usize| {
        claims.claims.iter().filter(|claim| claim.says == Says::Any).any(|claim| {
            match claim.place {
                Place::Choice(choice) => choice == at,
                Place::Span(part) => part != span && base.spans[part].range().contains(&at),
            }
        })
    };
    base.spans[span].range().skip(1).any(|at| {
        let choice = &base.choices[at];
        (is_datum(choice) || alternative(choice).is_some()) && !is_free(at)
    })
}
