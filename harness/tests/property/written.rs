//! What a property may look like.

use dwindle::prelude::*;

use crate::support::{listing, message, property, settings};

#[dwindle::test(store = None)]
fn arguments_are_drawn_in_order_and_generators_use_those_before(
    xs: Vec<u8>,
    #[generate(with = g::integers(0..=xs.len()))] mut n: usize,
) {
    assert!(n <= xs.len());
    n += 1;
    assert!(n > 0);
}

#[dwindle::test(store = None, max_cases = 20)]
fn arguments_may_be_patterns(
    #[generate(with = (g::integers(0..5u8), g::integers(5..9u16)))] (a, b): (u8, u16),
    [c, d]: [u8; 2],
) {
    assert!(a < 5 && (5..9).contains(&b) && u16::from(c) + u16::from(d) < 511);
}

#[dwindle::test(store = None)]
fn a_test_case_draws_beside_arguments(x: u8, tc: &mut TestCase, y: u8) {
    let z = tc.draw(g::integers(x.min(y)..=x.max(y)));
    assert!(z >= x.min(y));
}

/// An argument may be called like the function.
#[dwindle::test(store = None)]
fn x(x: u8) {
    assert!(u16::from(x) < 256);
}

#[dwindle::test(store = None)]
fn results_are_fine_and_question_marks_work(number: u32) -> Result<(), std::num::ParseIntError> {
    assert_eq!(number.to_string().parse::<u32>()?, number);
    Ok(())
}

#[dwindle::test(store = None, seed = 3)]
#[should_panic(expected = "let text = \"0\";")]
fn an_error_is_a_failure(
    #[generate(with = g::text().len(1..3))] text: String,
) -> Result<(), String> {
    if text.len() == 7 { Ok(()) } else { Err(text) }
}

#[dwindle::test(
    store = None,
    settings = crate::support::settings(4).max_cases(50),
    max_choices = 1000,
    suppress_health_check = [TooSlow, dwindle::HealthCheck::Flaky]
)]
#[should_panic(expected = "assertion failed: n < 100")]
fn the_message_of_the_property_is_what_should_panic_looks_for(n: u8) {
    assert!(n < 100);
}

#[dwindle::test(store = None)]
#[ignore = "it would fail"]
fn ignored_properties_do_not_run(_n: u8) {
    panic!("it runs");
}

#[dwindle::test(store = None)]
#[cfg(any())]
fn what_is_configured_out_is_not_there(_n: NoSuchType) {}

mod renamed {
    pub(crate) use dwindle::*;
}

#[dwindle::test(crate = crate::written::renamed, store = None)]
fn dwindle_may_be_under_another_path(n: u8) {
    assert!(u16::from(n) < 256);
}

#[dwindle::test(store = None, seed = 1)]
#[should_panic(expected = "let numbers = [1001];")]
fn sums(#[generate(with = g::vec(g::integers(0..=10_000u32)))] numbers: Vec<u32>) {
    assert!(numbers.iter().sum::<u32>() <= 1000);
}

#[dwindle::test(store = None)]
#[should_panic(expected = "unused")]
fn loops(tc: &mut TestCase) {
    let mut total = 0u32;
    for _ in 0..tc.draw(g::integers(0..=3)) {
        let x = tc.draw(any::<u8>());
        if x > 9 {
            let (small, _) = tc.draw((any::<bool>(), any::<bool>()));
            total += u32::from(small);
        }
        total += u32::from(x);
    }
    tc.note("the end");
    let total_2 = tc.draw(g::from_fn(|tc| {
        let x = tc.draw(any::<u8>());
        x / 2
    }));
    assert!(total < 20, "unused {total_2}");
}

#[test]
fn draws_into_variables_keep_their_names_and_others_are_numbered() {
    for seed in 0..10 {
        let message = message(property("loops"), settings(seed).max_cases(10_000), loops::property)
            .expect("it fails");
        let lines = [
            "let draw_1 = 1;",
            "let x = 19;",
            "let (small, _) = (true, false);",
            "// the end",
            "let total_2 = 0;",
        ];
        assert_eq!(listing(&message), lines, "seed {seed}: {message}");
    }
}

#[test]
fn a_repeated_name_is_numbered() {
    fn twice(tc: &mut TestCase) {
        let sum: u32 = (0..3).map(|_| u32::from(tc.draw_named("x", any::<bool>()))).sum();
        assert!(sum < 2);
    }
    for seed in 0..10 {
        let message = message(property("twice"), settings(seed), twice).expect("it fails");
        assert_eq!(
            listing(&message),
            ["let x = false;", "let x_2 = true;", "let x_3 = true;"],
            "seed {seed}"
        );
    }
}
