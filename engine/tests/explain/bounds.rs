//! Relations between values that are free within bounds, and between numbers and strings.

use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Constraint;
use dwindle_engine::internals::explain::{Claim, Place, Relation, Says, Sides, Term};
use dwindle_engine::prelude::*;

use crate::{Explained, explained};

impl Explained<'_> {
    /// Whether this is one of the things said of the choice.
    fn is_said(&self, at: usize, says: &Says) -> bool {
        let mut claims = self.claims.claims.iter();
        claims.any(|claim| claim.place == Place::Choice(at) && claim.says == *says)
    }
}

#[test]
fn two_values_in_order_are_free_within_their_bounds() {
    let mut found = explained(|tc| {
        let (low, high) = (tc.draw(any::<u32>()), tc.draw(any::<u32>()));
        !(20 <= low && low < high && high <= 90)
    });
    assert!(
        found.is_said(0, &Says::Related(Relation::Less, Term::Value(1))),
        "{:?}",
        found.lines()
    );
    assert_eq!(found.interval(0), Some((20, i128::from(u32::MAX))));
    assert_eq!(found.interval(1), Some((21, 90)));
    assert!(found.is_sound());
}

#[test]
fn two_values_that_are_each_free_within_bounds_need_not_be_equal() {
    let mut found = explained(|tc| {
        let (one, other) = (tc.draw(any::<u8>()), tc.draw(any::<u8>()));
        one < 10 || other < 10
    });
    assert_eq!(
        (found.interval(0), found.interval(1)),
        (Some((10, 255)), Some((10, 255))),
        "{:?}",
        found.lines()
    );
    assert!(found.is_sound());
}

#[test]
fn a_text_is_shorter_than_a_number() {
    let mut found = explained(|tc| {
        let (text, number) = (tc.draw(g::text()), tc.draw(any::<u8>()));
        let length = text.chars().count();
        !(0 < length && length < usize::from(number) && number < 10)
    });
    let shorter = Says::Related(Relation::Less, Term::Value(1));
    assert!(found.is_said(0, &shorter), "{:?}", found.lines());
    assert!(
        found
            .lines()
            .iter()
            .any(|line| line.starts_with("c0: any text with a length less than c1"))
    );
    assert_eq!(found.interval(1), Some((2, 9)));
    assert!(found.is_sound());
}

#[test]
fn a_number_is_at_most_the_length_of_bytes_and_not_zero() {
    let mut found = explained(|tc| {
        let (at, bytes) = (tc.draw(any::<u16>()), tc.draw(g::bytes()));
        !(0 < at && usize::from(at) <= bytes.len())
    });
    let at_most = Says::Related(Relation::AtMost, Term::Value(1));
    assert!(found.is_said(0, &at_most), "{:?}", found.lines());
    let words = "c0: any value up to the length of c1";
    assert!(found.lines().iter().any(|line| line.starts_with(words)), "{:?}", found.lines());
    assert!(found.is_sound());
}

#[test]
fn a_number_equal_to_the_length_of_a_text_is_related_to_it() {
    let mut found = explained(|tc| {
        let (length, text) = (tc.draw(any::<u8>()), tc.draw(g::text()));
        length == 0 || usize::from(length) != text.chars().count()
    });
    let equal = Says::Related(Relation::Equal, Term::Value(1));
    assert!(found.is_said(0, &equal), "{:?}", found.lines());
    assert!(matches!(found.says(1), Some(Says::Within(Constraint::Text(..)))));
    assert!(found.is_sound());
}

#[test]
fn an_element_is_equal_to_the_length_of_the_list_around_it() {
    let mut found = explained(|tc| {
        let list: Vec<u8> = tc.draw(any());
        list.len() < 3 || usize::from(list[0]) != list.len()
    });
    let mut claims = found.claims.claims.iter();
    let says = |claim: &Claim| claim.says == Says::Further(Sides::Behind);
    assert!(claims.any(says), "{:?}", found.lines());
    assert!(matches!(found.says(1), Some(Says::Related(Relation::Equal, Term::Length(_)))));
    assert!(found.is_sound());
}
