//! One input alone.

use dwindle::__private::property::Property;
use dwindle::prelude::*;

use crate::support::{listing, message, property, settings, string};

fn limited(tc: &mut TestCase) {
    let n = tc.draw_named("n", any::<u32>());
    assert!(n < 70_000, "too large");
}

fn alone(name: &'static str, text: &'static str, run: fn(&mut TestCase)) -> String {
    let inputs: &'static [&'static str] = vec![text].leak();
    message(Property { inputs, ..property(name) }, settings(0), run).expect("it fails")
}

#[test]
fn the_string_of_a_message_fails_as_the_message_says() {
    for seed in 0..10 {
        let found = message(property("limited"), settings(seed), limited).expect("it fails");
        let again = alone("limited", string(&found), limited);
        assert!(
            again.starts_with(
                "property `limited` failed on the input of #[dwindle::reproduce_failure]:\n    \
                 let n = 70000;\n"
            ),
            "{again}"
        );
        assert!(again.ends_with("    too large"), "{again}");
        assert_eq!(listing(&again), listing(&found));
    }
}

#[test]
fn an_input_that_passes_now_fails_its_test_with_advice() {
    let text = string(&message(property("limited"), settings(0), limited).expect("it fails"));
    let quiet = |run: fn(&mut TestCase)| alone("limited", text, run);
    let passes = quiet(|tc| {
        tc.draw(any::<u32>());
    });
    assert!(
        passes.starts_with(
            "property `limited`: the input of #[dwindle::reproduce_failure] passes:\n    \
             let draw_1 = 70000;\n"
        ),
        "{passes}"
    );
    assert!(passes.ends_with("remove the attribute"), "{passes}");
    assert!(quiet(|tc| tc.reject()).starts_with(
        "property `limited`: the input of #[dwindle::reproduce_failure] is rejected:"
    ));
}

#[test]
fn strings_of_another_property_are_refused_with_a_reason() {
    let text = string(&message(property("limited"), settings(0), limited).expect("it fails"));
    let other = alone("another", text, limited);
    assert!(
        other.starts_with(&format!(
            "#[dwindle::reproduce_failure(\"{text}\")] does not belong to the property `another`; "
        )),
        "{other}"
    );
    assert!(
        alone("limited", &text[..text.len() - 1], limited)
            .contains("is damaged: characters are missing or changed")
    );
}

#[dwindle::test(store = None)]
#[should_panic(expected = "let n = 70000;")]
#[dwindle::reproduce_failure("1b_r8pIiiAXARAQA")]
fn the_attribute_runs_its_input_only(n: u32) {
    assert_eq!(n, 1, "the input of the attribute, or the first case");
}

#[dwindle::reproduce_failure("1kDm3")]
#[dwindle::test(store = None)]
#[should_panic(expected = "#[dwindle::reproduce_failure(\"1kDm3\")] is damaged: ")]
fn the_attribute_may_stand_before_the_test_as_well(_n: u32) {}
