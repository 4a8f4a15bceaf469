//! Tests of how generators shrink.

use dwindle::prelude::*;
use dwindle::{Settings, check_shrinking};

#[test]
fn an_invalid_shrink_is_found_and_minimized() {
    for seed in 0..10 {
        // Both numbers become simpler, their difference does not.
        let distance =
            (g::integers(0..=99u8), g::integers(0..=99u8)).map(|(one, other)| one.abs_diff(other));
        let invalid = check_shrinking(Settings::default().seed(seed), distance, |before, after| {
            after <= before
        })
        .unwrap_err();
        assert_eq!(
            invalid.to_string(),
            "invalid shrink: 0 ~> 1\n    before: drawn 1, 1\n    after:  drawn 0, 1",
            "seed {seed}"
        );
    }
}

#[test]
fn a_generator_that_shrinks_well_passes() {
    let passed =
        check_shrinking(Settings::default().max_cases(100), any::<Vec<u8>>(), |before, after| {
            after.len() < before.len() || sum(after) <= sum(before)
        });
    assert!(passed.is_ok_and(|passed| passed.cases > 0 && passed.rejected == 0));
}

fn sum(numbers: &[u8]) -> u32 {
    numbers.iter().map(|number| u32::from(*number)).sum()
}

#[test]
fn one_seed_gives_one_invalid_shrink() {
    let run = || {
        check_shrinking(
            Settings::default().seed(7),
            g::integers(0..=9i8).map(|number| number ^ 5),
            |before, after| after <= before,
        )
        .unwrap_err()
        .to_string()
    };
    assert_eq!(run(), run());
    assert!(run().starts_with("invalid shrink: 4 ~> 5\n"), "{}", run());
}

#[test]
fn rejected_test_cases_are_counted_and_end_the_search() {
    let passed = check_shrinking(
        Settings::default().max_cases(20),
        any::<u8>().filter(|_| false),
        |_, _| false,
    );
    assert!(passed.is_ok_and(|passed| passed.cases == 0 && passed.rejected == 200));
}
