//! Generated functions: what they give, what they show of themselves, what they shrink to.

mod shrink_support;

use std::sync::{Arc, Mutex};

use dwindle_engine::generators::{self as g, Fun};
use dwindle_engine::internals::{Driver, TranscriptEvent, execute};
use dwindle_engine::{Generate, Generator, TestCase, any};
use shrink_support::{Property, minimal};

fn shrinks_to(property: &Property, minimum: &[&str]) {
    for seed in 0..10 {
        let minimal = minimal(seed, property);
        assert_eq!(minimal.draws, minimum, "seed {seed}");
        assert!(minimal.shrunk.calls < 400, "seed {seed}: {} calls", minimal.shrunk.calls);
    }
}

/// What a listener has heard when the run is over.
fn heard(input: &[u8], property: impl FnOnce(&mut TestCase)) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let writer = Arc::clone(&lines);
    let mut tc = Driver::new();
    tc.listen(Some(Box::new(move |said| {
        writer.lock().unwrap().push(match said {
            TranscriptEvent::Draw(value) => format!("{value:?}"),
            TranscriptEvent::Note(note) => format!("# {note}"),
            TranscriptEvent::Name(name) => format!("{name} ="),
            TranscriptEvent::Line => "line".to_owned(),
            TranscriptEvent::Completed(draw, value) => format!("{draw}: {value:?}"),
        });
    })));
    tc.start_bytes(input, 100);
    execute(&mut tc, property);
    lines.lock().unwrap().clone()
}

#[test]
fn an_argument_gives_one_result_however_often_and_in_whichever_clone_it_is_asked() {
    for seed in 0..50 {
        let mut tc = Driver::new();
        tc.start_random(seed, 1000);
        let f: Fun<i8, u64> = tc.draw(any());
        let clone = f.clone();
        let first: Vec<u64> = (-20..20).map(&*f).collect();
        let second: Vec<u64> = (-20..20).rev().map(&*clone).collect();
        assert!(first.iter().eq(second.iter().rev()));
    }
}

#[test]
fn a_function_of_an_empty_input_is_constant() {
    let mut tc = Driver::new();
    tc.start_bytes(&[], 10);
    let f: Fun<String, Option<u8>> = tc.draw(any());
    assert_eq!([f("a".to_owned()), f(String::new())], [None, None]);
    assert_eq!(format!("{f:?}"), "{ _ => None }");
}

#[test]
fn bytes_are_the_common_result_then_those_of_the_first_arguments() {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[9, 1, 7, 1, 9, 1, 8, 0], 10);
    let f: Fun<char, u8> = tc.draw(any());
    assert_eq!(['x', 'a', 'b', 'x', 'c'].map(&*f), [7, 9, 8, 7, 9]);
    assert_eq!(format!("{f:?}"), "{ 'x' => 7, 'b' => 8, _ => 9 }");
    assert_eq!(
        dwindle_engine::internals::codec::encode(&tc.trace().choices),
        [9, 1, 7, 1, 9, 1, 8, 0]
    );
}

#[test]
fn what_a_function_was_asked_is_told_when_the_run_is_over() {
    let lines = heard(&[1, 1, 5, 0], |tc| {
        let (name, f) = tc.draw((g::just("\u{F0000}0\u{F0001}"), any::<Fun<u8, u8>>()));
        tc.note(format!("{name} {}", f(3) + f(4)));
        panic!("as a failing property does");
    });
    let name = "\"\\u{f0000}0\\u{f0001}\"";
    assert_eq!(
        lines,
        [
            format!("({name}, {{ _ => 1 }})"),
            "# \u{F0000}0\u{F0001} 6".into(),
            format!("0: ({name}, {{ 3 => 5, _ => 1 }})")
        ]
    );
}

#[test]
fn draws_without_functions_are_told_once() {
    let lines = heard(&[1, 1, 5, 0, 2], |tc| {
        let f = tc.draw_silent(any::<Fun<u8, u8>>());
        tc.draw(any::<u8>());
        f(3);
    });
    assert_eq!(lines, ["2"]);
}

#[test]
fn a_function_can_give_functions() {
    let lines = heard(&[0, 0, 1, 3, 1, 4], |tc| {
        let f = tc.draw(any::<Fun<bool, Fun<u8, u8>>>());
        assert_eq!((f(true)(7), f(false)(7)), (4, 0));
    });
    assert_eq!(lines[1], "0: { true => { 7 => 4, _ => 3 }, _ => { _ => 0 } }");
}

/// Any type that can be compared is an argument, without a derive of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Generate)]
enum Animal {
    Monkey,
    Elephant,
}

#[test]
fn a_function_that_tells_two_arguments_apart_shrinks_to_one_entry() {
    shrinks_to(
        &|tc| {
            let f = tc.draw(g::functions::<Animal, _>(g::integers(0u32..)));
            f(Animal::Monkey) == f(Animal::Elephant)
        },
        &["{ Monkey => 1, _ => 0 }"],
    );
    shrinks_to(
        &|tc| {
            let f: Fun<(Option<String>, Vec<char>), bool> = tc.draw(any());
            f((None, vec!['a'])) || !f((Some("b".into()), vec![]))
        },
        // The second argument takes the common result, which follows the entry of the first one. A
        // separate entry for the second argument would cost one choice more.
        &["{ (None, ['a']) => false, _ => true }"],
    );
}

/// Claessen 2012, section 1: three names of which the first differs from the others.
#[test]
fn entries_that_are_not_needed_go() {
    shrinks_to(
        &|tc| {
            let f: Fun<&str, i32> = tc.draw(any());
            f("monkey") == f("banana")
                || f("banana") == f("elephant")
                || f("elephant") == f("monkey")
        },
        &["{ \"monkey\" => 1, \"banana\" => -1, _ => 0 }"],
    );
}

#[test]
fn an_entry_moves_to_an_argument_that_is_asked_earlier() {
    shrinks_to(
        &|tc| {
            let f: Fun<u8, bool> = tc.draw(any());
            (0..100).filter(|number| f(*number)).count() != 1
        },
        &["{ 0 => true, _ => false }"],
    );
}

#[test]
fn functions_and_what_they_are_applied_to_shrink_together() {
    shrinks_to(
        &|tc| {
            let f: Fun<i32, i32> = tc.draw(any());
            let keep: Fun<i32, bool> = tc.draw(any());
            let numbers: Vec<i32> = tc.draw(any());
            let mapped_first: Vec<i32> =
                numbers.iter().map(|number| f(*number)).filter(|number| keep(*number)).collect();
            let filtered_first: Vec<i32> =
                numbers.iter().filter(|number| keep(**number)).map(|number| f(*number)).collect();
            mapped_first == filtered_first
        },
        &["{ _ => 0 }", "{ 0 => true, _ => false }", "[1]"],
    );
}

#[test]
fn a_function_is_generic_code_s_function() {
    fn twice<T>(f: impl Fn(T) -> T, value: T) -> T {
        f(f(value))
    }
    shrinks_to(
        &|tc| {
            let f = tc.draw(any::<Fun<u8, u8>>().map(|f| f));
            twice(&*f, 3) != 7
        },
        &["{ _ => 7 }"],
    );
}
