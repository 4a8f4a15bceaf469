//! Some of given values, or all of them in another order.

use std::marker::PhantomData;

use super::Generator;
use super::collections::each_element;
use super::lengths::{Lengths, length_of};
use crate::choice::Length;
use crate::misuse::require;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;
use crate::trace::Label;

/// Generates some of `values`, each at most once, in their given order. Fewer values are simpler,
/// and so are values that stand first.
///
/// ```
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(&[3, 1, 0], 10);
///
/// // For example `["red", "blue"]`, but never `["blue", "red"]`.
/// let colours = tc.draw(g::subsequence(["red", "green", "blue"]));
/// # assert_eq!(colours, ["red", "blue"]);
/// ```
pub fn subsequence<T: Clone, S: AsRef<[T]>>(values: S) -> Subsequence<S, T> {
    let length = Length { min: 0, max: values.as_ref().len() };
    Subsequence { values, length, value: PhantomData }
}

/// See [`subsequence`].
#[derive(Clone, Copy, Debug)]
pub struct Subsequence<S, T> {
    values: S,
    length: Length,
    value: PhantomData<fn() -> T>,
}

impl<T: Clone, S: AsRef<[T]>> Subsequence<S, T> {
    /// Sets the number of values: `2`, `..3` or `1..=2`.
    ///
    /// # Panics
    /// If the range is empty, or if it begins above the number of given values.
    #[must_use]
    #[track_caller]
    pub fn len(self, lengths: impl Lengths) -> Subsequence<S, T> {
        let Length { min, max } = length_of(lengths);
        let count = self.values.as_ref().len();
        require!(
            min <= count,
            "no {min} values can be taken of {count}: let `len` begin at {count} or below, or give \
             more values"
        );
        Subsequence { length: Length { min, max: max.min(count) }, ..self }
    }
}

impl<T: Clone, S: AsRef<[T]>> Generator for Subsequence<S, T> {
    type Value = Vec<T>;

    fn generate(&self, tc: &mut TestCase) -> Vec<T> {
        let values = self.values.as_ref();
        // `free[place]` is the first place from `place` on that may be free. A choice holds the
        // place itself, so it keeps its meaning when shrinking removes another choice.
        let mut free: Vec<usize> = (0..values.len()).collect();
        let mut taken = vec![false; values.len()];
        each_element(&Places(values.len()), self.length, tc, |place, _| {
            let place = first_free(&mut free, &taken, place);
            taken[place] = true;
        });
        values
            .iter()
            .zip(taken)
            .filter(|(_, taken)| *taken)
            .map(|(value, _)| value.clone())
            .collect()
    }
}

/// Finds the first free place from `place` on, and continues at the start after the last place. At
/// least one place must be free.
fn first_free(free: &mut [usize], taken: &[bool], place: usize) -> usize {
    let mut found = place;
    while taken[found] {
        // `free` skips the places that an earlier search passed.
        found = if free[found] == found { (found + 1) % taken.len() } else { free[found] };
    }
    let mut passed = place;
    while passed != found {
        let next = if free[passed] == passed { (passed + 1) % taken.len() } else { free[passed] };
        free[passed] = found;
        passed = next;
    }
    found
}

/// One of this number of places.
struct Places(usize);

impl Places {
    fn all(&self) -> Alternatives {
        Alternatives::equal(self.0, Label::ONE_OF)
    }
}

impl Generator for Places {
    type Value = usize;

    fn generate(&self, tc: &mut TestCase) -> usize {
        self.all().draw(tc, |place, _| place)
    }

    fn alternatives(&self) -> Option<Alternatives> {
        Some(self.all())
    }

    fn generate_alternative(&self, place: usize, _tc: &mut TestCase) -> usize {
        place
    }
}

/// Generates all of `values` in any order. The given order is the simplest.
///
/// ```
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(&[1, 1], 10);
///
/// let deck = tc.draw(g::permutations(["jack", "queen", "king"]));
/// assert_eq!(deck.len(), 3);
/// # // How many of those that are left are passed over, each time.
/// # assert_eq!(deck, ["queen", "king", "jack"]);
/// # tc.start_bytes(&[], 10);
/// # assert_eq!(tc.draw(g::permutations(["jack", "queen", "king"])), ["jack", "queen", "king"]);
/// ```
pub fn permutations<T: Clone, S: AsRef<[T]>>(values: S) -> Permutations<S, T> {
    Permutations { values, value: PhantomData }
}

/// See [`permutations`].
#[derive(Clone, Copy, Debug)]
pub struct Permutations<S, T> {
    values: S,
    value: PhantomData<fn() -> T>,
}

impl<T: Clone, S: AsRef<[T]>> Generator for Permutations<S, T> {
    type Value = Vec<T>;

    fn generate(&self, tc: &mut TestCase) -> Vec<T> {
        let mut values = self.values.as_ref().to_vec();
        tc.span(Label::TUPLE, |tc| {
            for at in 0..values.len().saturating_sub(1) {
                let passed = passed_over(tc, values.len() - at - 1);
                values[at..=at + passed].rotate_right(1);
            }
        });
        values
    }
}

/// Draws a number of at most `max`, in the fewest bytes that hold `max`.
fn passed_over(tc: &mut TestCase, max: usize) -> usize {
    match max {
        0..=0xFF => usize::from(tc.integer(0, max as u8)),
        0x100..=0xFFFF => usize::from(tc.integer(0, max as u16)),
        _ => tc.integer(0, max as u32) as usize,
    }
}
