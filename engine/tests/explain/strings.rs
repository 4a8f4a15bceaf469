//! Claims about strings that are part of one another.

use dwindle_engine::TestCase;
use dwindle_engine::generators as g;
use dwindle_engine::internals::explain::{Place, Relation, Says, Sides, Term};
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{Outcome, Trace};
use dwindle_engine::prelude::*;

use crate::shrink_support::{FAILED, InProcess};
use crate::{RUNS, Value, explained, within};

#[test]
fn a_text_begins_with_another_one() {
    let mut found = explained(|tc| {
        let (old, new) = (tc.draw(any::<String>()), tc.draw(any::<String>()));
        old.is_empty() || !new.starts_with(&old)
    });
    let begins = Says::Related(Relation::Contains(Sides::Behind), Term::Value(0));
    assert_eq!(found.says(1), Some(&begins), "{:?}", found.lines());
    assert!(found.lines().iter().any(|line| line.contains("c1: anything that begins with c0")));
    assert!(found.is_sound());
}

#[test]
fn a_character_is_part_of_a_text() {
    let mut found = explained(|tc| {
        let (text, character) = (tc.draw(any::<String>()), tc.draw(any::<char>()));
        !text.contains(character)
    });
    let part = Says::Related(Relation::PartOf(Sides::Anywhere), Term::Value(0));
    assert_eq!(found.says(1), Some(&part), "{:?}", found.lines());
    assert!(found.is_sound());
}

#[test]
fn bytes_are_the_end_of_others() {
    let mut found = explained(|tc| {
        let (all, end) = (tc.draw(g::bytes()), tc.draw(g::bytes()));
        end.len() < 2 || !all.ends_with(&end)
    });
    let end = Says::Related(Relation::PartOf(Sides::Before), Term::Value(0));
    assert!(found.claims.claims.iter().any(|claim| claim.says == end), "{:?}", found.lines());
    assert!(found.lines().iter().any(|line| line.contains("c1: any bytes from length 2 on")));
    assert!(found.is_sound());
}

#[test]
fn equal_texts_are_not_called_parts_of_one_another() {
    let found = explained(|tc| {
        let (one, other) = (tc.draw(any::<String>()), tc.draw(any::<String>()));
        one.chars().count() < 2 || one != other
    });
    let equal = Says::Related(Relation::Equal, Term::Value(0));
    assert_eq!(found.says(1), Some(&equal), "{:?}", found.lines());
}

#[test]
fn different_texts_have_no_order() {
    let mut runner = InProcess::judged(|tc: &mut TestCase| {
        let texts: [String; 3] = [tc.draw(any()), tc.draw(any()), tc.draw(any())];
        let all_equal = texts[0] == texts[1] && texts[1] == texts[2];
        if all_equal || texts == ["a", "b", "b"] {
            Outcome::Failed(FAILED)
        } else {
            Outcome::Passed
        }
    });
    let values = ["a", "b", "b"].map(|text| Value::Text(text.into()));
    let mut base = Trace::default();
    let ended = runner.run(Candidate::replaying(&values), 100, &mut base);
    assert_eq!(ended, Outcome::Failed(FAILED));
    let claims = within(RUNS, &base, &mut runner, 7);
    assert!(claims.covers(&base, &base), "{:?}", claims.claims);
}

#[test]
fn strings_as_long_as_a_large_number_are_not_drawn() {
    let mut found = explained(|tc| {
        tc.draw(any::<i64>());
        !tc.draw(any::<String>()).is_empty() || !tc.draw(g::bytes()).is_empty()
    });
    for seed in 0..30 {
        let claims = within(RUNS, &found.minimized, &mut found.runner, seed);
        assert!(claims.claims.iter().all(|claim| claim.place == Place::Choice(0)), "{claims:?}");
    }
}
