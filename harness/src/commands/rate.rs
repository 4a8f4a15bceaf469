//! Measures how many candidates a second run.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use dwindle_corpus::events::{Event, Rates};
use dwindle_corpus::read_input;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::shrink::Candidate;
use dwindle_engine::internals::sorted::sort_by;

use crate::execution::{Executor, Run, Runs};
use crate::exit::{ENVIRONMENT, NOTHING_FAILED, WRONG_USE, refuse};
use crate::isolation::Isolated;
use crate::target::Target;
use crate::{environment, events};
/// The length and number of the measured windows. The median gives the usual rate on a machine that
/// has other work too.
const WINDOW: Duration = Duration::from_millis(200);
const WINDOWS: usize = 11;

/// Runs one file repeatedly, as the minimizer runs candidates.
pub(super) fn rate(target: &'static Target, files: &[PathBuf]) -> i32 {
    let [file] = files else { return refuse(WRONG_USE, "DWINDLE_MODE=rate takes one file") };
    let input = match read_input(file) {
        Ok(input) => input,
        Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
    };
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            return refuse(
                ENVIRONMENT,
                &format!("cannot start a process that runs the target: {error}"),
            );
        }
    };
    let mut trace = Trace::default();
    let run = executor.run_input(&input, &mut trace);
    let values = trace.values();
    if let Run::Failed(failed) = &run {
        executor.allow_for(Runs::Candidates(failed.kind));
    }
    let (mut candidates, mut round_trips) = ([0.0; WINDOWS], [0.0; WINDOWS]);
    let mut busy = [0.0; WINDOWS];
    // The windows alternate, so that both measurements see the same machine.
    for window in 0..WINDOWS {
        let (before, mut count) = (executor.time_elsewhere(), 0_u32);
        candidates[window] = rate_of(|| {
            count += 1;
            drop(executor.run_candidate(Candidate::replaying(&values), values.len(), &mut trace));
        });
        busy[window] =
            executor.time_elsewhere().saturating_sub(before).as_secs_f64() * 1e6 / f64::from(count);
        round_trips[window] = rate_of(|| executor.round_trip());
    }
    let (candidates, round_trips, busy) = (median(candidates), median(round_trips), median(busy));
    let text = format!(
        "the target {}: {candidates:.0} candidates a second, {busy:.1} microseconds of its \
         processor for each; {round_trips:.0} round trips a second that run nothing",
        run.in_words()
    );
    let figures = Rates { candidates, processor_microseconds: busy, round_trips };
    events::say(Event::Rate(figures), &text);
    NOTHING_FAILED
}

/// Calls a second, in one window.
fn rate_of(mut act: impl FnMut()) -> f64 {
    let (started, mut count) = (Instant::now(), 0_u32);
    while started.elapsed() < WINDOW {
        act();
        count += 1;
    }
    f64::from(count) / started.elapsed().as_secs_f64()
}

fn median(rates: [f64; WINDOWS]) -> f64 {
    let mut rates = rates.to_vec();
    sort_by(&mut rates, f64::total_cmp);
    rates[WINDOWS / 2]
}
