//! No input makes the shrinker fail: extreme numbers of every width, properties without sense.

mod shrink_support;

use std::hash::{DefaultHasher, Hash, Hasher};

use dwindle_engine::generators as g;
use dwindle_engine::internals::shrink::{Budget, Candidate, Runner, THOROUGH, shrink};
use dwindle_engine::internals::{Outcome, Trace, order};
use dwindle_engine::{Generate, Generator, TestCase, any};
use shrink_support::{FAILED, InProcess, Property};

/// A number of one of the widths, most of them extreme, as text.
fn number() -> impl Generator<Value = String> {
    g::one_of((
        g::sampled_from([0u128, 1, u128::MAX - 1, u128::MAX]).map(|number| number.to_string()),
        any::<u128>().map(|number| number.to_string()),
        any::<i128>().map(|number| number.to_string()),
        g::integers(i128::MIN..=-5).map(|number| number.to_string()),
        g::integers(u128::MAX - 7..).map(|number| number.to_string()),
        any::<u64>().map(|number| number.to_string()),
        any::<i64>().map(|number| number.to_string()),
        any::<i8>().map(|number| number.to_string()),
        g::floats::<f64>(..).map(|number| number.to_string()),
        g::floats::<f32>(-1.5..).map(|number| number.to_string()),
        g::text(),
        g::bytes().map(|bytes| format!("{bytes:?}")),
    ))
}

/// Fails for one input in three, by a hash of what was drawn.
fn is_fine(tc: &mut TestCase) -> bool {
    let width = tc.draw_silent(g::integers(0..=4usize));
    let drawn = (
        tc.draw_silent(g::vec(number()).len(width..)),
        tc.draw_silent(g::vec(g::option(any::<u128>())).len(width..=width)),
    );
    let mut hasher = DefaultHasher::new();
    drawn.hash(&mut hasher);
    !hasher.finish().is_multiple_of(3)
}

#[test]
fn extreme_numbers_shrink_without_overflow() {
    every_start_shrinks(&is_fine, 500);
}

/// One step of an editor. Each kind draws another number of choices.
#[derive(Debug, Generate)]
#[expect(dead_code, reason = "its `Debug` is what fails")]
enum Edit {
    Type(String),
    Left(u8),
    Right(u8),
    Backspace,
    Replace(char, char),
    Home,
}

/// Fails for one list of at least four edits in thirty, by a hash.
fn are_edits_fine(tc: &mut TestCase) -> bool {
    let edits = tc.draw_silent(any::<Vec<Edit>>());
    let mut hasher = DefaultHasher::new();
    format!("{edits:?}").hash(&mut hasher);
    edits.len() < 4 || !hasher.finish().is_multiple_of(30)
}

/// The best may have empty strings only, and a candidate a longer one.
#[test]
fn alternatives_with_strings_behind_them_shrink() {
    every_start_shrinks(&are_edits_fine, 100);
}

fn every_start_shrinks(property: &Property, starts: u64) {
    let mut runner = InProcess::new(property);
    for seed in 0..starts {
        let start = runner.find(seed, 2);
        let result = shrink(
            &start,
            FAILED,
            &mut runner,
            Budget { calls_max: 1500, exhaust_max: THOROUGH, around: None, stop: &mut || false },
            &mut |_, _| {},
        );
        assert!(order::compare(&result.best.choices, &start.choices).is_le());
        let mut again = Trace::default();
        assert_eq!(
            runner.run(Candidate::replaying(&result.best.values()), result.best.len(), &mut again),
            Outcome::Failed(FAILED)
        );
    }
}
