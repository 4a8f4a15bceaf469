//! The shrinking challenge and its like: the exact minimum from ten random starts, and a ceiling
//! for the calls.

mod shrink_support;

use shrink_support::kinds::KINDS;
use shrink_support::machines::MACHINES;
use shrink_support::minimal;
use shrink_support::properties::{CHALLENGE, Case};

fn reaches_its_minimum(case: &Case) {
    for seed in 0..10 {
        let minimal = minimal(seed, &case.property);
        assert_eq!(
            minimal.draws, case.minimum,
            "{} from seed {seed}, {} choices",
            case.name, minimal.start
        );
        let calls = minimal.shrunk.calls;
        assert!(calls <= case.calls_max, "{} took {calls} calls from seed {seed}", case.name);
    }
}

#[test]
fn the_shrinking_challenge_ends_at_its_minima() {
    CHALLENGE.iter().for_each(reaches_its_minimum);
}

#[test]
fn vectors_of_operations_end_at_their_minima() {
    MACHINES.iter().filter(|case| !case.is_hard).for_each(reaches_its_minimum);
}

#[test]
fn every_kind_of_value_ends_at_its_minimum() {
    KINDS.iter().for_each(reaches_its_minimum);
}

/// The reasons stand with the known local minima in the documentation of the shrinker.
#[test]
fn hard_operations_end_with_as_few_of_them_as_their_minima_have() {
    for case in MACHINES.iter().filter(|case| case.is_hard) {
        let operations = |draws: &[String]| draws.join(",").matches(char::is_uppercase).count();
        let least = operations(&case.minimum.iter().map(ToString::to_string).collect::<Vec<_>>());
        for seed in 0..10 {
            let minimal = minimal(seed, &case.property);
            assert!(
                operations(&minimal.draws) <= least + 2,
                "{} from seed {seed}: {:?}",
                case.name,
                minimal.draws
            );
            assert!(
                minimal.shrunk.calls <= case.calls_max,
                "{} took {} calls from seed {seed}",
                case.name,
                minimal.shrunk.calls
            );
        }
    }
}

#[test]
#[should_panic(expected = "from seed 0")]
fn a_wrong_minimum_is_noticed() {
    let case = &CHALLENGE[0];
    reaches_its_minimum(&Case {
        name: case.name,
        property: case.property,
        minimum: &["[0, 2]"],
        reference: "",
        calls_max: case.calls_max,
        is_hard: false,
    });
}
