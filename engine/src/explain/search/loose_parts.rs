//! Parts of recursive values in whose place most other values fail, but not all.
//!
//! `a - b` printed without its parentheses fails for most `a` and `b`, and no claim says for which.
//! Then each of them would seem to be another cause. So a few runs put random values in place of
//! each part.

use std::ops::Range;

use super::single::is_inside;
use crate::choice::Value;
use crate::explain::classes::claims::Claim;
use crate::explain::classes::draw::Piece;
use crate::explain::classes::study::Study;
use crate::explain::classes::tree::outermost;

/// How many random values are tried in the place of one part.
const TRIES: usize = 16;
/// How many different ones must count.
const COUNTED_MIN: usize = 5;
/// The most parts that are tried.
const PARTS_MAX: usize = 16;

/// The largest parts that fail with at least half of the different random values in their place, as
/// spans.
pub(super) fn find(
    study: &mut Study<'_>,
    claims: &[Claim],
    equal: &[(usize, usize)],
) -> Vec<usize> {
    let base = study.base;
    let range = |span: usize| base.spans[span].range();
    let is_equal = |inside: Range<usize>| {
        let mut parts = equal.iter().flat_map(|(one, other)| [range(*one), range(*other)]);
        parts.any(|part| part.start < inside.end && inside.start < part.end)
    };
    let parts: Vec<usize> = (0..base.spans.len())
        .filter(|span| {
            let is_part = outermost(base, *span).is_some_and(|top| top != *span);
            is_part
                && !base.spans[*span].discarded
                && !is_inside(study, claims, &range(*span))
                && !is_equal(range(*span))
        })
        .take(PARTS_MAX)
        .collect();
    let mut found: Vec<usize> = Vec::new();
    for span in parts {
        let is_found = found.iter().any(|outer| range(*outer).contains(&range(span).start));
        if !is_found && is_loose(study, span) {
            found.push(span);
        }
    }
    found
}

fn is_loose(study: &mut Study<'_>, span: usize) -> bool {
    let base = study.base;
    let mut tried: Vec<Vec<Value>> = vec![base.values()[base.spans[span].range()].to_vec()];
    let mut failed = 0;
    for _ in 0..TRIES {
        let Study { tree, trials, redraws, .. } = study;
        let Some(redrawn) = redraws.next(trials, (base, tree), span) else { break };
        let piece = Piece::span(0, base, span, redrawn);
        if tried.contains(&piece.values) {
            continue;
        }
        tried.push(piece.values.clone());
        match study.fails(&[piece]) {
            Some(fails) => failed += usize::from(fails),
            None => drop(tried.pop()),
        }
    }
    let counted = tried.len() - 1;
    counted >= COUNTED_MIN && 2 * failed >= counted
}
