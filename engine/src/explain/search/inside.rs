//! Parts of recursive values that may stand at any depth.
//!
//! Where a fault needs a variable anywhere below its binder, each depth would seem to be a new
//! cause. So a few runs put such a part into other values. As for loose places, the report shows
//! nothing of this: it only decides what a cause explains.

use super::single::is_inside;
use crate::explain::classes::claims::Claim;
use crate::explain::classes::deep;
use crate::explain::classes::draw::{Piece, put_in};
use crate::explain::classes::study::Study;
use crate::explain::classes::tree::outermost;

/// How many larger values are tried around one part, and how many must count.
const TRIES: usize = 12;
const TRIES_MIN: usize = 6;
/// The most parts that are tried.
const PARTS_MAX: usize = 8;

/// The parts that fail inside at least half of the larger values, as spans.
pub(super) fn find(study: &mut Study<'_>, claims: &[Claim]) -> Vec<usize> {
    let base = study.base;
    let parts = (0..base.spans.len()).filter_map(|span| {
        let range = base.spans[span].range();
        let is_tried = !base.spans[span].discarded && !is_inside(study, claims, &range);
        outermost(base, span).filter(|top| is_tried && *top != span).map(|top| (span, top))
    });
    let parts: Vec<(usize, usize)> = parts.take(PARTS_MAX).collect();
    parts
        .into_iter()
        .filter(|(span, top)| fails(study, *span, *top))
        .map(|(span, _)| span)
        .collect()
}

fn fails(study: &mut Study<'_>, span: usize, top: usize) -> bool {
    study.mostly_fails(TRIES, TRIES_MIN, |study, _| {
        let base = study.base;
        let Study { tree, trials, redraws, rng, .. } = study;
        let part = base.values()[base.spans[span].range()].to_vec();
        let larger = deep::around(part, redraws, trials, (base, tree), top, rng)?;
        Some(put_in(base, &[Piece::exchanged(base, span, larger)]))
    })
}
