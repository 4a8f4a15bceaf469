//! Causes that are ways to one state, and causes with sums.

use dwindle_engine::TestCase;
use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::explain::{
    Cause, Claims, KnownCauses, Place, Relation, Says, Term, further_form,
};
use dwindle_engine::prelude::*;

use crate::shrink_support::{FAILED, InProcess};
use crate::{budget, cause_at, cause_with, form_of, judged, kept};

#[derive(Debug, Generate)]
enum Step {
    Idle,
    Add(u8),
    Take,
    Mark,
    Undo,
}

/// Fails if an undo has more than three earlier steps before it. With `faults`, it also fails if a
/// second undo comes directly behind the first, or if only a mark comes before it.
fn history(tc: &mut TestCase, faults: bool) -> bool {
    let (mut level, mut levels) = (0u32, Vec::new());
    let mut before = Step::Idle;
    let mut is_wrong = false;
    for step in tc.draw(any::<Vec<Step>>()) {
        match step {
            Step::Add(by) => {
                levels.push(level);
                level += u32::from(by);
            }
            Step::Take if level > 0 => {
                levels.push(level);
                level -= 1;
            }
            Step::Mark => levels.push(level),
            Step::Undo => {
                is_wrong |= levels.len() > 3
                    || faults && matches!(before, Step::Mark) && levels.len() == 1
                    || faults && matches!(before, Step::Undo) && levels.len() > 1;
                level = levels.pop().unwrap_or(level);
            }
            Step::Idle | Step::Take => {}
        }
        before = step;
    }
    !is_wrong
}

#[test]
fn two_ways_to_one_state_are_one_cause() {
    let mut runner = judged(|tc| history(tc, false));
    let added = cause_at(&mut runner, &[2, 0, 2, 0, 2, 0, 2, 1, 5, 0]);
    let taken = cause_at(&mut runner, &[2, 3, 3, 3, 3, 5, 0]);
    assert!(!added.explains(&taken.minimized));
    assert!(!taken.explains(&added.minimized));
    assert_eq!(form_of(&taken, std::slice::from_ref(&added), &mut runner), Some(0));
    assert_eq!(form_of(&added, &[taken], &mut runner), Some(0));
}

/// Fails if an undo has four earlier steps before it. A loop draws step by step.
fn rounds(tc: &mut TestCase) -> bool {
    let (mut level, mut levels) = (0u32, Vec::new());
    let mut is_wrong = false;
    while tc.draw(any::<bool>()) {
        let before = level;
        match tc.draw(g::integers(0..3u8)) {
            0 => level += u32::from(tc.draw(any::<u8>())),
            1 if level > 0 => level -= 1,
            1 => continue,
            _ => {
                is_wrong |= levels.len() == 4;
                level = levels.pop().unwrap_or(level);
                continue;
            }
        }
        levels.push(before);
    }
    !is_wrong
}

#[test]
fn two_ways_to_one_state_are_one_cause_in_a_loop_written_by_hand() {
    let mut runner = judged(rounds);
    let values = |steps: &[&[i128]]| -> Vec<Value> {
        let step = |step: &&[i128]| {
            let numbers = step.iter().map(|number| Value::Integer(*number));
            std::iter::once(Value::Boolean(true)).chain(numbers).collect::<Vec<Value>>()
        };
        steps.iter().flat_map(step).chain([Value::Boolean(false)]).collect()
    };
    let added = values(&[&[0, 0], &[0, 0], &[0, 0], &[0, 0], &[2]]);
    let taken = values(&[&[0, 3], &[1], &[1], &[1], &[2]]);
    let added = cause_with(&mut runner, &added);
    let taken = cause_with(&mut runner, &taken);
    assert!(!added.explains(&taken.minimized));
    assert_eq!(form_of(&taken, &[added], &mut runner), Some(0));
}

#[test]
fn two_faults_of_one_operation_are_two_causes() {
    let mut runner = judged(|tc| history(tc, true));
    let deep = cause_at(&mut runner, &[2, 0, 2, 0, 2, 1, 3, 5, 0]);
    let twice = cause_at(&mut runner, &[2, 0, 2, 0, 2, 0, 5, 5, 0]);
    let marked = cause_at(&mut runner, &[4, 5, 0]);
    assert_eq!(form_of(&twice, std::slice::from_ref(&marked), &mut runner), None);
    assert_eq!(form_of(&deep, &[marked, twice], &mut runner), None);
}

/// Fails if the bytes have the sum 77 (modulo 256), or if the first one is their number.
fn bytes(tc: &mut TestCase) -> bool {
    let bytes: Vec<u8> = tc.draw(any());
    let sum = bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let is_number = bytes.len() > 2 && usize::from(bytes[0]) == bytes.len();
    sum != 77 && !is_number
}

/// The choices of these bytes.
fn choices(bytes: &[u8]) -> impl Iterator<Item = Value> {
    let more = |byte: &u8| [Value::Boolean(true), Value::Integer((*byte).into())];
    bytes.iter().flat_map(more).chain([Value::Boolean(false)])
}

/// The cause with these bytes.
fn cause_of(runner: &mut InProcess<'_>, bytes: &[u8]) -> Cause {
    cause_with(runner, &choices(bytes).collect::<Vec<Value>>())
}

#[test]
fn a_sum_explains_what_fails_while_the_sum_stays() {
    let mut runner = judged(bytes);
    let known = [cause_of(&mut runner, &[0, 77])];
    let sum = cause_of(&mut runner, &[30, 40, 7]).minimized;
    let number = cause_of(&mut runner, &[3, 0, 0]).minimized;
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&sum, &mut runner), Some(0));
    assert_eq!(known.explaining(&number, &mut runner), None);
}

#[test]
fn a_sum_that_stands_behind_a_number_without_a_part_in_it_explains_the_input() {
    let mut runner = judged(|tc| {
        let bytes: Vec<u8> = tc.draw(any());
        !bytes.array_windows().any(|[one, other]| one.checked_add(*other).is_none())
    });
    let known = [cause_of(&mut runner, &[1, 255])];
    let behind = cause_of(&mut runner, &[0, 1, 255]).minimized;
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&behind, &mut runner), Some(0));
}

#[test]
fn two_pairs_of_numbers_with_one_sum_explain_a_third_one() {
    let mut runner = judged(|tc| {
        let (one, other) = (tc.draw(any::<u8>()), tc.draw(any::<u8>()));
        one.checked_add(other).is_some()
    });
    // As if a search with few runs had not found that the numbers are loose.
    let pairs = [[1, 255], [2, 254], [100, 156]].map(|pair| {
        let Cause { minimized, claims } = cause_at(&mut runner, &pair);
        Cause { minimized, claims: Claims { loose: Vec::new(), ..claims } }
    });
    let [first, mut second, third] = pairs;
    let known = [first];
    let before = KnownCauses::new(&known, FAILED).explaining(&third.minimized, &mut runner);
    assert_eq!(before, None);
    let mut never = || false;
    let budget = budget(4000, &mut never);
    assert_eq!(further_form(&mut second, &known, FAILED, &mut runner, budget), Some(0));
    let known = [second];
    let after = KnownCauses::new(&known, FAILED).explaining(&third.minimized, &mut runner);
    assert_eq!(after, Some(0));
}

/// Fails if a span ends behind 47, or if two spans in a row end at one place behind 0.
fn spans(tc: &mut TestCase) -> bool {
    let spans: Vec<(u8, u8)> = tc.draw(any());
    let ends: Vec<u8> = spans.iter().map(|(start, len)| start % 48 + len % 16).collect();
    let is_behind = ends.iter().any(|end| *end > 47);
    !is_behind && !ends.array_windows().any(|[one, other]| *one > 0 && one == other)
}

#[test]
fn a_sum_in_one_operation_explains_nothing_without_it() {
    let mut runner = judged(spans);
    let mut cause = |spans: &[[i128; 2]]| {
        let more = |span: &[i128; 2]| {
            [Value::Boolean(true), Value::Integer(span[0]), Value::Integer(span[1])]
        };
        let values: Vec<Value> =
            spans.iter().flat_map(more).chain([Value::Boolean(false)]).collect();
        cause_with(&mut runner, &values)
    };
    let mut behind = cause(&[[34, 14]]);
    let further = cause(&[[1, 2], [40, 9]]).minimized;
    let in_a_row = cause(&[[5, 3], [6, 2]]).minimized;
    behind.claims.loose = vec![Place::Choice(1), Place::Choice(2)];
    let known = [behind];
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&further, &mut runner), Some(0));
    assert_eq!(known.explaining(&in_a_row, &mut runner), None);
}

#[test]
fn a_sum_explains_longer_lists_with_it() {
    let mut runner = judged(bytes);
    let known = [cause_of(&mut runner, &[78, 255])];
    let longer = cause_of(&mut runner, &[80, 255, 255, 255]).minimized;
    let mut known = KnownCauses::new(&known, FAILED);
    assert_eq!(known.explaining(&longer, &mut runner), Some(0));
}

#[derive(Debug, Generate)]
enum Op {
    Idle,
    Insert(u8),
    Range(u8, u8),
}

#[test]
fn three_equal_numbers_are_claimed_beside_another_fault_of_two_of_them() {
    let mut runner = judged(|tc| {
        let (mut keys, mut is_wrong) = (Vec::new(), false);
        for op in tc.draw(any::<Vec<Op>>()) {
            match op {
                Op::Idle => {}
                Op::Insert(key) => keys.push(key),
                Op::Range(from, to) => {
                    is_wrong |= !keys.is_empty() && from > to || from == to && keys.contains(&from);
                }
            }
        }
        !is_wrong
    });
    let claims = cause_at(&mut runner, &[2, 7, 3, 7, 7, 0]).claims.claims;
    let says = |at: usize| claims.iter().find(|claim| claim.place == Place::Choice(at));
    let equal = Says::Related(Relation::Equal, Term::Value(1));
    for at in [3, 4] {
        assert_eq!(says(at).map(|claim| &claim.says), Some(&equal), "{claims:?}");
    }
}

#[derive(Debug, Generate)]
enum Load {
    Idle,
    Fill(Vec<u8>),
    Say(String),
    Clear,
}

/// The most items that were there at once, and the most in one operation.
fn loaded(tc: &mut TestCase) -> (usize, usize) {
    let (mut items, mut most, mut largest) = (0, 0, 0);
    for load in tc.draw(any::<Vec<Load>>()) {
        let more = match load {
            Load::Idle => 0,
            Load::Fill(bytes) => bytes.len(),
            Load::Say(text) => text.chars().count(),
            Load::Clear => {
                items = 0;
                0
            }
        };
        items += more;
        (most, largest) = (most.max(items), largest.max(more));
    }
    (most, largest)
}

/// The cause that fills in this number of items at each step.
fn cause_filling(runner: &mut InProcess<'_>, numbers: &[usize]) -> Cause {
    let fill = |items: &usize| {
        std::iter::once(Value::Integer(2)).chain(choices(&vec![0; *items]).collect::<Vec<Value>>())
    };
    let values = numbers.iter().flat_map(fill).chain([Value::Integer(0)]);
    cause_with(runner, &values.collect::<Vec<Value>>())
}

#[test]
fn a_number_of_items_in_several_operations_is_one_cause() {
    let mut runner = judged(|tc| loaded(tc).0 < 4);
    let whole = cause_filling(&mut runner, &[4]);
    let apart = cause_filling(&mut runner, &[1, 3]);
    assert_eq!(form_of(&apart, std::slice::from_ref(&whole), &mut runner), Some(0));
    assert_eq!(form_of(&whole, &[apart], &mut runner), Some(0));
}

#[test]
fn a_number_of_items_in_one_operation_is_another_cause() {
    let mut runner = judged(|tc| {
        let (most, largest) = loaded(tc);
        most < 4 && largest < 3
    });
    let whole = cause_filling(&mut runner, &[3]);
    let apart = cause_filling(&mut runner, &[2, 2]);
    assert_eq!(form_of(&apart, &[whole], &mut runner), None);
}

#[derive(Debug, Generate)]
enum Change {
    Idle,
    Range(u8, u8),
    Insert(u8),
    Drop(u8),
}

/// Fails if all numbers of the first run are dropped, and there is another run.
fn runs(tc: &mut TestCase) -> bool {
    let mut numbers = std::collections::BTreeSet::new();
    let mut is_wrong = false;
    for change in tc.draw(any::<Vec<Change>>()) {
        match change {
            Change::Idle => {}
            Change::Range(start, length) => {
                numbers.extend((u32::from(start)..).take(length.into()));
            }
            Change::Insert(number) => {
                numbers.insert(u32::from(number));
            }
            Change::Drop(count) => {
                let first = numbers.first().copied().unwrap_or(0);
                let run = (first..=999).take_while(|number| numbers.contains(number)).count();
                is_wrong |= run > 2 && run == usize::from(count) && run < numbers.len();
                numbers = numbers.into_iter().skip(count.into()).collect();
            }
        }
    }
    !is_wrong
}

#[test]
fn a_number_beyond_a_sum_is_one_cause() {
    let mut runner = judged(runs);
    let first = cause_at(&mut runner, &[2, 0, 3, 3, 4, 4, 3, 0]);
    for moved in [[2, 1, 3, 3, 5, 4, 3, 0], [2, 0, 4, 3, 5, 4, 4, 0], [2, 2, 5, 3, 8, 4, 5, 0]] {
        let cause = cause_at(&mut runner, &moved);
        assert!(!first.explains(&cause.minimized));
        let form = form_of(&cause, std::slice::from_ref(&first), &mut runner);
        assert_eq!(form, Some(0), "{moved:?}");
    }
}

/// Draws three bytes.
fn three(tc: &mut TestCase) -> [u32; 3] {
    std::array::from_fn(|_| u32::from(tc.draw(any::<u8>())))
}

#[test]
fn three_neighbours_are_claimed_to_be_neighbours() {
    let mut runner = judged(|tc| {
        let [one, other, between] = three(tc);
        between != one + 1 || other != one + 2
    });
    let first = cause_at(&mut runner, &[0, 2, 1]);
    let last = cause_at(&mut runner, &[253, 255, 254]);
    assert!(first.explains(&last.minimized), "{:?}", first.claims);
}

#[test]
fn a_comparison_that_must_stop_runs_nothing() {
    let runs = std::cell::Cell::new(0);
    let mut runner = judged(|tc| {
        runs.set(runs.get() + 1);
        history(tc, false)
    });
    let added = cause_at(&mut runner, &[2, 0, 2, 0, 2, 0, 2, 1, 5, 0]);
    let mut taken = cause_at(&mut runner, &[2, 3, 3, 3, 3, 5, 0]);
    let before = runs.get();
    let mut always = || true;
    let over = budget(4000, &mut always);
    assert_eq!(further_form(&mut taken, &[added], FAILED, &mut runner, over), None);
    assert_eq!(runs.get(), before);
}

#[test]
fn inputs_that_pass_narrow_a_cause_when_most_inputs_fail() {
    // Two faults: the last list is empty, or a list repeats a number. Half of all inputs fail.
    let mut runner = judged(|tc| {
        let lists: Vec<Vec<u8>> = tc.draw(g::vec(g::vec(g::integers(0..4u8)).len(..=4)).len(1..=6));
        let repeats =
            |list: &Vec<u8>| list.iter().enumerate().any(|(at, n)| list[..at].contains(n));
        !(lists.last().is_some_and(Vec::is_empty) || lists.iter().any(repeats))
    });
    let [yes, no] = [Value::Boolean(true), Value::Boolean(false)];
    let list = |items: &[i128]| {
        let items = items.iter().flat_map(|item| [yes.clone(), Value::Integer(*item)]);
        [yes.clone()].into_iter().chain(items).chain([no.clone()]).collect::<Vec<Value>>()
    };
    let input = |lists: &[&[i128]]| {
        let lists: Vec<Vec<Value>> = lists.iter().map(|items| list(items)).collect();
        [lists.concat(), vec![no.clone()]].concat()
    };
    let cause = cause_with(&mut runner, &input(&[&[]]));
    let mut explains = |lists: &[&[i128]]| {
        let failing = cause_with(&mut runner, &input(lists)).minimized;
        cause.explains(&failing)
    };
    assert!(explains(&[&[1], &[2, 3], &[]]));
    assert!(!explains(&[&[], &[1, 1]]));
    assert!(!explains(&[&[0], &[1, 2, 1]]));
}

#[test]
fn a_loop_that_does_not_matter_gives_no_causes() {
    let operations = |tc: &mut TestCase| {
        let count = tc.draw(g::integers(0..=12_u8));
        (0..count).filter(|_| tc.draw(any::<Option<u8>>()).is_some()).count()
    };
    let before_bytes = kept(|tc| {
        operations(tc);
        tc.draw(g::bytes()).len() != 3
    });
    assert_eq!(before_bytes.len(), 1, "{before_bytes:?}");
    let before_another = kept(|tc| {
        let _ = (operations(tc), operations(tc));
        tc.draw(any::<u32>()) < 1000
    });
    assert_eq!(before_another.len(), 1, "{before_another:?}");
    let with_a_number = kept(|tc| operations(tc) < 2 || tc.draw(any::<u32>()) < 1000);
    assert_eq!(with_a_number.len(), 1, "{with_a_number:?}");
}
