//! Any bytes decode, and the bytes of any choices decode to these choices.

use dwindle::prelude::*;
use dwindle_engine::internals::choice::Choice;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::{Driver, Halt, Span, execute};

use crate::shape::{Shape, shapes};

/// Enough for nearly all cases.
const CHOICES_MAX: usize = 2000;

/// What came of one execution.
#[derive(Debug, PartialEq)]
struct Ran {
    values: Vec<String>,
    halt: Option<Halt>,
    choices: Vec<Choice>,
    spans: Vec<Span>,
}

/// Draws all shapes on a test case that was started, and then the rest of the input if wanted.
fn run(tc: &mut Driver, shapes: &[Shape], takes_rest: bool) -> Ran {
    let mut values = Vec::new();
    let ended = execute(tc, |tc| {
        values.extend(shapes.iter().map(|shape| tc.draw(shape.generator())));
        if takes_rest {
            values.push(format!("{:?}", tc.rest_of_input()));
        }
    });
    let halt = ended.or_unwind().err();
    Ran { values, halt, choices: tc.trace().choices.clone(), spans: tc.trace().spans.clone() }
}

/// Checks that the canonical bytes of `ran` give the same execution again, and so do its values.
fn assert_comes_back(ran: &Ran, shapes: &[Shape], takes_rest: bool) {
    let mut tc = Driver::new();
    let canonical = encode(&ran.choices);
    tc.start_bytes_recorded(&canonical, CHOICES_MAX);
    assert_eq!(run(&mut tc, shapes, takes_rest), *ran, "from {canonical:?}");
    // Canonical bytes are not empty, even those of choices that take none.
    assert!(tc.bytes_consumed() == canonical.len() || canonical == [0]);
    assert!(!canonical.is_empty() || (takes_rest && ran.halt.is_none()));

    let values: Vec<_> = ran.choices.iter().map(|choice| choice.value.clone()).collect();
    tc.start_replay(&values, CHOICES_MAX);
    assert_eq!(run(&mut tc, shapes, takes_rest), *ran, "replayed");
}

/// Checks `input` in all ways of reading it.
fn assert_decodes(input: &[u8], shapes: &[Shape], takes_rest: bool) {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(input, CHOICES_MAX);
    let ran = run(&mut tc, shapes, takes_rest);
    let consumed = tc.bytes_consumed();
    assert!(ran.choices.iter().all(|choice| choice.constraint.allows(&choice.value)));
    tc.start_bytes(input, CHOICES_MAX);
    let unrecorded = run(&mut tc, shapes, takes_rest);
    assert_eq!((unrecorded.values, unrecorded.halt), (ran.values.clone(), ran.halt), "unrecorded");
    assert_eq!(tc.bytes_consumed(), consumed);
    assert_comes_back(&ran, shapes, takes_rest);
}

#[dwindle::test(store = None, max_cases = 1500, seed = 1)]
fn any_bytes_decode_and_come_back(
    #[generate(with = shapes())] shapes: Vec<Shape>,
    takes_rest: bool,
    #[generate(with = g::vec(any::<u8>()).len(..=60))] input: Vec<u8>,
) {
    assert_decodes(&input, &shapes, takes_rest);
}

#[dwindle::test(store = None, max_cases = 1500, seed = 1)]
fn random_choices_come_back(
    #[generate(with = shapes())] shapes: Vec<Shape>,
    takes_rest: bool,
    seed: u64,
) {
    let mut tc = Driver::new();
    tc.start_random(seed, CHOICES_MAX);
    let ran = run(&mut tc, &shapes, takes_rest);
    assert_comes_back(&ran, &shapes, takes_rest);
}

/// A fuzzer's edit of an input.
#[derive(Debug, Generate)]
enum Edit {
    Cut(usize),
    Set(usize, u8),
    Remove(usize),
    Insert(usize, u8),
}

impl Edit {
    fn apply(&self, input: &mut Vec<u8>) {
        let length = input.len();
        match self {
            Edit::Cut(at) => input.truncate(at % (length + 1)),
            Edit::Insert(at, byte) => input.insert(at % (length + 1), *byte),
            Edit::Set(..) | Edit::Remove(_) if length == 0 => {}
            Edit::Set(at, byte) => input[at % length] = *byte,
            Edit::Remove(at) => drop(input.remove(at % length)),
        }
    }
}

#[dwindle::test(store = None, max_cases = 1500, seed = 1)]
fn edited_inputs_decode_and_come_back(
    #[generate(with = shapes())] shapes: Vec<Shape>,
    takes_rest: bool,
    seed: u64,
    #[generate(with = g::vec(any::<Edit>()).len(1..=4))] edits: Vec<Edit>,
) {
    let mut tc = Driver::new();
    tc.start_random(seed, CHOICES_MAX);
    let mut input = encode(&run(&mut tc, &shapes, takes_rest).choices);
    for edit in edits {
        edit.apply(&mut input);
    }
    assert_decodes(&input, &shapes, takes_rest);
}
