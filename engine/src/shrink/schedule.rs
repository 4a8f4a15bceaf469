//! The order in which the passes run, and when the schedule begins again. A new pass needs an entry
//! here, and a property or an input in `schedule/needed` that shows the need for it.
use fastrand::Rng;

use super::around::Kicks;
use super::kick::KICKS;
use super::search::Search;
use super::{
    absorb, alternative, around, child, choose, delete, discarded, duplicate, exhaust, floats,
    instead, integers, merge, otherwise, pairs, parallel, path, ranks, redraw, regroup, rename,
    renumber, rounds, runs, simplest, sort, strings, together,
};
use crate::parts::take_apart;
use crate::trace::Trace;

/// A pass and its name.
type Pass = (&'static str, fn(&mut Search<'_>));

macro_rules! passes {
    ($($pass:path),* $(,)?) => { &[$((stringify!($pass), $pass)),*] };
}

/// The passes by price: those that cost little and delete much stand first.
const STAGES: &[&[Pass]] = &[
    passes![
        delete::most,
        choose::each,
        child::each,
        delete::quick,
        simplest::classes,
        merge::neighbours,
        simplest::values,
        discarded::all
    ],
    passes![together::level, delete::full, rounds::each, strings::shorten, absorb::each],
    passes![pairs::give_all, ranks::each],
    passes![path::each, integers::each, floats::each, strings::simplify],
    passes![
        otherwise::each,
        pairs::mirror,
        renumber::each,
        sort::siblings,
        rename::each,
        alternative::each
    ],
    passes![pairs::transfer, pairs::lower_both],
    passes![
        delete::pairs,
        pairs::borrow,
        child::lowered,
        duplicate::each,
        alternative::later,
        alternative::shifted
    ],
    passes![
        integers::coarse,
        integers::turned,
        pairs::shift,
        parallel::each,
        regroup::dissolve,
        regroup::graft
    ],
];

/// The passes that run once the passes above find nothing more, by price.
const LAST: &[Pass] =
    passes![sort::without_one, runs::each, instead::each, redraw::each, exhaust::complete];

/// The name of the passes over strings and floats in parts.
const IN_PARTS: &str = "in parts";

/// The names of all passes and kicks.
pub(super) fn passes() -> impl Iterator<Item = &'static str> {
    let passes = STAGES.iter().copied().flatten().chain(LAST).chain(AROUND);
    passes.map(|(name, _)| *name).chain([IN_PARTS]).chain(KICKS.map(|(name, _)| name))
}

/// Runs the passes until none of them improves the best. Leaves out the passes of these names.
///
/// After a stage that shortened the trace, the schedule returns to the cheap passes. After a stage
/// that only changed values, it goes on to the next stage. The reason: zigzags between cheap and
/// expensive passes cost the most.
pub(super) fn run_without(without: &[&str], search: &mut Search<'_>) {
    loop {
        sweep(search, without);
        let improved = search.exhaust(|search| {
            let improvements = search.improvements();
            for (_, pass) in LAST.iter().filter(|(name, _)| !without.contains(name)) {
                pass(search);
                if search.improvements() > improvements {
                    break;
                }
            }
        });
        if search.is_stopped() || (!improved && !search.around(|search| beside(search, without))) {
            return;
        }
    }
}

/// Searches around a best that no pass improves. If that improves it, the passes go on from there.
pub(super) fn run_around(search: &mut Search<'_>) {
    if search.around(|search| beside(search, &[])) {
        run_without(&[], search);
    }
}

/// The passes that run only if the budget allows a search around the best.
const AROUND: &[Pass] = passes![integers::steps, integers::scan];

/// Searches around the best until it improves.
fn beside(search: &mut Search<'_>, without: &[&str]) {
    let improvements = search.improvements();
    for (_, pass) in AROUND.iter().filter(|(name, _)| !without.contains(name)) {
        pass(search);
    }
    if search.improvements() == improvements {
        around::each(search, &OfChoices { without });
    }
}

/// The kicks of choice sequences.
struct OfChoices<'a> {
    without: &'a [&'a str],
}

impl Kicks for OfChoices<'_> {
    const KINDS: usize = KICKS.len();

    /// Half of the bases are in parts, if they have parts.
    fn kick(
        &self,
        search: &mut Search<'_>,
        rng: &mut Rng,
        kind: usize,
        base: &Trace,
    ) -> Option<Trace> {
        let (name, kick) = KICKS[kind];
        if self.without.contains(&name) {
            return None;
        }
        let apart = if rng.bool() { take_apart(base) } else { None };
        let beginning = kick.beginning(rng, apart.as_ref().unwrap_or(base));
        search.kick(&beginning, rng.u64(..))
    }

    fn descend(&self, search: &mut Search<'_>) {
        sweep(search, self.without);
    }
}

/// Runs all stages, on the whole best and on the best in parts, until no pass improves it.
fn sweep(search: &mut Search<'_>, without: &[&str]) {
    let mut whole = Settled { without, in_vain: Vec::new() };
    let mut apart = Settled { without, in_vain: Vec::new() };
    loop {
        sweep_until_nothing_improves(search, &mut whole);
        if search.is_stopped()
            || without.contains(&IN_PARTS)
            || !search.has_parts()
            || !search.in_parts(|search| sweep_until_nothing_improves(search, &mut apart))
        {
            return;
        }
    }
}

fn sweep_until_nothing_improves(search: &mut Search<'_>, settled: &mut Settled<'_>) {
    let mut improvements = None;
    while improvements != Some(search.improvements()) && !search.is_stopped() {
        improvements = Some(search.improvements());
        let mut productive: Vec<Pass> = Vec::new();
        let mut stage = 0;
        while stage < STAGES.len() && !search.is_stopped() {
            let length = search.len();
            productive.extend(STAGES[stage].iter().filter(|pass| settled.run(search, **pass)));
            stage = if search.len() < length { 0 } else { stage + 1 };
            if search.len() < length {
                productive.clear();
            }
        }
        while_they_improve(search, settled, &productive);
    }
}

/// Repeats `passes` while they improve the best and keep its length. Often a few passes take small
/// steps in turn, and each makes room for the others. All other passes would find nothing between
/// two such steps.
fn while_they_improve(search: &mut Search<'_>, settled: &mut Settled<'_>, passes: &[Pass]) {
    let length = search.len();
    let mut improvements = None;
    while improvements != Some(search.improvements())
        && search.len() == length
        && !search.is_stopped()
    {
        improvements = Some(search.improvements());
        for pass in passes {
            settled.run(search, *pass);
        }
    }
}

/// Records which passes cannot improve the current best.
struct Settled<'a> {
    without: &'a [&'a str],
    /// How many improvements there were when the pass of this name last ran in vain.
    in_vain: Vec<(&'static str, u64)>,
}

impl Settled<'_> {
    /// Runs a pass, unless it already ran in vain on this same best. Returns whether it improved
    /// the best.
    fn run(&mut self, search: &mut Search<'_>, (name, pass): Pass) -> bool {
        let improvements = search.improvements();
        if !self.without.contains(&name) && !self.in_vain.contains(&(name, improvements)) {
            pass(search);
            if search.improvements() == improvements {
                self.in_vain.retain(|(other, _)| *other != name);
                self.in_vain.push((name, improvements));
            }
        }
        search.improvements() > improvements
    }
}

#[cfg(test)]
mod needed;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators as g;
    use crate::outcome::Outcome;
    use crate::shrink::shrink_support::{FAILED, InProcess};
    use crate::shrink::{Budget, CAPPED, Candidate, Runner};
    use crate::test_case::TestCase;
    use crate::trace::Trace;
    use crate::{Generator, order};

    /// Draws lists, texts, floats and options. The failure needs only a part of them.
    fn is_fine(tc: &mut TestCase) -> bool {
        let lists = tc.draw_silent(g::vec(g::vec(g::one_of((
            g::integers(-50i64..=500),
            g::integers(0i64..).map(|value| value / 2),
        )))));
        let text = tc.draw_silent(g::option((g::text(), g::floats::<f64>(..))));
        let count = tc.draw_silent(g::integers(0usize..=5));
        let more: i64 = (0..count).map(|_| tc.draw_silent(g::integers(0i64..=9))).sum();
        let sum = lists.iter().flatten().fold(more, |sum, value| sum.wrapping_add(*value));
        sum <= 1000 || text.is_some_and(|(text, float)| text.len() <= 2 || float == 0.0)
    }

    #[test]
    fn each_pass_alone_leaves_a_failure_that_is_never_larger() {
        let mut runner = InProcess::new(&is_fine);
        let mut starts = Vec::new();
        for seed in 0.. {
            runner.tc.start_random(seed, 2000);
            if runner.outcome() == Outcome::Failed(FAILED) {
                starts.push(runner.tc.trace().clone());
            }
            if starts.len() == 5 {
                break;
            }
        }
        for (_, pass) in STAGES.iter().copied().flatten().chain(LAST).chain(AROUND) {
            for start in &starts {
                let (mut stop, mut progress) = (|| false, |_: &Trace, _| {});
                let mut search = Search::new(
                    start,
                    FAILED,
                    &mut runner,
                    Budget { calls_max: 5000, exhaust_max: CAPPED, around: None, stop: &mut stop },
                    &mut progress,
                );
                pass(&mut search);
                let shrunk = search.finish();
                assert!(order::compare(&shrunk.best.choices, &start.choices).is_le());
                let mut again = Trace::default();
                assert_eq!(
                    runner.run(
                        Candidate::replaying(&shrunk.best.values()),
                        shrunk.best.len(),
                        &mut again
                    ),
                    Outcome::Failed(FAILED)
                );
                assert_eq!(again.choices, shrunk.best.choices);
            }
        }
    }
}
