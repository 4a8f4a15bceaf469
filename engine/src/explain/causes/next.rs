//! Looks for a failure that no known cause explains.

use std::ops::Range;

use fastrand::Rng;

use super::cause::Cause;
use super::contains::Contained;
use super::known::KnownCauses;
use crate::choice::Value;
use crate::explain::Budget;
use crate::explain::classes::operations::outermost_elements;
use crate::explore::mutant;
use crate::outcome::{Origin, Outcome};
use crate::shrink::{Candidate, Runner};
use crate::trace::Trace;

/// How many parts of one input are taken out, one after another.
const TAKEN_MAX: usize = 6;

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
///
/// A failing input that contains a known cause may contain another one, too. So the part that the
/// known cause explains is taken out, and the rest runs again.
pub fn next(
    known: &[Cause],
    origin: Origin,
    runner: &mut dyn Runner,
    choices_max: usize,
    budget: Budget<'_>,
) -> Next {
    let Budget { runs_max, seed, stop } = budget;
    let mut causes = KnownCauses::new(known, origin);
    let mut rng = Rng::with_seed(seed);
    let mut trace = Trace::default();
    let (mut runs, mut rest, mut taken) = (0, None, 0);
    while runs + causes.runs < runs_max && !stop() {
        runs += 1;
        let is_rest = rest.is_some();
        taken = if is_rest { taken + 1 } else { 0 };
        let values = rest.take().unwrap_or_else(|| match rng.choice(known) {
            Some(cause) if rng.bool() => mutant(&mut rng, &cause.minimized),
            _ => Vec::new(),
        });
        let seed = (!is_rest).then(|| rng.u64(..));
        let outcome = runner.run(Candidate { values: &values, seed }, choices_max, &mut trace);
        if outcome != Outcome::Failed(origin) {
            continue;
        }
        match causes.contained_in(&trace, runner) {
            None => return Next { found: Some(trace), runs: runs + causes.runs },
            Some((_, Contained::At(part))) if taken < TAKEN_MAX => rest = without(&trace, &part),
            Some(_) => {}
        }
    }
    Next { found: None, runs: runs + causes.runs }
}

/// The input without the last of the outermost elements that hold one of these choices.
fn without(trace: &Trace, part: &[(usize, usize)]) -> Option<Vec<Value>> {
    let holds = |range: &Range<usize>| part.iter().any(|(_, at)| range.contains(at));
    let last = outermost_elements(trace).filter(holds).last()?;
    let mut values = trace.values();
    values.drain(last);
    Some(values)
}
