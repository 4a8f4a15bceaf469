//! Arguments that are borrowed from what is drawn.

use std::path::Path;

use dwindle::prelude::*;

use crate::support::{listing, message, property, settings};

#[derive(Debug, Generate)]
struct Config {
    depth: u8,
}

#[dwindle::test(store = None)]
fn texts_slices_paths_and_other_types_are_lent(
    text: &str,
    bytes: &[u8],
    lists: &[Vec<String>],
    path: &Path,
    config: &Config,
    number: &u32,
) {
    assert!(text.chars().count() <= text.len() && bytes.len() == bytes.to_vec().len());
    assert!(lists.iter().flatten().all(|text| text.capacity() >= text.len()));
    assert!(path.is_relative() && u16::from(config.depth) < 256);
    assert!(u64::from(*number) < 1 << 32);
}

#[dwindle::test(store = None)]
fn a_generator_draws_the_owner(
    #[generate(with = g::text().len(2..5))] text: &str,
    #[generate(with = g::vec(g::integers(0..9)).len(3))] numbers: &[u8],
    #[generate(with = g::bytes().len(..4))] bytes: &[u8],
    #[generate(with = [g::booleans(), g::booleans()])] coins: &[bool],
    #[generate(with = g::integers(7..=9))] number: &u16,
    #[generate(with = any::<Box<str>>())] boxed: &str,
) {
    assert!((2..5).contains(&text.chars().count()) && boxed.len() < usize::MAX);
    assert!(numbers.len() == 3 && numbers.iter().all(|number| *number < 9));
    assert!(bytes.len() < 4 && coins.len() == 2 && (7..=9).contains(number));
}

#[dwindle::test(store = None)]
fn a_generator_of_references_is_lent_too(
    #[generate(with = g::sampled_from(["red", "blue"]))] colour: &str,
    #[generate(with = g::sampled_from(["red", "blue"]))] forever: &'static str,
    #[generate(with = g::just(&[1u8, 2][..]))] numbers: &[u8],
) {
    assert!(["red", "blue"].contains(&colour) && ["red", "blue"].contains(&forever));
    assert_eq!(numbers, [1, 2]);
}

#[dwindle::test(store = None)]
fn later_generators_see_the_borrowed_value(
    xs: &[u8],
    #[generate(with = g::integers(0..=xs.len()))] n: usize,
    &(a, b): &(u8, u8),
) {
    let first: &[u8] = &xs[..n];
    assert!(first.len() == n && u16::from(a) + u16::from(b) < 511);
}

#[dwindle::test(store = None)]
#[ignore = "the next test reads its message"]
fn fails(text: &str, numbers: &[u32]) {
    assert!(text.len() < 2 || numbers.is_empty());
}

#[test]
fn the_report_shows_the_owner() {
    for seed in 0..5 {
        let message = message(property("fails"), settings(seed), fails::property);
        let message = message.expect("it fails");
        let lines = listing(&message);
        assert!(lines == ["let text = \"00\";", "let numbers = [0];"], "seed {seed}: {message}");
    }
}
