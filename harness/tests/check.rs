//! Properties outside any fuzzer.

use dwindle::prelude::*;
use dwindle::{Failure, Settings, check};

fn settings(seed: u64) -> Settings {
    Settings::default().seed(seed).max_cases(100_000).store(None)
}

fn failure(seed: u64, property: impl FnMut(&mut TestCase)) -> Failure {
    check(settings(seed), property).expect_err("the property fails for some case")
}

#[test]
fn a_failure_is_minimized_and_its_input_fails_again() {
    for seed in 0..10 {
        let property = |tc: &mut TestCase| {
            let numbers = tc.draw(g::vec(g::integers(0..=10_000u32)));
            let sum: u32 = numbers.iter().sum();
            assert!(sum <= 1000, "the sum is {sum}");
        };
        let failure = failure(seed, property);
        assert_eq!(failure.draws, ["[1001]"], "seed {seed}");
        assert_eq!(failure.choices, 3);
        assert_eq!(failure.message, "the sum is 1001");
        assert!(
            failure.location.starts_with("tests/check.rs:")
                || failure.location.starts_with("harness/tests/check.rs:"),
            "{}",
            failure.location
        );
        assert!(failure.finished && failure.reliable);
        assert!(failure.calls_to_exhaust <= failure.calls_to_shrink);
        let calls = failure.calls_to_shrink - failure.calls_to_exhaust;
        assert!(calls < 150, "{calls} calls");
        let caught = std::panic::catch_unwind(|| dwindle::replay(property, &failure.input));
        assert!(caught.is_err(), "the input does not fail when it is replayed");
    }
}

#[test]
fn calls_are_executions_of_the_property() {
    let mut executions = 0;
    let failure = failure(3, |tc| {
        executions += 1;
        assert!(tc.draw(any::<u16>()) < 5000);
    });
    assert_eq!(failure.draws, ["5000"]);
    assert_eq!(failure.calls_to_find + failure.calls_to_shrink, executions);
}

#[test]
fn only_draws_of_the_property_itself_are_reported_and_silent_ones_are_not() {
    let failure = failure(1, |tc| {
        let pair = tc.draw(g::from_fn(|tc| (tc.draw(g::booleans()), tc.draw(any::<u8>()))));
        let hidden = tc.draw_silent(g::integers(1..=3u8));
        tc.note(format!("hidden is {hidden}"));
        assert!(!pair.0);
    });
    assert_eq!(failure.draws, ["(true, 0)"]);
    assert_eq!(failure.notes, ["hidden is 1"]);
}

#[test]
fn a_property_that_holds_passes_after_as_many_cases_as_asked() {
    let mut executions = 0;
    let passed = check(settings(0).max_cases(500), |tc| {
        executions += 1;
        let number = tc.draw(any::<u8>());
        tc.assume(number % 2 == 0);
    })
    .expect("it holds");
    assert_eq!(passed.cases, 500);
    assert_eq!(passed.cases + passed.rejected, executions);
    assert!(passed.rejected > 100);
}

#[test]
fn a_property_that_rejects_everything_ends() {
    let passed = check(settings(0).max_cases(100), |tc| tc.reject()).expect("nothing fails");
    assert_eq!((passed.cases, passed.rejected), (0, 1000));
}

#[test]
fn a_generator_that_never_ends_is_stopped_at_the_limit_of_choices() {
    let passed = check(settings(0).max_cases(3).max_choices(1000), |tc| {
        while tc.draw(g::integers(0..=1u8)) < 2 {}
    })
    .expect("nothing fails");
    assert_eq!(passed.cases, 0);
}

#[test]
fn a_panic_that_the_property_catches_is_a_failure() {
    let failure = failure(0, |tc| {
        let number = tc.draw(any::<u8>());
        let _ = std::panic::catch_unwind(|| assert!(number < 100));
    });
    assert_eq!(failure.draws, ["100"]);
}

#[test]
fn bug_key_distinguishes_failures_at_one_place() {
    fn fail() {
        panic!("the same place for both");
    }
    let property = |tc: &mut TestCase| {
        let number = tc.draw(g::integers(0..=1000u32));
        if number >= 900 {
            tc.bug_key("large");
            fail();
        }
        if (10..20).contains(&number) {
            tc.bug_key("small");
            fail();
        }
    };
    let minima: std::collections::BTreeSet<_> =
        (0..40).map(|seed| failure(seed, property).draws[0].clone()).collect();
    assert_eq!(minima.into_iter().collect::<Vec<_>>(), ["10", "900"]);
}

#[test]
fn a_failure_is_kept_in_the_store_and_replayed_first() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let settings = || settings(0).name("parity").store(Some(folder.path().to_owned()));
    let property = |tc: &mut TestCase| assert!(tc.draw(any::<u32>()) < 70_000);
    let first = check(settings(), property).expect_err("it fails");
    assert_eq!(first.draws, ["70000"]);
    let second = check(settings(), property).expect_err("it fails again");
    assert_eq!((second.calls_to_find, &second.draws), (1, &first.draws));
    let passed = check(settings(), |tc| {
        tc.draw(any::<u32>());
    })
    .expect("it is fixed");
    assert_eq!(passed.cases, 100_000);
}

#[test]
fn one_seed_gives_one_failure() {
    let property = |tc: &mut TestCase| assert!(tc.draw(any::<Vec<i16>>()).len() < 4);
    // Few calls around the result, so that the limit on processor time never ends the search.
    let runs: Vec<_> = (0..2)
        .map(|_| check(settings(7).exhaust(1_000), property).expect_err("it fails"))
        .collect();
    assert_eq!(runs[0].calls_to_find, runs[1].calls_to_find);
    assert_eq!(runs[0].calls_to_shrink, runs[1].calls_to_shrink);
    assert_eq!(runs[0].draws, ["[0, 0, 0, 0]"]);
}

#[test]
fn the_budget_ends_a_shrink_with_the_best_so_far() {
    let failure = check(settings(5).budget(3, std::time::Duration::from_mins(1)), |tc| {
        let numbers = tc.draw(g::vec(any::<u64>()).len(5..));
        assert!(numbers.iter().any(|number| *number < 1000));
    })
    .expect_err("it fails");
    assert!(!failure.finished);
    assert!(failure.calls_to_shrink <= 6);
}

#[test]
fn a_failure_says_how_many_smaller_inputs_pass() {
    let failure = failure(0, |tc| assert!(tc.draw(any::<u8>()) < 100));
    // 0, 1 and 99.
    assert_eq!((failure.draws[0].as_str(), failure.no_smaller_among), ("100", Some(3)));
    assert!(
        failure.to_string().ends_with("; none of the 3 nearest smaller inputs fails"),
        "{failure}"
    );
}

#[test]
fn scores_lead_to_a_failure_that_random_cases_do_not_find() {
    let property = |scored: bool| {
        move |tc: &mut TestCase| {
            let key = tc.draw(any::<u64>());
            let right = (key ^ 0x8D2C_51F3_0B97_E64A).leading_zeros();
            if scored {
                tc.target(f64::from(right), "right bits");
            }
            assert!(right < 48);
        }
    };
    for seed in 0..5 {
        let failure = check(settings(seed).max_cases(20_000), property(true))
            .expect_err("the score leads there");
        assert_eq!(failure.draws, [0x8D2C_51F3_0B97_0000_u64.to_string()]);
    }
    check(settings(0).max_cases(20_000), property(false)).expect("chance does not lead there");
}

#[test]
fn a_score_that_is_not_a_number_is_a_failure_that_says_so() {
    let failure = failure(0, |tc| {
        let number = tc.draw(any::<u8>());
        tc.target(if number < 100 { 0.0 } else { f64::NAN }, "none");
    });
    assert_eq!(failure.draws, ["100"]);
    assert!(
        failure.message.starts_with("a score must be a finite number, and NaN is none"),
        "{}",
        failure.message
    );
    assert!(failure.location.contains("tests/check.rs:"), "{}", failure.location);
}
