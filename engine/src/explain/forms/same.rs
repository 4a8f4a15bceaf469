//! Finds the known cause that is one fault with a new one, or signs of it.

use super::meeting::meeting;
use super::signs::Signs;
use crate::explain::Budget;
use crate::explain::causes::cause::Cause;
use crate::explain::causes::contexts::{Agreement, Contexts, common};
use crate::explain::causes::known::KnownCauses;
use crate::explain::causes::wanted::Wanted;
use crate::explain::classes::claims::Place;
use crate::explain::classes::study::Study;
use crate::explain::classes::tree::Tree;
use crate::explain::classes::trials::Trials;
use crate::outcome::{Origin, Outcome};
use crate::shrink::place::is_datum;
use crate::shrink::{self, Candidate, Runner, shrink};
use crate::sorted::sort_by_key;
use crate::trace::Trace;

/// How many runs the search for neighbours takes at most.
const NEIGHBOURS_RUNS: u64 = 1000;
/// How many neighbours of one cause are kept, and how many are compared.
const KEPT_MAX: usize = 32;
const COMPARED_MAX: usize = 4;
/// How often the inputs are compared, in other contexts: a comparison often ends without a verdict.
const COMPARISONS: u64 = 2;

/// A known cause that is likely one fault with a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Same {
    /// Its index among the known ones.
    pub(super) index: usize,
    /// The places of the new cause at which an input that the known cause explains has other
    /// values, while everything else is the same.
    pub(super) loose: Vec<Place>,
}

/// The known cause that is likely one fault with `minimized`, which no known cause explains: as
/// comparisons say, or [`Signs`].
///
/// A neighbour is an input one shrinking step away that a known cause explains. The failure is
/// compared with its neighbours, with the minimized inputs of the known causes, and with these that
/// have its values: do they fail and pass in the same contexts? The budget is for the search for
/// neighbours and one comparison. Each further comparison may take as many runs.
pub(super) fn same(
    minimized: &Trace,
    known: &[Cause],
    origin: Origin,
    runner: &mut dyn Runner,
    budget: Budget<'_>,
) -> Option<Same> {
    let Budget { runs_max, seed, stop } = budget;
    let mut recording = Recording {
        runner: &mut *runner,
        known: KnownCauses::new(known, origin),
        origin,
        neighbours: vec![Vec::new(); known.len()],
    };
    let shrinking = shrink::Budget {
        calls_max: NEIGHBOURS_RUNS.min(runs_max),
        exhaust_max: 0,
        around: None,
        stop: &mut *stop,
    };
    let ended = shrink(minimized, origin, &mut recording, shrinking, &mut |_, _| {});
    let neighbours = recording.neighbours;
    let signs = Signs::of(minimized, known, &neighbours);
    let runs_max = runs_max.saturating_sub(ended.calls);
    let mut budget = Budget { runs_max, seed, stop };
    let mut pairs = Vec::new();
    for (index, (mut own, cause)) in neighbours.into_iter().zip(known).enumerate() {
        sort_by_key(&mut own, |trace| distance(minimized, trace));
        own.truncate(COMPARED_MAX);
        if own.iter().all(|trace| trace.choices != cause.minimized.choices) {
            own.push(cause.minimized.clone());
        }
        let met = meeting(cause, minimized);
        own.extend(met.and_then(|values| budget.failing(&values, origin, runner)));
        pairs.extend(own.into_iter().map(|trace| (distance(minimized, &trace), index, trace)));
    }
    sort_by_key(&mut pairs, |(distance, ..)| *distance);
    // The claims about a mixed cause may hold for another fault, too.
    pairs.retain(|(_, index, _)| !known[*index].claims.is_mixed);
    let Budget { runs_max, seed, stop } = budget;
    (0..COMPARISONS).find_map(|again| {
        let budget = Budget { runs_max, seed: seed.wrapping_add(again), stop: &mut *stop };
        compared(minimized, known, &pairs, signs.clone(), (origin, runner), budget)
    })
}

/// The known cause that is likely one fault with `minimized`, as one comparison with all says, or
/// the signs. `pairs`: by distance, the index of a known cause and an input that it explains.
fn compared(
    minimized: &Trace,
    known: &[Cause],
    pairs: &[(usize, usize, Trace)],
    mut signs: Signs,
    (origin, runner): (Origin, &mut dyn Runner),
    mut budget: Budget<'_>,
) -> Option<Same> {
    let others = |but: usize| -> Vec<Wanted<'_>> {
        let others = known.iter().enumerate().filter(|(index, _)| *index != but);
        others.map(|(_, cause)| cause.wanted()).collect()
    };
    let mut agree = |one: &Trace, other: &Trace, known: &[Wanted<'_>], own: Option<&Wanted<'_>>| {
        let Budget { runs_max, seed, stop } = &mut budget;
        let trials = Trials::new(&mut *runner, origin, *runs_max, &mut **stop, one.len());
        let mut study = Study::new(one, trials, *seed);
        let agreement = Contexts::of(one, other).agree(&mut study, known, own);
        *runs_max = runs_max.saturating_sub(study.trials.runs());
        agreement
    };
    for (_, index, trace) in pairs {
        let cause = &known[*index];
        match agree(minimized, trace, &others(*index), Some(&cause.wanted())) {
            Agreement::None => {}
            Agreement::Partial => signs.agree_in_part(*index),
            Agreement::Full => {
                let cause = &cause.minimized;
                if trace.choices == cause.choices
                    || agree(trace, cause, &[], None) == Agreement::Full
                {
                    return Some(Same { index: *index, loose: differing(minimized, trace) });
                }
            }
        }
    }
    signs.likeliest().map(|index| Same { index, loose: Vec::new() })
}

/// The data in which two inputs of one form differ.
fn differing(one: &Trace, other: &Trace) -> Vec<Place> {
    if !Tree::is_alike(one, other) {
        return Vec::new();
    }
    let differs = |at: &usize| {
        is_datum(&one.choices[*at]) && one.choices[*at].value != other.choices[*at].value
    };
    (0..one.len()).filter(differs).map(Place::Choice).collect()
}

/// The choices in which two inputs differ.
fn distance(one: &Trace, other: &Trace) -> usize {
    let (before, behind) = common(one, other);
    one.len().max(other.len()) - before - behind
}

/// Hides what known causes explain, and keeps it.
struct Recording<'a> {
    runner: &'a mut dyn Runner,
    known: KnownCauses<'a>,
    origin: Origin,
    neighbours: Vec<Vec<Trace>>,
}

impl Runner for Recording<'_> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        let outcome = self.runner.run(candidate, choices_max, trace);
        if outcome != Outcome::Failed(self.origin) {
            return outcome;
        }
        let Some(index) = self.known.explaining(trace, self.runner) else {
            return outcome;
        };
        let own = &mut self.neighbours[index];
        if own.len() < KEPT_MAX && own.iter().all(|kept| kept.choices != trace.choices) {
            own.push(trace.clone());
        }
        Outcome::Rejected
    }
}
