//! Runs that say little of a property.

use std::cell::Cell;

use dwindle::HealthCheck::{FilterTooMuch, Flaky, TooLarge};
use dwindle::prelude::*;

use crate::support::{message, property, settings};

#[test]
fn a_property_that_rejects_nearly_everything_fails_with_advice() {
    fn picky(tc: &mut TestCase) {
        let n = tc.draw(any::<u32>());
        tc.assume(n == 1_000_003);
    }
    let message_of = |settings| message(property("picky"), settings, picky);
    let text = message_of(settings(0)).expect("nothing is accepted");
    let first = "property `picky` fails the health check FilterTooMuch: 501 cases were \
                 rejected, 0 were accepted.\nDraw only values that fit: ";
    assert!(
        text.starts_with(first)
            && text.contains("#[dwindle::test(suppress_health_check = [FilterTooMuch])]\nseed 0;"),
        "{text}"
    );
    assert_eq!(message_of(settings(0).suppress_health_check(FilterTooMuch)), None);
}

#[test]
fn a_generator_that_never_accepts_is_reported_as_rejections() {
    fn never(tc: &mut TestCase) {
        tc.draw(any::<u8>().filter(|_| false));
    }
    let text =
        message(property("never"), settings(0).max_cases(20), never).expect("nothing is accepted");
    assert!(
        text.contains(
            "FilterTooMuch: 200 cases were rejected, 0 were accepted; the last of them: the \
             filter made at "
        ),
        "{text}"
    );
    assert!(
        text.contains("property/health.rs:31:") && text.contains("kept none of 3 values"),
        "{text}"
    );
}

#[test]
fn an_endless_type_is_reported_by_its_name() {
    #[derive(Debug, Generate)]
    #[expect(dead_code, reason = "only drawn")]
    struct Endless(Box<Endless>);

    fn never(tc: &mut TestCase) {
        let _: Endless = tc.draw(any::<Endless>());
    }
    let text =
        message(property("never"), settings(0).max_cases(20), never).expect("nothing is accepted");
    assert!(
        text.contains(
            "values of `Endless` contain each other without an end: put an `Option` or a `Vec` \
             around"
        ),
        "{text}"
    );
}

#[test]
fn a_property_that_accepts_one_case_in_five_is_healthy() {
    fn fifth(tc: &mut TestCase) {
        let n = tc.draw(g::integers(0..=200u8));
        tc.assume(n.is_multiple_of(5));
    }
    assert_eq!(message(property("fifth"), settings(0), fifth), None);
}

#[test]
fn cases_that_are_too_large_fail_with_the_limit_that_they_hit() {
    fn endless(tc: &mut TestCase) {
        while tc.draw(g::integers(0..=1u8)) < 2 {}
    }
    let message_of = |settings| message(property("endless"), settings, endless);
    let text = message_of(settings(0).max_choices(100)).expect("no case ends");
    assert!(
        text.contains("TooLarge: 51 cases asked for more than 100 choices, 0 did not.")
            && text.contains("suppress_health_check = [TooLarge]"),
        "{text}"
    );
    assert_eq!(
        message_of(settings(0).max_choices(100).max_cases(20).suppress_health_check(TooLarge)),
        None
    );
}

thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });

fn next() -> u32 {
    COUNT.replace(COUNT.get() + 1)
}

#[test]
fn a_generator_that_keeps_state_is_detected() {
    fn counted(tc: &mut TestCase) {
        tc.draw(any::<u8>().map(|_| next()));
    }
    let text = message(property("counted"), settings(0), counted).expect("values differ");
    assert!(
        text.contains(
            "fails the health check Flaky: a second run of a case on the same choices drew 2 in \
             place of 1."
        ),
        "{text}"
    );
    assert_eq!(
        message(property("counted"), settings(0).suppress_health_check(Flaky), counted),
        None
    );
}

#[test]
fn choices_that_depend_on_a_state_are_detected() {
    let text = message(property("more"), settings(0), |tc| {
        (0..=next()).for_each(|_| tc.draw_silent(any::<bool>().map(drop)));
    });
    assert!(
        text.as_ref().is_some_and(|text| text.contains("made other choices from choice 2 on")),
        "{text:?}"
    );
}

#[test]
fn a_case_that_passes_and_then_fails_is_detected() {
    let text = message(property("turns"), settings(0), |tc| {
        tc.draw(any::<bool>());
        assert!(next() == 0, "not the first");
    });
    assert!(
        text.as_ref().is_some_and(|text| text
            .contains("Flaky: a case passed, but its second run failed at ")
            && text.contains("not the first")),
        "{text:?}"
    );
}

#[test]
fn sets_that_print_in_changing_order_are_not_flaky() {
    let run = |tc: &mut TestCase| {
        tc.draw(g::hash_set(any::<u32>()).len(5..10));
        tc.draw(g::hash_map(any::<u8>(), any::<String>()).len(5..10));
    };
    assert_eq!(message(property("sets"), settings(0), run), None);
}
