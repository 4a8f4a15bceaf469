//! What the search for claims works with.

use fastrand::Rng;

use super::claims::Claim;
use super::covers::covers;
use super::draw::{Drawing, Piece, put_in};
use super::redraw::Redraws;
use super::tree::Tree;
use super::trials::{Trials, Verdict};
use crate::trace::Trace;

/// A minimized failure under study.
pub(super) struct Study<'a> {
    pub(super) base: &'a Trace,
    pub(super) tree: Tree,
    pub(super) trials: Trials<'a>,
    pub(super) redraws: Redraws,
    pub(super) rng: Rng,
}

impl<'a> Study<'a> {
    pub(super) fn new(base: &'a Trace, trials: Trials<'a>, seed: u64) -> Study<'a> {
        Study {
            base,
            tree: Tree::of(base),
            trials,
            redraws: Redraws::new(seed),
            rng: Rng::with_seed(seed),
        }
    }

    /// Draws an input of the class of `claims`. `None` if the draw came to no input, for example
    /// because no value has a claimed relation.
    pub(super) fn draw(&mut self, claims: &[Claim]) -> Option<Vec<Piece>> {
        let Study { base, tree, trials, redraws, rng } = self;
        Drawing::new(base, tree, claims).draw(trials, redraws, rng)
    }

    /// Runs the base with these pieces. What the run drew must belong to the class of `claims`;
    /// otherwise the run says nothing of them.
    pub(super) fn judge(&mut self, claims: &[Claim], pieces: &[Piece]) -> Option<Verdict> {
        let run = self.trials.run(&put_in(self.base, pieces))?;
        let counts = run.verdict != Verdict::NoEvidence
            && covers(claims, (self.base, &self.tree), &run.trace);
        Some(if counts { run.verdict } else { Verdict::NoEvidence })
    }
}
