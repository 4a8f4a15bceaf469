//! Narrows a cause that inputs contain although they pass.
//!
//! A failing input contains a cause if further elements stand between those of the cause. This is a
//! guess: a fault may need that its operation is the last one, or that a list is empty. Where many
//! inputs fail, for several reasons, single tries do not show it, because what is added brings
//! another fault. But random inputs that pass do: none of them should contain the cause. If several
//! do, further elements may stand only where a claim says so.

use std::rc::Rc;

use crate::explain::causes::contains::{Contained, contained, contains};
use crate::explain::causes::known::instance;
use crate::explain::causes::wanted::Wanted;
use crate::explain::classes::claims::{Claims, Place, Says, Sides};
use crate::explain::classes::study::Study;
use crate::explain::classes::trials::TrialVerdict;
use crate::trace::Trace;

/// How many random inputs run.
const SAMPLE: usize = 150;
/// If not even half as many as are needed fail of the first inputs, the others do not run.
const FIRST: usize = 40;
/// One random input of this many must fail. Where fewer do, single tries show what a cause needs.
/// There an input that passes often has another reason: a later element undoes the fault.
const DENSE: usize = 4;
/// This many inputs that pass refute a cause.
const REFUTED_MIN: usize = 3;
/// The most collections that are looked at together.
const TOGETHER_MAX: usize = 4;
/// By this much, the share of failing inputs that still contain the cause must be greater than that
/// of passing ones.
const GAIN_MIN: f64 = 0.2;

/// Random inputs, by how they ended.
struct Sample {
    passing: Vec<Rc<Trace>>,
    failing: Vec<Rc<Trace>>,
}

impl Sample {
    fn len(&self) -> usize {
        self.passing.len() + self.failing.len()
    }
}

/// Closes collections of the cause if it is refuted, see [`Claims::closed`].
pub(super) fn narrow(study: &mut Study<'_>, found: &mut Claims) {
    let mut sample = Sample { passing: Vec::new(), failing: Vec::new() };
    for case in 0..SAMPLE {
        if case == FIRST && 2 * DENSE * sample.failing.len() < sample.len() {
            return;
        }
        let seed = study.rng.u64(..);
        let Some(run) = study.trials.run_random(&[], seed) else { break };
        match run.verdict {
            TrialVerdict::Fails => sample.failing.push(run.trace),
            TrialVerdict::Passes => sample.passing.push(run.trace),
            TrialVerdict::FailsOtherwise | TrialVerdict::NoEvidence => {}
        }
    }
    if DENSE * sample.failing.len() < sample.len() {
        return;
    }
    sample.passing = containing(study, found, &sample.passing);
    if sample.passing.len() >= REFUTED_MIN {
        sample.failing = containing(study, found, &sample.failing);
        found.closed.extend(best(study, found, &sample));
    }
}

/// The inputs that contain the cause. If it has loose values, it must also fail with theirs.
fn containing(study: &mut Study<'_>, found: &Claims, inputs: &[Rc<Trace>]) -> Vec<Rc<Trace>> {
    let wanted = Wanted::of(study.base, found);
    let mut kept = Vec::new();
    for input in inputs {
        let Contained::At(matched) = contained(&wanted, input) else { continue };
        let values = instance(&wanted, input, &matched);
        let fails = study.trials.run(&values).is_some_and(|run| run.verdict == TrialVerdict::Fails);
        if fails {
            kept.push(Rc::clone(input));
        }
    }
    kept
}

/// The collections that exclude most passing inputs and fewest failing ones, if they are closed
/// together.
fn best(study: &Study<'_>, found: &Claims, sample: &Sample) -> Vec<usize> {
    let base = study.base;
    let may_grow_anywhere = |span: usize| {
        found.claims.iter().any(|claim| {
            claim.place == Place::Span(span) && claim.says == Says::Further(Sides::Anywhere)
        })
    };
    let spans = (0..base.spans.len()).filter(|span| {
        !base.spans[*span].discarded
            && study.tree.elements(base, *span).is_some()
            && !found.closed.contains(span)
            && !may_grow_anywhere(*span)
    });
    let spans: Vec<usize> = spans.take(TOGETHER_MAX).collect();
    let mut best = (GAIN_MIN, Vec::new());
    for set in 1..1_u32 << spans.len() {
        let mut narrower = found.clone();
        let chosen = spans.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        let chosen: Vec<usize> = chosen.map(|(_, span)| *span).collect();
        narrower.closed.extend(&chosen);
        let wanted = Wanted::of(base, &narrower);
        let left = |inputs: &[Rc<Trace>]| {
            let left = inputs.iter().filter(|input| contains(&wanted, input)).count();
            left as f64 / inputs.len().max(1) as f64
        };
        let gain = left(&sample.failing) - left(&sample.passing);
        // Fewer collections are better, if they do the same.
        if gain > best.0 + 0.01 * chosen.len() as f64 {
            best = (gain, chosen);
        }
    }
    best.1
}
