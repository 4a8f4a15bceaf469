//! Which causes are further forms of others.

use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::explain::{Cause, Claims, KnownCauses, Place};
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{Outcome, Trace};
use dwindle_engine::prelude::*;

use crate::shrink_support::FAILED;
use crate::{cause_at, cause_with, form_of, judged, kept};

#[derive(Debug, Generate)]
enum Step {
    Idle,
    Push(u16),
    Skip,
    Pause,
    Pop,
}

#[test]
fn an_alternative_that_fails_for_another_reason_joins_nothing() {
    let mut runner = judged(|tc| {
        let steps: Vec<Step> = tc.draw(any());
        let mut values = std::collections::VecDeque::new();
        let (mut is_paused, mut is_wrong) = (false, false);
        for step in steps {
            match step {
                Step::Push(value) => values.push_back(value),
                Step::Pause => is_paused = true,
                Step::Pop => {
                    is_wrong |= values.pop_front().map_or(is_paused, |value| value > 60_000);
                }
                Step::Idle | Step::Skip => {}
            }
        }
        !is_wrong
    });
    let paused = cause_at(&mut runner, &[4, 5, 0]);
    let great = cause_at(&mut runner, &[2, 60_001, 5, 0]);
    assert_eq!(form_of(&great, &[paused], &mut runner), None);
}

#[derive(Debug, Generate)]
enum Event {
    Start,
    Range(u8, u8),
}

#[test]
fn a_difference_is_no_form_of_an_order_in_a_longer_input() {
    let mut runner = judged(|tc| {
        let events: Vec<Event> = tc.draw(any());
        let mut has_started = false;
        let mut is_wrong = false;
        for event in events {
            match event {
                Event::Start => has_started = true,
                Event::Range(from, to) => {
                    is_wrong |= has_started && 1 <= from && from < to && to <= 31
                        || from.checked_sub(to) == Some(10);
                }
            }
        }
        !is_wrong
    });
    let order = cause_at(&mut runner, &[1, 2, 1, 2, 0]);
    let difference = cause_at(&mut runner, &[2, 10, 0, 0]);
    assert_eq!(form_of(&difference, &[order], &mut runner), None);
}

#[test]
fn loose_texts_do_not_explain_failures_that_do_not_need_them() {
    let mut runner = judged(|tc| {
        let (text, from, to) =
            (tc.draw(any::<String>()), tc.draw(any::<char>()), tc.draw(any::<char>()));
        let is_found = text.contains(from);
        !(is_found && from == to || !is_found && text.chars().count() > 1)
    });
    let mut failing = |texts: [&str; 3]| {
        let values = texts.map(|text| Value::Text(text.into()));
        let mut trace = Trace::default();
        let ended = runner.run(Candidate::replaying(&values), 100, &mut trace);
        assert_eq!(ended, Outcome::Failed(FAILED), "{texts:?}");
        trace
    };
    let loose = (0..3).map(Place::Choice).collect();
    let minimized = failing(["1", "1", "1"]);
    let (equal, absent) = (failing(["2", "2", "2"]), failing(["pq", "s", "t"]));
    let known = [Cause { minimized, claims: Claims { loose, ..Claims::none() } }];
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&equal, &mut runner), Some(0));
    assert_eq!(known.explaining(&absent, &mut runner), None);
}

#[derive(Debug, Generate)]
enum Move {
    Idle,
    Grow,
    Back(u8),
    Forward(u8),
}

/// Whether a cursor moves back beyond the start by less than `below`, or forward by exactly `jump`.
fn cursor_fails_at(tc: &mut dwindle_engine::TestCase, below: u8, jump: u8) -> bool {
    let moves: Vec<Move> = tc.draw(any());
    let (mut cursor, mut length) = (0u32, 0u32);
    let mut is_wrong = false;
    for step in moves {
        match step {
            Move::Idle => {}
            Move::Grow => {
                length += 1;
                cursor += 1;
            }
            Move::Back(by) => {
                is_wrong |= u32::from(by) > cursor && length > 0 && by < below;
                cursor = cursor.saturating_sub(by.into());
            }
            Move::Forward(by) => {
                is_wrong |= length > 0 && by == jump;
                cursor = (cursor + u32::from(by)).min(length);
            }
        }
    }
    is_wrong
}

#[test]
fn one_bound_in_the_last_operation_is_one_cause() {
    let mut runner = judged(|tc| !cursor_fails_at(tc, 10, 77));
    let once = cause_at(&mut runner, &[2, 3, 2, 0]);
    let twice = cause_at(&mut runner, &[2, 3, 1, 3, 1, 0]);
    let jump = cause_at(&mut runner, &[2, 4, 77, 0]);
    assert!(!once.explains(&twice.minimized));
    assert_eq!(form_of(&twice, &[jump, once], &mut runner), Some(1));
}

#[derive(Debug, Generate)]
enum Row {
    Add(u8),
    Clear,
    Cut(u8),
}

#[test]
fn a_number_that_grows_with_a_list_is_one_cause() {
    let kept = kept(|tc| {
        let (mut items, mut is_wrong) = (Vec::new(), false);
        for row in tc.draw(any::<Vec<Row>>()) {
            match row {
                Row::Add(item) => items.push(item),
                Row::Clear => items.clear(),
                Row::Cut(to) => is_wrong |= usize::from(to % 16) < items.len(),
            }
        }
        !is_wrong
    });
    assert_eq!(kept.len(), 1, "{kept:?}");
}

#[test]
fn an_order_beside_a_free_number_is_one_cause() {
    let kept = kept(|tc| {
        let (pairs, _) = (tc.draw(any::<Vec<(i32, i32)>>()), tc.draw(any::<i32>()));
        pairs.iter().all(|(one, other)| one <= other)
    });
    assert_eq!(kept.len(), 1, "{kept:?}");
}

#[test]
fn elements_that_a_longer_input_needs_join_nothing() {
    let kept = kept(|tc| {
        let (pairs, at) = (tc.draw(any::<Vec<(i32, i32)>>()), tc.draw(any::<i32>()));
        let touch = |one: &(i32, i32), other: &(i32, i32)| {
            one.0 < one.1 && one.1 == other.0 && other.0 < other.1
        };
        !pairs.contains(&(at, at)) && !pairs.array_windows().any(|[one, other]| touch(one, other))
    });
    assert_eq!(kept.len(), 2, "{kept:?}");
}

#[test]
fn operations_that_may_stand_in_any_order_are_one_cause() {
    let kept = kept(|tc| {
        let (mut is_open, mut is_paid, mut is_wrong) = (false, false, false);
        for step in tc.draw(any::<Vec<Bill>>()) {
            match step {
                Bill::Open => is_open = true,
                Bill::Pay(amount) => is_paid |= amount > 0,
                Bill::Close => {
                    is_wrong |= is_open && is_paid;
                    (is_open, is_paid) = (false, false);
                }
            }
        }
        !is_wrong
    });
    assert_eq!(kept.len(), 1, "{kept:?}");
}

#[test]
fn another_last_operation_is_another_fault() {
    let kept = kept(|tc| {
        let steps = tc.draw(any::<Vec<Bill>>());
        !steps
            .array_windows()
            .any(|pair| matches!(pair, [Bill::Open, Bill::Close] | [Bill::Close, Bill::Open]))
    });
    assert_eq!(kept.len(), 2, "{kept:?}");
}

#[derive(Debug, Generate)]
enum Bill {
    Open,
    Pay(u8),
    Close,
}

#[test]
fn lists_that_share_out_their_items_are_one_cause() {
    let mut runner = judged(|tc| {
        let lists = tc.draw(any::<Vec<Vec<bool>>>());
        !matches!(&lists[..], [one, other] if one.len() + other.len() == 7 || other.len() == 9)
    });
    let mut with = |lengths: &[usize]| {
        let list = |length: &usize| {
            let items = vec![[Value::Boolean(true), Value::Boolean(false)]; *length].concat();
            [vec![Value::Boolean(true)], items, vec![Value::Boolean(false)]].concat()
        };
        let lists: Vec<Value> = lengths.iter().flat_map(list).collect();
        cause_with(&mut runner, &[lists, vec![Value::Boolean(false)]].concat())
    };
    let [known, next, last, other] = [[4, 3], [3, 4], [0, 7], [0, 9]].map(|of| with(&of));
    for further in [next, last] {
        assert_eq!(form_of(&further, std::slice::from_ref(&known), &mut runner), Some(0));
    }
    assert_eq!(form_of(&other, &[known], &mut runner), None);
}

#[derive(Debug, Generate)]
enum Setter {
    Idle,
    Open,
    Reopen,
    Note,
    Mark,
    Close(u8),
    Send,
}

#[test]
fn two_ways_to_one_state_are_one_cause_if_little_leaves_it() {
    let mut runner = judged(|tc| {
        let (mut is_open, mut notes, mut is_wrong) = (false, 0, false);
        for setter in tc.draw(any::<Vec<Setter>>()) {
            match setter {
                Setter::Open => is_open = true,
                Setter::Reopen => is_open |= notes > 0,
                Setter::Note => notes += 1,
                Setter::Close(how) => is_open &= how % 2 == 0,
                Setter::Send => is_wrong |= is_open,
                Setter::Mark | Setter::Idle => {}
            }
        }
        !is_wrong
    });
    let open = cause_at(&mut runner, &[2, 7, 0]);
    let reopened = cause_at(&mut runner, &[4, 3, 7, 0]);
    assert_eq!(form_of(&reopened, &[open], &mut runner), Some(0));
}
