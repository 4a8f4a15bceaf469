//! Shrinks must end at the best of these described properties.

#[path = "shrink_support/described.rs"]
mod described;
mod shrink_support;

use described::{DESCRIBED, Described};
use dwindle_engine::internals::shrink::{AROUND, Around, Budget, THOROUGH, shrink};
use shrink_support::{FAILED, InProcess};

const SEEDS: u64 = 8;
/// A quarter of the default: the engine is built without optimizations here.
const CALLS_AROUND: u64 = AROUND / 4;

fn reached(described: &Described) -> usize {
    let mut runner = InProcess::new(&described.property);
    let mut ends_at_best = |seed| {
        let start = runner.find(seed, 1);
        let budget = Budget {
            calls_max: 100_000,
            exhaust_max: THOROUGH,
            around: Some(Around { calls_max: CALLS_AROUND, stop: &mut || false }),
            stop: &mut || false,
        };
        let shrunk = shrink(&start, FAILED, &mut runner, budget, &mut |_, _| {});
        runner.draws(&shrunk.best) == described.best
    };
    (1..=SEEDS).filter(|seed| ends_at_best(*seed)).count()
}

#[test]
fn described_properties_end_at_their_best() {
    for described in DESCRIBED {
        let reached = reached(described);
        assert!(reached == SEEDS as usize, "{}: {reached} of {SEEDS}", described.name);
    }
}

#[test]
#[should_panic(expected = "bits")]
fn a_described_property_that_is_missed_is_noticed() {
    let bits = DESCRIBED.iter().find(|described| described.name == "bits").expect("bits");
    let wrong = Described { best: &["33824"], ..*bits };
    assert!(reached(&wrong) == SEEDS as usize, "{}", wrong.name);
}
