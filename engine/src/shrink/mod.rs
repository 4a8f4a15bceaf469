//! The shrinker: a shortlex search over the choice sequence.

mod search;
mod cache;
mod schedule;
mod place;
mod realign;
mod delete;
mod child;
mod simplest;
mod length;
mod merge;
mod integers;
mod together;
mod floats;
mod strings;
mod pairs;
mod renumber;
mod absorb;
mod sort;
mod rename;
mod discarded;
mod duplicate;
mod nearby;
mod alternative;

use crate::choice::Value;
use crate::outcome::{Origin, Outcome};
use crate::trace::Trace;

/// Runs candidates for the shrinker: in this process, in a worker process, or anywhere that gives the same answers.
pub trait Runner {
    /// Replays `candidate` with at most `choices_max` choices, and leaves in `trace` what was really drawn.
    fn run(&mut self, candidate: &[Value], choices_max: usize, trace: &mut Trace) -> Outcome;
}

/// When a shrink has to stop.
pub struct Budget<'a> {
    /// The greatest number of candidates to run.
    pub calls_max: u64,
    /// Asked before each candidate: whether to stop now. The engine has no clock; its caller has.
    pub stop: &'a mut dyn FnMut() -> bool,
}

/// Looks for the simplest test case that fails with `origin`, beginning at `start`, which is trusted to do so.
///
/// The result never sorts after the start (see [`order`](crate::order)). It may not be the global minimum. Out of budget, it is the best seen so far.
/// `progress` is told each new best, and the calls made until then.
pub fn shrink(start: &Trace, origin: Origin, runner: &mut dyn Runner, budget: Budget<'_>, progress: &mut dyn FnMut(&Trace, u64)) -> Shrunk {
    let Budget { calls_max, stop } = budget;
    let mut search = search::Search::new(start, origin, runner, Budget { calls_max, stop: &mut *stop }, progress);
    schedule::run(&mut search);
    search.finish()
}

/// Why a shrink ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// No pass improves it any more.
    Fixpoint,
    /// The budget is used up: this is the best seen so far.
    Budget,
}

/// What a shrink came to.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The simplest failure seen; never larger than the start.
    pub best: Trace,
    /// How many candidates were run, those of `calls_to_exhaust` included.
    pub calls: u64,
    /// How many of them only proved that nothing smaller fails.
    pub calls_to_exhaust: u64,
    /// Why it ended.
    pub finish: Finish,
    /// The simplest input seen for each other failure met on the way.
    pub others: Vec<(Origin, Trace)>,
}
