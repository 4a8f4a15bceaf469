//! The suspicious lines of a minimized failure: those that failing runs reach, and that passing
//! runs near them do not.
//!
//! The search for claims runs hundreds of inputs around the minimized one. Some of them run again
//! here, and a worker says which edges each covers. `spectrum` compares the runs, and `named` turns
//! edges into lines of source code. The method is spectrum-based fault localization (Jones and
//! Harrold 2005, Tarantula; Abreu, Zoeteweij and van Gemund 2007, Ochiai). Passing runs near the
//! failing ones show more than others (Renieris and Reiss 2003, "Fault localization with nearest
//! neighbor queries").
//!
//! What the lines do not say:
//! - They come from a correlation. A suspicious line may be a consequence of the fault.
//! - A fault in code that passing runs reach too has no suspicious line.

#[cfg_attr(not(any(test, feature = "fuzzing")), expect(dead_code, reason = "no line has a name"))]
mod spectrum;
#[cfg(feature = "fuzzing")]
mod named;
#[cfg(not(feature = "fuzzing"))]
#[path = "lines/not_named.rs"]
mod named;

use dwindle_corpus::SuspiciousLine;
use dwindle_engine::internals::Trace;

use self::spectrum::Spectrum;
use super::neighbours::Neighbours;
use crate::execution::{Executor, Run};
use crate::failure::failed::Failed;
use crate::minimize::clock::Clock;

/// The most runs for suspicious lines. The search for claims leaves them.
pub(super) const RUNS: u64 = 200;
/// The most failing and passing inputs that run. One more run finds the stack of the failure.
const FAILING_MAX: usize = 65;
const PASSING_MAX: usize = 130;

/// Runs inputs again that failed and passed, and finds the suspicious lines. Also returns the
/// number of runs.
pub(super) fn suspicious<S: Executor>(
    executor: &mut S,
    failed: &Failed,
    neighbours: Neighbours<'_>,
    clock: &Clock,
) -> (Vec<SuspiciousLine>, u64) {
    let (failing, neighbours) = neighbours.failing(FAILING_MAX);
    let passing = neighbours.passing(PASSING_MAX);
    if passing.is_empty() {
        return (Vec::new(), 0);
    }
    let (mut spectrum, mut runs) = (Spectrum::default(), 1);
    executor.want_frames(true);
    let origin = executor.run_input(&failing[0], &mut Trace::default());
    executor.want_frames(false);
    let Run::Failed(origin) = origin else { return (Vec::new(), runs) };
    // Little time may be left. So both kinds of runs take turns.
    let pairs = failing.len().max(passing.len().div_ceil(2));
    let mut failing = failing.iter();
    let mut passing = passing.iter();
    'runs: for _ in 0..pairs {
        let turn = failing.by_ref().take(1).map(|input| (true, input));
        for (fails, input) in turn.chain(passing.by_ref().take(2).map(|input| (false, input))) {
            if clock.is_over() {
                break 'runs;
            }
            let (run, edges) = executor.run_covering(input, &mut Trace::default());
            clock.look(|| executor.time_elsewhere(), || executor.waited_elsewhere());
            runs += 1;
            let is_as_before = match &run {
                Run::Failed(again) => fails && again.id == failed.id,
                Run::Passed => !fails,
                _ => false,
            };
            if is_as_before && !edges.is_empty() {
                spectrum.add(fails, &edges);
            }
        }
    }
    (named::lines(&spectrum, &origin, executor.manifest_dir()), runs)
}
