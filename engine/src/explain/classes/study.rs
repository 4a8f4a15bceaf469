//! What the search for claims works with.

use std::collections::HashMap;

use fastrand::Rng;

use super::claims::{Claim, Place, Term, Tries};
use super::covers::covers;
use super::draw::{Drawing, Piece, put_in};
use super::redraw::Redraws;
use super::tree::Tree;
use super::trials::{TrialVerdict, Trials};
use crate::choice::Value;
use crate::hashed::{Hashes, hash};
use crate::trace::Trace;

/// A minimized failure under study.
pub(crate) struct Study<'a> {
    pub(crate) base: &'a Trace,
    pub(crate) tree: Tree,
    pub(crate) trials: Trials<'a>,
    pub(crate) redraws: Redraws,
    pub(crate) rng: Rng,
    /// The different inputs that failed while a place was varied, by their hashes.
    failed: HashMap<Place, Hashes>,
}

impl<'a> Study<'a> {
    pub(crate) fn new(base: &'a Trace, trials: Trials<'a>, seed: u64) -> Study<'a> {
        Study {
            base,
            tree: Tree::of(base),
            trials,
            redraws: Redraws::new(seed),
            rng: Rng::with_seed(seed),
            failed: HashMap::new(),
        }
    }

    /// The choices of a place.
    pub(crate) fn range(&self, place: Place) -> std::ops::Range<usize> {
        match place {
            Place::Span(span) => self.base.spans[span].range(),
            Place::Choice(at) => at..at + 1,
        }
    }

    /// The value of a term in the base. `None` if the span is not a collection.
    pub(crate) fn value_of(&self, term: Term) -> Option<Value> {
        match term {
            Term::Value(at) => Some(self.base.choices[at].value.clone()),
            Term::Length(span) => {
                let length = self.tree.elements(self.base, span)?.len();
                Some(Value::Integer(length as i128))
            }
        }
    }

    /// Draws an input of the class of `claims`. `None` if the draw came to no input, for example
    /// because no value has a claimed relation.
    pub(crate) fn draw(&mut self, claims: &[Claim]) -> Option<Vec<Piece>> {
        let Study { base, tree, trials, redraws, rng, .. } = self;
        Drawing::new(base, tree, claims).draw(trials, redraws, rng)
    }

    /// Runs the base with these pieces. What the run drew must belong to the class of `claims`;
    /// otherwise the run says nothing of them.
    pub(crate) fn judge(&mut self, claims: &[Claim], pieces: &[Piece]) -> Option<TrialVerdict> {
        let values = put_in(self.base, pieces);
        let run = self.trials.run(&values)?;
        if run.verdict == TrialVerdict::NoEvidence
            || !covers(claims, (self.base, &self.tree), &run.trace)
        {
            return Some(TrialVerdict::NoEvidence);
        }
        if run.verdict == TrialVerdict::Fails {
            for piece in pieces {
                let place = claims[piece.claim].place;
                self.failed.entry(place).or_default().insert(hash(&values));
            }
        }
        Some(run.verdict)
    }

    /// Whether the base fails with these pieces. `None` if the run says nothing.
    pub(crate) fn fails(&mut self, pieces: &[Piece]) -> Option<bool> {
        match self.trials.run(&put_in(self.base, pieces))?.verdict {
            TrialVerdict::NoEvidence => None,
            verdict => Some(verdict == TrialVerdict::Fails),
        }
    }

    /// Whether at least half of the inputs fail that `make` gives. Of `tries` inputs, at least
    /// `counted_min` must say something.
    pub(crate) fn mostly_fails(
        &mut self,
        tries: usize,
        counted_min: usize,
        make: impl Fn(&mut Self, usize) -> Option<Vec<Value>>,
    ) -> bool {
        let (mut failed, mut counted) = (0, 0);
        for attempt in 0..tries {
            let Some(values) = make(self, attempt) else { continue };
            match self.trials.run(&values).map(|run| run.verdict) {
                Some(TrialVerdict::NoEvidence) => {}
                Some(verdict) => {
                    counted += 1;
                    failed += usize::from(verdict == TrialVerdict::Fails);
                }
                None => break,
            }
        }
        counted >= counted_min && 2 * failed >= counted
    }

    /// The different inputs that failed while this place was varied.
    pub(crate) fn tries(&self, place: Place) -> Tries {
        let failed = self.failed.get(&place).map_or(0, |inputs| inputs.len() as u64);
        Tries { failed, of: failed }
    }

    /// Forgets the tries of a place, because they were those of another claim.
    pub(crate) fn forget(&mut self, place: Place) {
        self.failed.remove(&place);
    }
}
