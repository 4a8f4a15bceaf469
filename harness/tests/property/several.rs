//! Several failures of one property in one run.

use std::collections::BTreeSet;

use dwindle::prelude::*;

use crate::support::{message, property, settings};

fn three_bugs(tc: &mut TestCase) {
    let n = tc.draw_named("n", g::integers(0..=1000u32));
    assert!(n < 500, "large");
    assert!(!(10..60).contains(&n), "small");
    assert!(n < 300 || n.is_multiple_of(2), "odd");
}

fn failures(message: &str) -> BTreeSet<&str> {
    message.lines().filter(|line| line.starts_with("    let ")).collect()
}

#[test]
fn every_distinct_failure_is_reported_at_its_minimum() {
    for seed in 0..10 {
        let message =
            message(property("three_bugs"), settings(seed), three_bugs).expect("it fails");
        assert!(
            message.starts_with(
                "property `three_bugs` failed in 3 distinct ways:\n\nfailure 1 of 3:\n"
            ),
            "seed {seed}: {message}"
        );
        assert_eq!(
            failures(&message),
            BTreeSet::from(["    let n = 500;", "    let n = 10;", "    let n = 301;"]),
            "seed {seed}: {message}"
        );
        assert_eq!(message.matches("#[dwindle::reproduce_failure(").count(), 3);
        assert_eq!(message.matches("DWINDLE_SEED=").count(), 1);
    }
}

#[test]
fn a_failure_found_while_another_shrinks_is_reported() {
    // No random case that fails is short enough for the second.
    fn rare(tc: &mut TestCase) {
        let numbers = tc.draw_named("numbers", g::vec(g::integers(1..=1_000_000u32)).len(1..=20));
        assert!(
            numbers.len() != 1 || numbers[0] != 1 || tc.draw_silent(g::integers(0..=u64::MAX)) != 0,
            "the simplest"
        );
        assert!(numbers.iter().all(|number| *number < 100_000), "large");
    }
    let message = message(property("rare"), settings(0), rare).expect("it fails");
    assert!(
        message.contains("  found while minimizing another failure, minimized to "),
        "{message}"
    );
    assert_eq!(
        failures(&message),
        BTreeSet::from(["    let numbers = [1];", "    let numbers = [100000];"]),
        "{message}"
    );
}

#[test]
fn at_most_ten_failures_are_reported() {
    fn many(tc: &mut TestCase) {
        let n = tc.draw(g::integers(0..=1000u32));
        tc.bug_key(n.to_string());
        panic!("always");
    }
    let message = message(property("many"), settings(0), many).expect("it fails");
    assert!(message.starts_with("property `many` failed in 10 distinct ways:"), "{message}");
}

#[test]
fn each_distinct_failure_is_kept_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = || {
        message(
            property("three_bugs"),
            settings(0).store(Some(folder.path().to_owned())),
            three_bugs,
        )
        .expect("it fails")
    };
    let kept = || {
        std::fs::read_dir(folder.path().join("three_bugs"))
            .expect("the store is there")
            .flatten()
            .filter(|entry| entry.path().join("input").exists())
            .count()
    };
    let first = run();
    assert_eq!(kept(), 3);
    let second = run();
    assert_eq!(kept(), 3);
    assert_eq!(failures(&first), failures(&second));
    assert_eq!(second.matches("  known, and replayed from the store").count(), 3, "{second}");
    assert!(!second.contains("DWINDLE_SEED"), "no case was drawn: {second}");
}
