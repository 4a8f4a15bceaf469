//! The simplest failing case known. It comes from long searches from every result and from random
//! cases that are not longer, from a long search around the best, or from an enumeration of all
//! simpler cases where they are few.

use dwindle_engine::internals::choice::{Choice, Constraint, Value};
use dwindle_engine::internals::shrink::{Around, Budget, CAPPED, Candidate, Runner, shrink};
use dwindle_engine::internals::{Outcome, Trace, order};

use super::made::{Made, Running};
use crate::ours::FAILED;

/// How many calls a long search may make in vain.
const LONG: u64 = 10_000;
/// How many calls a long search around the best may make in vain.
const LONG_AROUND: u64 = 100_000;
/// How many random cases are tried. They are not longer than the best.
const CASES: u64 = 10_000;
/// How many cases are tried in order of simplicity.
const ORDERED: u64 = 30_000;

/// The best known of a property.
pub struct Best {
    /// Its choices.
    pub trace: Trace,
    /// Whether all simpler cases were tried.
    pub is_proven: bool,
}

/// Looks for the simplest failing case, beginning with `found`.
pub fn best(made: &Made, found: &[Trace]) -> Best {
    let mut running = Running::new(made);
    let mut best = found[0].clone();
    let mut seen: Vec<&Trace> = Vec::new();
    for start in found {
        if seen.iter().any(|seen| order::compare(&seen.choices, &start.choices).is_eq()) {
            continue;
        }
        seen.push(start);
        lower(&mut running, &mut best, start);
    }
    let mut case = 0;
    while case < CASES {
        running.driver.start_random(case.wrapping_mul(0xD6E8_FEB8_6659_FD93), best.len());
        if running.outcome() == Outcome::Failed(FAILED) {
            let start = running.driver.trace().clone();
            lower(&mut running, &mut best, &start);
            case += LONG / 20;
        }
        case += 1;
    }
    search_around(&mut running, &mut best);
    let is_proven = enumerate(&mut running, &mut best);
    Best { trace: best, is_proven }
}

fn lower(running: &mut Running<'_>, best: &mut Trace, start: &Trace) {
    let budget =
        Budget { calls_max: 10 * LONG, exhaust_max: LONG, around: None, stop: &mut || false };
    let shrunk = shrink(start, FAILED, running, budget, &mut |_, _| {}).best;
    if order::compare(&shrunk.choices, &best.choices).is_lt() {
        *best = shrunk;
    }
}

fn search_around(running: &mut Running<'_>, best: &mut Trace) {
    let budget = Budget {
        calls_max: 10 * LONG_AROUND,
        exhaust_max: CAPPED,
        around: Some(Around { calls_max: LONG_AROUND, stop: &mut || false }),
        stop: &mut || false,
    };
    *best = shrink(best, FAILED, running, budget, &mut |_, _| {}).best;
}

/// Runs all cases that are simpler than `best` in their order, and stops at the first that fails.
/// Returns whether it came to an end.
fn enumerate(running: &mut Running<'_>, best: &mut Trace) -> bool {
    let mut left = ORDERED;
    for length in 0..=best.len() {
        let mut prefix = Vec::new();
        match extend(running, best, length, &mut prefix, &mut left) {
            Some(true) => return true,
            Some(false) => {}
            None => return false,
        }
    }
    true
}

/// Tries every case of exactly `length` choices that begins with `prefix`. `Some(true)` if it came
/// to the best, or found a better one; `None` if too many are left, or a text, bytes or a float
/// would have to be enumerated.
fn extend(
    running: &mut Running<'_>,
    best: &mut Trace,
    length: usize,
    prefix: &mut Vec<Value>,
    left: &mut u64,
) -> Option<bool> {
    *left = left.checked_sub(1)?;
    let mut trace = Trace::default();
    let outcome = running.run(Candidate::replaying(prefix), length, &mut trace);
    if trace.len() <= prefix.len() {
        if outcome == Outcome::Failed(FAILED) && trace.len() == length {
            let is_simpler = order::compare(&trace.choices, &best.choices).is_lt();
            if is_simpler {
                *best = trace;
            }
            return Some(true);
        }
        return Some(false);
    }
    let choice = trace.choices[prefix.len()].clone();
    if !matches!(choice.constraint, Constraint::Boolean(_) | Constraint::Integer(_)) {
        return None;
    }
    let mut rank = 0;
    while let Some(value) = ranked(&choice, rank) {
        prefix.push(value);
        let stop = extend(running, best, length, prefix, left)?;
        prefix.pop();
        if stop {
            return Some(true);
        }
        rank += 1;
    }
    Some(false)
}

/// The value with this rank in the order of a boolean or an integer.
fn ranked(choice: &Choice, rank: u128) -> Option<Value> {
    match &choice.constraint {
        Constraint::Boolean(coin) => match (coin.forced, rank) {
            (Some(forced), 0) => Some(Value::Boolean(forced)),
            (None, 0 | 1) => Some(Value::Boolean(rank == 1)),
            _ => None,
        },
        Constraint::Integer(range) => {
            let up = range.max.abs_diff(range.towards);
            let down = range.towards.abs_diff(range.min);
            let both = up.min(down);
            // Alternates above and below, then goes on where the range does.
            let (distance, above) = if rank <= both.saturating_mul(2) {
                (rank.div_ceil(2), rank % 2 == 1)
            } else {
                (rank - both, up > down)
            };
            if distance > up.max(down) {
                return None;
            }
            let value = if above || distance == 0 {
                range.towards.wrapping_add_unsigned(distance)
            } else {
                range.towards.wrapping_sub_unsigned(distance)
            };
            Some(Value::Integer(value))
        }
        _ => None,
    }
}
