//! The shrinker: a shortlex search over the choice sequence.
//!
//! It starts from a failing trace and tries candidates that sort before it (see [`order`](crate::order)): a candidate is a list of values, which a [`Runner`]
//! replays; what it really drew becomes the new best if it fails with the same origin and is smaller. So every accepted step makes the best simpler, and
//! the search ends at a fixpoint of its passes. Internal reduction: `MacIver` and Donaldson 2020, section 3.
//!
//! Passes of one idea stand in a file of their own and know nothing of the property. The schedule runs them by price: what deletes much in few calls first,
//! values set to the simplest before they are bisected, sums moved before either of their parts is, and last an enumeration of what is close by.
//! A pass gives way when it makes no headway; none is capped in what it improves. What only searches the neighbourhood of a result that no pass improves is
//! counted apart, and has a limit of its own: see [`Budget::exhaust_max`]. A test shows of each pass that it is needed.
//!
//! An input that is taken as it stands has no choices but itself: it has a schedule and passes of its own, in `raw`.
//!
//! No candidate is run twice, nor one of which an earlier execution says what it draws: because it begins with all that was drawn there, or leaves out only
//! simplest values at the end.
//!
//! # Where it ends beside the minimum
//! - Operations that have to change their order and *two* of their values at once, one of which is neither small nor in the trace: of a set kept as runs,
//!   `[InsertRange(0, 3), Optimize, Insert(4), RemoveSmallest(3)]` stays, where `[Insert(0), InsertRange(2, 5), Optimize, RemoveSmallest(1)]` is simpler.
//! - With [`CAPPED`] calls to exhaust, more of the like: three values that have to change at once, and steps of which one of another kind does the same as two, are
//!   found by a [`THOROUGH`] search only.
//! - Numbers whose product has to stay: of 6 times 7 that is looked for as an area, a start may end at 2 times 21 or at 1 times 42.
//! - A carry from one field into the next: of 0:25 and 2:00 that have to lie 95 minutes apart, 0:00 and 1:35 is simpler.
//! - Trees whose order of branches has to change from the inside out.
//! - Properties without any structure (a hash of the input): only what differs in one or two choices from the best, over few values, is tried.
//! - What is shorter only if an earlier choice is raised, except for alternatives.

mod search;
mod cache;
mod schedule;
mod place;
mod least;
mod memory;
mod realign;
mod delete;
mod child;
mod simplest;
mod length;
mod merge;
mod integers;
mod instead;
mod together;
mod floats;
mod gallop;
mod strings;
mod pairs;
mod renumber;
mod absorb;
mod sort;
mod rename;
mod runs;
mod discarded;
mod duplicate;
mod nearby;
mod exhaust;
mod alternative;
mod otherwise;
mod path;
mod choose;
mod redraw;
mod alike;
mod characters;
mod parallel;
mod raw;

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
    /// The greatest number of candidates to run in a row once no pass improves anything: what is smaller and close by is tried one by one, over few values.
    /// [`CAPPED`] and [`THOROUGH`] are good numbers.
    pub exhaust_max: u64,
    /// Asked before each candidate: whether to stop now. The engine has no clock; its caller has.
    pub stop: &'a mut dyn FnMut() -> bool,
}

/// As many calls to exhaust as improve most results that can be improved.
pub const CAPPED: u64 = 24;

/// As many calls to exhaust as are worth it where an execution costs little and a person reads the result.
pub const THOROUGH: u64 = 2000;

/// Looks for the simplest test case that fails with `origin`, beginning at `start`, which is trusted to do so.
///
/// The result never sorts after the start (see [`order`](crate::order)). It may not be the global minimum. Out of budget, it is the best seen so far.
/// `progress` is told each new best, and the calls made until then.
pub fn shrink(start: &Trace, origin: Origin, runner: &mut dyn Runner, budget: Budget<'_>, progress: &mut dyn FnMut(&Trace, u64)) -> Shrunk {
    let Budget { calls_max, exhaust_max, stop } = budget;
    let mut search = search::Search::new(start, origin, runner, Budget { calls_max, exhaust_max, stop: &mut *stop }, progress);
    if start.raw_input().is_some() {
        raw::run(&mut search);
    } else {
        schedule::run(&mut search);
    }
    search.finish()
}

/// Why a shrink ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// No pass improves it any more. The search in its neighbourhood may have been cut short.
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
    /// Of how many smaller inputs it is known that none fails: all those that keep a beginning of the best, take a lower value for the choice behind it and
    /// then go on with the two simplest values of each choice or with values of the best. `None` if they are too many to try.
    pub no_smaller_among: Option<u64>,
    /// Why it ended.
    pub finish: Finish,
    /// The simplest input seen for each other failure met on the way.
    pub others: Vec<(Origin, Trace)>,
}
