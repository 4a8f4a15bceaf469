//! The described properties that a shrink must end at the best of, from 95 % of random starts.

#[path = "shrink_support/described.rs"]
mod described;
mod shrink_support;

use described::{DESCRIBED, Described};
use shrink_support::minimal;

const SEEDS: u64 = 20;
const REACHED_MIN: usize = 19;

fn reached(described: &Described) -> usize {
    (1..=SEEDS).filter(|seed| minimal(*seed, &described.property).draws == described.best).count()
}

#[test]
fn described_properties_end_at_their_best() {
    for described in DESCRIBED.iter().filter(|described| described.is_reached) {
        let reached = reached(described);
        assert!(reached >= REACHED_MIN, "{}: {reached} of {SEEDS}", described.name);
    }
}

#[test]
#[should_panic(expected = "bits")]
fn a_described_property_that_is_missed_is_noticed() {
    let bits = DESCRIBED.iter().find(|described| described.name == "bits").expect("bits");
    let wrong = Described { best: &["33824"], ..*bits };
    assert!(reached(&wrong) >= REACHED_MIN, "{}", wrong.name);
}
