//! Looks for a failure that no known cause explains.

use fastrand::Rng;

use super::Budget;
use super::cause::Cause;
use super::outside::Outside;
use crate::explore::mutant;
use crate::outcome::{Origin, Outcome};
use crate::shrink::{Candidate, Runner};
use crate::trace::Trace;

/// What a search for the next cause came to.
#[derive(Clone, Debug)]
pub struct Next {
    /// A failure that no known cause explains. It is not minimized.
    pub found: Option<Trace>,
    /// How many runs the search took.
    pub runs: u64,
}

/// Looks for a failure of `origin` that none of the `known` causes explains. The runs draw at most
/// `choices_max` choices.
pub fn next(
    known: &[Cause],
    origin: Origin,
    runner: &mut dyn Runner,
    choices_max: usize,
    budget: Budget<'_>,
) -> Next {
    let Budget { runs_max, seed, stop } = budget;
    let mut outside = Outside::new(runner, known, origin);
    let mut rng = Rng::with_seed(seed);
    let mut trace = Trace::default();
    let mut runs = 0;
    while runs < runs_max && !stop() {
        runs += 1;
        let values = match rng.choice(known) {
            Some(cause) if rng.bool() => mutant(&mut rng, &cause.minimized),
            _ => Vec::new(),
        };
        let candidate = Candidate { values: &values, seed: Some(rng.u64(..)) };
        if outside.run(candidate, choices_max, &mut trace) == Outcome::Failed(origin) {
            return Next { found: Some(trace), runs };
        }
    }
    Next { found: None, runs }
}
