//! The shrinker: a shortlex search over the choice sequence.
//!
//! The search starts from a failing trace and tries candidates that sort before the best (see
//! [`order`](crate::order)). A candidate is a list of values, which a [`Runner`] replays. The
//! choices that the replay drew become the new best if they fail with the same origin and are
//! simpler. Every accepted candidate makes the best simpler, so the search ends at a fixpoint of
//! its passes. This is internal reduction: `MacIver` and Donaldson 2020, section 3.
//!
//! Each file holds the passes of one idea. The passes see only the trace and know nothing of the
//! property. The schedule runs the passes by price:
//! - Passes that delete much in few calls run first. Large inputs first lose all but a small part,
//!   see `kept.rs`.
//! - The shrinker sets values to the simplest before it bisects them.
//! - The shrinker moves a sum between two numbers before it lowers either number.
//! - An enumeration of nearby sequences runs last.
//!
//! A pass gives way to others after a number of calls without an improvement. An improvement resets
//! this count. After the whole best, the same passes run on the best *in parts* (`parts`): each
//! string of up to 256 characters is a collection of numbers, and each float without binary places
//! is an integer. So the passes for collections and numbers work for strings, too. The order still
//! compares whole strings.
//!
//! Once no pass improves the best, the last passes try smaller sequences near it. Their calls are
//! counted separately, and [`Budget::exhaust_max`] limits them. `schedule` lists all passes, and
//! says what a new one needs.
//!
//! An input that the target takes as it stands is one single choice. `raw` has a separate schedule,
//! separate passes and separate kicks for it. Only fuzz targets have such inputs, so `raw` comes
//! with the feature `fuzzing`.
//!
//! The shrinker remembers what each candidate drew, and answers a known candidate without running
//! it. It also skips a candidate if an earlier execution shows what the candidate would draw. Such
//! a candidate begins with all choices of that execution, or omits only simplest values at the end.
//! Only `exhaust` runs a known candidate again, because it needs the trace.
//!
//! A pass only takes simpler steps, so it may stay in a local minimum. With [`Budget::around`], the
//! shrinker then searches around this minimum (`around`). First, it subtracts steps of many sizes
//! from each number. This finds numbers with a certain remainder or certain bits. If there are few
//! numbers, it also tries the simplest values of each in order. Then it makes *kicks* (`kick`):
//! cases that may be less simple than the best. If a kick fails in the same way, the passes shrink
//! it. The shrinker keeps the result if it is simpler than the best. Kicks are random, but one best
//! always gives the same kicks. So a second shrink of a result changes nothing, unless time cut the
//! search short.
//!
//! # Where the passes end beside the minimum
//! These are local minima of the passes. The search around the best escapes from many of them, but
//! not from all.
//! - Operations where the order and *two* values must change at once, if one of the values is
//!   neither small nor in the trace. For a set kept as runs, the search ends at
//!   `[InsertRange(0, 3), Optimize, Insert(4), RemoveSmallest(3)]`. The list
//!   `[Insert(0), InsertRange(2, 5), Optimize, RemoveSmallest(1)]` is simpler.
//! - With [`CAPPED`] calls to exhaust, the search misses two more kinds. One is three values that
//!   must change at once. The other is two steps that one step of another kind can replace. Only a
//!   [`THOROUGH`] search finds both.
//! - Numbers whose product must stay the same. For an area of 42, 6 times 7, a start may end at 2
//!   times 21 or at 1 times 42.
//! - A carry from one field into the next. Two times that must lie 95 minutes apart end at 0:25 and
//!   2:00. The simpler pair is 0:00 and 1:35.
//! - Trees whose branches must change their order from the inside out.
//! - Properties without any structure, such as a hash of the input. There, the shrinker tries few
//!   values, and changes only one or two choices of the best.
//! - A shorter sequence that needs an earlier choice to be raised. Passes find it only in special
//!   cases, such as alternatives.

mod search;
mod cache;
mod schedule;
pub(crate) mod place;
mod least;
mod memory;
mod realign;
mod delete;
mod rounds;
mod child;
mod simplest;
mod length;
mod merge;
mod integers;
mod instead;
mod together;
mod floats;
mod gallop;
mod kept;
mod strings;
mod pairs;
mod renumber;
mod absorb;
mod sort;
mod rename;
mod runs;
mod ranks;
mod discarded;
mod duplicate;
mod exhaust;
mod alternative;
mod otherwise;
mod path;
mod choose;
mod redraw;
mod regroup;
mod parallel;
mod kick;
mod around;
#[cfg(feature = "fuzzing")]
mod raw;
#[cfg(test)]
#[path = "../../tests/shrink_support/mod.rs"]
mod shrink_support;

use crate::outcome::{Origin, Outcome};
pub use crate::replay::Candidate;
use crate::trace::Trace;

/// Runs candidates for the shrinker: in this process, in a worker process, or anywhere that gives
/// the same answers.
pub trait Runner {
    /// Runs `candidate` with at most `choices_max` choices, and puts what it drew into `trace`.
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome;
}

/// When a shrink must stop.
pub struct Budget<'a> {
    /// The greatest number of candidates to run.
    pub calls_max: u64,
    /// The greatest number of candidates that the last passes run without an improvement. These
    /// passes try smaller sequences near the best one by one, over few values. [`CAPPED`] and
    /// [`THOROUGH`] are good numbers.
    pub exhaust_max: u64,
    /// How much the shrinker may search around a best that no pass improves. `None` for not at all.
    pub around: Option<Around<'a>>,
    /// Whether to stop now. The shrinker asks before it runs a candidate. The engine has no clock,
    /// so the caller measures the time.
    pub stop: &'a mut dyn FnMut() -> bool,
}

/// The budget of the search around a best that no pass improves. It finds other failures, which may
/// be less simple, and shrinks these.
pub struct Around<'a> {
    /// The greatest number of candidates in a row without an improvement.
    pub calls_max: u64,
    /// Whether to stop this search now. The shrinker asks before each candidate of this search, and
    /// at no other time. So the first call shows that the search begins.
    pub stop: &'a mut dyn FnMut() -> bool,
}

/// How many candidates the search around the best may run where a candidate costs little.
pub const AROUND: u64 = 40_000;

/// Enough exhaustion calls to improve most results that can be improved.
pub const CAPPED: u64 = 24;

/// How many exhaustion calls are worth it where an execution costs little and a person reads the
/// result.
pub const THOROUGH: u64 = 2000;

/// Looks for the simplest test case that fails with `origin`, beginning at `start`. The shrinker
/// trusts that `start` fails with `origin`.
///
/// The result never sorts after the start (see `order`). It may not be the global minimum. Out of
/// budget, it is the best seen so far. The shrinker calls `progress` with each new best and the
/// number of calls until then.
pub fn shrink(
    start: &Trace,
    origin: Origin,
    runner: &mut dyn Runner,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(&Trace, u64),
) -> Shrunk {
    shrink_without(&[], start, origin, runner, budget, progress)
}

/// Does the same as [`shrink`], but begins with the search around `start`. For a `start` that no
/// pass improves. If this search finds a simpler failure, the passes continue from there.
pub fn search_around(
    start: &Trace,
    origin: Origin,
    runner: &mut dyn Runner,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(&Trace, u64),
) -> Shrunk {
    run(start, origin, runner, budget, progress, |search| {
        #[cfg(feature = "fuzzing")]
        if start.raw_input().is_some() {
            return raw::run_around(search);
        }
        schedule::run_around(search);
    })
}

/// The names of all passes over choices, and of all kicks.
pub fn passes() -> impl Iterator<Item = &'static str> {
    schedule::passes()
}

/// Does the same as [`shrink`], but leaves out the passes and the kicks of these names. This shows
/// what they bring.
pub fn shrink_without(
    passes: &[&str],
    start: &Trace,
    origin: Origin,
    runner: &mut dyn Runner,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(&Trace, u64),
) -> Shrunk {
    run(start, origin, runner, budget, progress, |search| {
        #[cfg(feature = "fuzzing")]
        if start.raw_input().is_some() {
            return raw::run(search);
        }
        schedule::run_without(passes, search);
    })
}

fn run(
    start: &Trace,
    origin: Origin,
    runner: &mut dyn Runner,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(&Trace, u64),
    passes: impl FnOnce(&mut search::Search<'_>),
) -> Shrunk {
    let Budget { calls_max, exhaust_max, around, stop } = budget;
    let around = around.map(|Around { calls_max, stop }| Around { calls_max, stop: &mut *stop });
    let budget = Budget { calls_max, exhaust_max, around, stop: &mut *stop };
    let mut search = search::Search::new(start, origin, runner, budget, progress);
    passes(&mut search);
    search.finish()
}

/// Why a shrink ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// No pass improves the best any more. The budget may have cut short the search around it.
    Fixpoint,
    /// The budget is used up: this is the best seen so far.
    Budget,
}

/// The result of a shrink.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The simplest failure seen; it never sorts after the start.
    pub best: Trace,
    /// How many candidates the shrinker ran, including those of `calls_to_exhaust`.
    pub calls: u64,
    /// How many of these calls came before the last passes began for the first time.
    pub calls_to_fixpoint: u64,
    /// How many of these calls searched around a best that no pass improved, and found no simpler
    /// failure.
    pub calls_to_exhaust: u64,
    /// How many smaller inputs are known not to fail. Each of them keeps a beginning of the best
    /// and takes a lower value for the next choice. It then continues with the two simplest values
    /// of each choice, or with values of the best. `None` if there are too many to try.
    pub no_smaller_among: Option<u64>,
    /// Why the shrink ended.
    pub finish: Finish,
    /// The simplest input seen for each other failure that the shrinker met.
    pub others: Vec<(Origin, Trace)>,
}
