//! Causes that need strings.

use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::explain::KnownCauses;
use dwindle_engine::prelude::*;

use crate::shrink_support::FAILED;
use crate::{cause_with, form_of, judged, kept};

#[test]
fn strings_with_one_checksum_are_one_cause() {
    let by_xor = kept(|tc| {
        let bytes = tc.draw(g::bytes());
        bytes.len() != 3 || bytes.iter().fold(0, |all, byte| all ^ byte) != 0x21
    });
    assert_eq!(by_xor.len(), 1, "{by_xor:?}");
    let by_sum = kept(|tc| {
        let bytes = tc.draw(g::bytes());
        bytes.len() != 3 || bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>() != 300
    });
    assert_eq!(by_sum.len(), 1, "{by_sum:?}");
    let by_weights = kept(|tc| {
        let text = tc.draw(any::<String>());
        let digits: Vec<u32> = text.chars().filter_map(|item| item.to_digit(10)).collect();
        let sum: u32 = (1..).zip(&digits).map(|(place, digit)| place * digit).sum();
        digits.len() != 5 || text.chars().count() != 5 || sum % 11 != 10
    });
    assert_eq!(by_weights.len(), 1, "{by_weights:?}");
}

#[test]
fn characters_of_one_kind_are_one_cause() {
    let beyond_ascii = kept(|tc| tc.draw(any::<char>()).is_ascii());
    assert_eq!(beyond_ascii.len(), 1, "{beyond_ascii:?}");
    let digits = kept(|tc| {
        let text = tc.draw(any::<String>());
        text.is_empty() || !text.chars().all(|item| item.is_ascii_digit())
    });
    assert_eq!(digits.len(), 1, "{digits:?}");
    let two_words = kept(|tc| {
        let [one, other] = [(); 2].map(|()| tc.draw(any::<String>()));
        let begins = |text: &String| text.chars().next().filter(char::is_ascii_digit);
        let (Some(one), Some(other)) = (begins(&one), begins(&other)) else { return true };
        one == other
    });
    assert_eq!(two_words.len(), 1, "{two_words:?}");
}

#[test]
fn a_letter_in_a_text_and_in_two_more_places_is_one_cause() {
    let letters = || g::characters().range('a', 'z');
    let mut runner = judged(move |tc| {
        let text = tc.draw(any::<String>());
        let (from, to) = (tc.draw(letters()), tc.draw(letters()));
        from != to || !text.contains(from)
    });
    let text = |text: &str| Value::Text(text.into());
    let known = [cause_with(&mut runner, &[text("a"), text("a"), text("a")])];
    let other = cause_with(&mut runner, &[text("0q1"), text("q"), text("q")]);
    assert!(known[0].explains(&other.minimized));
}

#[test]
fn letters_of_a_small_alphabet_are_told_apart() {
    let opened = kept(|tc| {
        let text = tc.draw(g::text().alphabet("ab[]= #\n"));
        !text.starts_with('[') || text.contains(']')
    });
    assert_eq!(opened.len(), 1, "{opened:?}");
    let two = kept(|tc| {
        let text = tc.draw(g::text().alphabet("ab[]= #\n"));
        !text.starts_with("==") && !text.starts_with("=#")
    });
    assert_eq!(two.len(), 2, "{two:?}");
}

#[test]
fn faults_in_one_string_are_several_causes() {
    let kept = kept(|tc| {
        let text: Vec<char> = tc.draw(any::<String>()).chars().collect();
        let is_word = text.len() > 3 && text.iter().all(char::is_ascii_uppercase);
        let is_padded = text.len() > 1 && text[0] == '0' && text.iter().all(char::is_ascii_digit);
        let is_option = text.first() == Some(&'-') && text.get(1) == Some(&'-');
        !is_word && !is_padded && !is_option
    });
    assert_eq!(kept.len(), 3, "{kept:?}");
}

#[test]
fn a_string_with_one_item_twice_is_one_cause() {
    let twice = kept(|tc| {
        let bytes = tc.draw(g::bytes());
        !bytes.array_windows().any(|[one, two, three]| one == two && two == three)
    });
    assert_eq!(twice.len(), 1, "{twice:?}");
}

#[test]
fn strings_that_must_differ_behind_the_same_beginning_are_one_cause() {
    let kept = kept(|tc| {
        let keys = tc.draw(any::<Vec<String>>());
        let begin: Vec<Option<u8>> = keys.iter().map(|key| key.bytes().next()).collect();
        !begin.array_windows().any(
            |pair| matches!(*pair, [Some(one), Some(next)] if one != next && one >> 4 == next >> 4),
        )
    });
    assert_eq!(kept.len(), 1, "{kept:?}");
}

#[test]
fn a_character_that_two_strings_share_may_be_another_one() {
    let mut runner = judged(|tc| {
        let [one, other] =
            [(); 2].map(|()| tc.draw(any::<String>()).chars().collect::<Vec<char>>());
        !matches!((&one[..], &other[..]), (['*', a, '*'], [b, '+']) if a == b)
    });
    let mut with =
        |texts: [&str; 2]| cause_with(&mut runner, &texts.map(|text| Value::Text(text.into())));
    let [known, next] = [["*1*", "1+"], ["*7*", "7+"]].map(&mut with);
    let known = [known];
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&next.minimized, &mut runner), Some(0));
}

#[test]
fn many_strings_with_the_items_of_a_pattern_hide_no_other_fault() {
    let mut runner = judged(|tc| {
        let texts = tc.draw(any::<Vec<String>>());
        !texts.iter().any(|text| text.starts_with("ab")) && !texts.iter().any(|text| text == "#")
    });
    let mut with = |texts: &[&str]| {
        let text = |text: &&str| [Value::Boolean(true), Value::Text((*text).into())];
        let texts: Vec<Value> = texts.iter().flat_map(text).collect();
        cause_with(&mut runner, &[texts, vec![Value::Boolean(false)]].concat())
    };
    let known = [with(&["ab"])];
    let needed = with(&["xab", "aab", "ab"]);
    let other = with(&[&["axb"; 30][..], &["#"]].concat());
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&needed.minimized, &mut runner), Some(0));
    assert_eq!(known.explaining(&other.minimized, &mut runner), None);
}

#[test]
fn what_must_stand_at_the_beginning_does_not_explain_what_stands_behind_other_items() {
    let mut runner = judged(|tc| {
        let text = tc.draw(any::<String>());
        let Some((key, value)) = text.split_once('=') else { return true };
        !(key.is_empty() && !value.is_empty() || value == "\"")
    });
    let mut with = |text: &str| cause_with(&mut runner, &[Value::Text(text.into())]);
    let [known, further, other] = ["=0", "==k", "k=\""].map(&mut with);
    let known = [known];
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&further.minimized, &mut runner), Some(0));
    assert_eq!(known.explaining(&other.minimized, &mut runner), None);
}

#[test]
fn equal_strings_explain_equal_strings_alone() {
    let mut runner = judged(|tc| {
        let [one, other] = [(); 2].map(|()| tc.draw(any::<String>()));
        let is_plain = !one.contains(['*', '[']);
        !(one == other && one.len() > 1 && is_plain || one.contains('[') && !one.contains(']'))
    });
    let mut with =
        |texts: [&str; 2]| cause_with(&mut runner, &texts.map(|text| Value::Text(text.into())));
    let [known, bracket] = [["00", "00"], ["[", ""]].map(&mut with);
    // As many letters as there are, and more than a pattern has.
    let long = "0".repeat(50);
    let long = with([&long, &long]);
    let known = [known];
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&long.minimized, &mut runner), Some(0));
    assert_eq!(known.explaining(&bracket.minimized, &mut runner), None);
}

/// Whether the text has a number above `u16::MAX`, with blanks or commas around it.
fn has_long_number(text: &str) -> bool {
    let is_valid = text.chars().all(|char| char.is_ascii_digit() || [' ', ','].contains(&char));
    is_valid
        && text.split([' ', ',']).any(|number| !number.is_empty() && number.parse::<u16>().is_err())
}

#[test]
fn what_a_parser_takes_around_a_number_is_no_part_of_the_cause() {
    let kept = kept(|tc| {
        let text = tc.draw(any::<String>());
        !has_long_number(&text) && !text.contains("ab")
    });
    assert_eq!(kept.len(), 2, "{kept:?}");
}

#[test]
fn a_text_with_another_check_digit_is_a_further_form() {
    let mut runner = judged(|tc| {
        let text = tc.draw(g::text().len(6..=6).alphabet("0123456789X"));
        let digit = |digit: char| digit.to_digit(10).unwrap_or(10);
        let weighed = |(at, char): (usize, char)| (at as u32 + 1) * digit(char);
        let has_check_digit = text.chars().enumerate().map(weighed).sum::<u32>() % 11 == 0;
        !if text.starts_with('9') { text.ends_with("77") } else { has_check_digit }
    });
    let mut with = |text: &str| cause_with(&mut runner, &[Value::Text(text.into())]);
    let [known, letter, other] = ["60000X", "402311", "923477"].map(&mut with);
    assert_eq!(form_of(&letter, std::slice::from_ref(&known), &mut runner), Some(0));
    assert_eq!(form_of(&other, &[known], &mut runner), None);
}

#[test]
fn numbers_in_a_text_from_a_bound_on_are_one_cause() {
    let mut runner = judged(|tc| {
        let text = tc.draw(any::<String>());
        let number = text.trim_start_matches('v').parse::<u128>();
        !number.is_ok_and(|number| number > u128::from(u64::MAX) || number == 77)
    });
    let mut with = |text: &str| cause_with(&mut runner, &[Value::Text(text.into())]);
    let [known, longer, other] =
        ["v18500000000000000000", "v100000000000000000000", "v77"].map(&mut with);
    assert_eq!(form_of(&longer, std::slice::from_ref(&known), &mut runner), Some(0));
    assert_eq!(form_of(&other, &[known], &mut runner), None);
}

#[test]
fn a_digit_beside_any_other_character_is_one_cause_for_each_order() {
    let kept = kept(|tc| {
        let text = tc.draw(any::<String>());
        text.chars().all(|c| c.is_ascii_digit()) || !text.contains(|c: char| c.is_ascii_digit())
    });
    assert_eq!(kept.len(), 2, "{kept:?}");
}
