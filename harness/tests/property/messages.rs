//! What a failure says.

use dwindle::prelude::*;

use crate::support::{message, property, settings};

fn sorts(tc: &mut TestCase) {
    let numbers = tc.draw_named("numbers", any::<Vec<u8>>());
    tc.note("sorted by nobody");
    assert!(numbers.is_sorted(), "not sorted:\n{numbers:?}");
}

#[test]
fn a_message_has_the_draws_the_panic_its_place_the_seed_and_the_string() {
    for seed in 0..10 {
        let message = message(property("sorts"), settings(seed), sorts).expect("it fails");
        let is_explained = |line: &&str| {
            line.starts_with("  also fails: let numbers = [A, ") || line.starts_with("  passes: ")
        };
        assert_eq!(message.lines().filter(is_explained).count(), 2, "{message}");
        let lines: Vec<&str> = message.lines().filter(|line| !is_explained(line)).collect();
        assert_eq!(
            lines[..3],
            ["property `sorts` failed:", "    let numbers = [1, 0];", "    // sorted by nobody"],
            "{message}"
        );
        assert!(
            lines[3].starts_with("  panicked at ")
                && lines[3].contains("tests/property/messages.rs:10:5:"),
            "{message}"
        );
        assert_eq!(lines[4..6], ["    not sorted:", "    [1, 0]"]);
        assert!(
            lines[6].starts_with("  found in case ")
                && lines[6].contains("minimized to 5 choices in "),
            "{message}"
        );
        assert!(
            lines[6].contains("; none of the ")
                && lines[6].ends_with(" nearest smaller inputs fails"),
            "{message}"
        );
        assert!(
            lines[7].starts_with("  to run only this input: #[dwindle::reproduce_failure(\"1"),
            "{message}"
        );
        assert_eq!(
            lines[8..],
            [
                String::new(),
                format!("seed {seed}; to run the same cases: DWINDLE_SEED={seed} cargo test sorts")
            ]
        );
    }
}

#[dwindle::test]
#[ignore = "run by the test below"]
fn small(n: u8) -> Result<(), String> {
    if n < 10 { Ok(()) } else { Err(format!("{n} is large")) }
}

#[test]
fn a_returned_error_is_reported_at_the_place_of_the_return_type() {
    let message = message(property("small"), settings(0), small::property).expect("it fails");
    assert!(
        message.contains("    let n = 10;\n")
            && message.contains("    the property returned Err(\"10 is large\")\n"),
        "{message}"
    );
    assert!(message.contains("tests/property/messages.rs:59:20:"), "{message}");
}

#[test]
fn a_failure_that_is_flaky_says_so() {
    // The first failure is the last.
    fn once(tc: &mut TestCase) {
        thread_local!(static FAILED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });
        let n = tc.draw(any::<u8>());
        assert!(n < 10 || FAILED.replace(true), "it comes and goes");
    }
    let message = message(property("once"), settings(0), once).expect("it fails");
    assert!(
        message.contains("it comes and goes")
            && message.contains("  flaky: this input does not fail in every run"),
        "{message}"
    );
}

#[test]
fn a_property_that_draws_nothing_says_so() {
    let message =
        message(property("nothing"), settings(0), |_| panic!("always")).expect("it fails");
    assert!(
        message.starts_with("property `nothing` failed:\n    // nothing was drawn\n  panicked at "),
        "{message}"
    );
}

#[test]
fn a_property_that_holds_says_nothing() {
    assert_eq!(
        message(property("holds"), settings(0), |tc| assert!(
            tc.draw(any::<u8>()).count_ones() <= 8
        )),
        None
    );
}
