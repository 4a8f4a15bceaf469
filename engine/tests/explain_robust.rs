//! No property makes the search for claims and causes fail: extreme numbers, long strings,
//! conditions without sense.

mod shrink_support;

use std::hash::{DefaultHasher, Hash, Hasher};

use dwindle_engine::TestCase;
use dwindle_engine::generators as g;
use dwindle_engine::internals::explain::{
    Budget, Cause, Outside, RUNS, explain, further_form, nearest_passing, next,
};
use dwindle_engine::internals::shrink::{self, CAPPED, shrink};
use dwindle_engine::prelude::*;
use shrink_support::{FAILED, InProcess};

/// How many values there are to draw, and how many conditions.
const KINDS: u64 = 9;
const CONDITIONS: u64 = 6;

#[derive(Debug, Generate)]
enum Operation {
    Push(i128),
    Put(u8, String),
    Clear,
}

/// A number that depends on one drawn value.
fn drawn(tc: &mut TestCase, kind: u64) -> i128 {
    match kind {
        0 => tc.draw(any::<i128>()),
        1 => tc.draw(any::<u128>()).cast_signed(),
        2 => tc.draw(any::<i64>()).into(),
        3 => tc.draw(any::<u8>()).into(),
        4 => tc.draw(any::<String>()).chars().count() as i128,
        5 => tc.draw(g::bytes()).len() as i128,
        6 => tc.draw(any::<f64>()) as i128,
        7 => tc.draw(any::<Vec<i128>>()).iter().fold(0, |sum, number| sum.wrapping_add(*number)),
        _ => {
            let operations = tc.draw(any::<Vec<Operation>>());
            operations.iter().fold(0, |most, operation| match operation {
                Operation::Push(number) => most.max(*number),
                Operation::Put(key, text) => most.max(i128::from(*key)).max(text.len() as i128),
                Operation::Clear => 0,
            })
        }
    }
}

/// Whether the test case fails as the digits of `number` say.
fn fails(tc: &mut TestCase, mut number: u64) -> bool {
    let mut digit = |of: u64| {
        let digit = number % of;
        number /= of;
        digit
    };
    let (one, other, more) = (digit(KINDS), digit(KINDS), digit(KINDS));
    let (one, other, more) = (drawn(tc, one), drawn(tc, other), drawn(tc, more));
    match digit(CONDITIONS) {
        0 => {
            let mut hasher = DefaultHasher::new();
            (one, other, more).hash(&mut hasher);
            hasher.finish().is_multiple_of(3)
        }
        1 => one == other,
        2 => one > other && more > 0,
        3 => one.wrapping_add(other) > 1000,
        4 => other == 0 && more == 0,
        _ => one.wrapping_sub(more) % 7 == 3,
    }
}

fn up_to(runs_max: u64, stop: &mut dyn FnMut() -> bool) -> Budget<'_> {
    Budget { runs_max, seed: 1, stop }
}

#[test]
fn random_properties_are_explained_within_the_budget() {
    for number in (0..KINDS * KINDS * KINDS * CONDITIONS).step_by(31) {
        let property = move |tc: &mut TestCase| !fails(tc, number);
        let mut runner = InProcess::new(&property);
        let mut causes: Vec<Cause> = Vec::new();
        for _ in 0..3 {
            let never = &mut || false;
            let found = next(&causes, FAILED, &mut runner, 1000, up_to(2000, never));
            let Some(start) = found.found else { break };
            let mut outside = Outside::new(&mut runner, &causes, FAILED);
            let shrinking = shrink::Budget {
                calls_max: 2000,
                exhaust_max: CAPPED,
                around: None,
                stop: &mut || false,
            };
            let minimized = shrink(&start, FAILED, &mut outside, shrinking, &mut |_, _| {}).best;
            let claims = explain(&minimized, FAILED, &mut outside, up_to(RUNS, never));
            assert!(claims.runs <= RUNS, "{number}: {} runs", claims.runs);
            nearest_passing(&minimized, &claims, FAILED, &mut runner, up_to(200, never));
            let mut cause = Cause { minimized, claims };
            assert!(cause.explains(&cause.minimized), "{number}: {:?}", cause.minimized);
            further_form(&mut cause, &causes, FAILED, &mut runner, up_to(RUNS, never));
            causes.push(cause);
        }
    }
}
