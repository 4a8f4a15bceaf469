//! Causes that are one because the inputs between them and beyond them fail.

use dwindle_engine::TestCase;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::explain::Cause;
use dwindle_engine::prelude::*;

use crate::{cause_with, form_of, judged};

/// Whether the second input is a further form of the first one.
fn are_one(passes: impl Fn(&mut TestCase) -> bool, inputs: [&[Value]; 2]) -> bool {
    let mut runner = judged(passes);
    let [known, further]: [Cause; 2] = inputs.map(|values| cause_with(&mut runner, values));
    form_of(&further, &[known], &mut runner).is_some()
}

#[derive(Debug, Generate)]
enum Step {
    Fill,
    Drain,
}

/// Steps that fill so often and drain so often, and a number.
fn steps(fills: usize, drains: usize) -> Vec<Value> {
    let of = [vec![1; fills], vec![2; drains], vec![0, 0]].concat();
    of.into_iter().map(Value::Integer).collect()
}

#[test]
fn as_many_more_of_two_operations_are_one_cause() {
    let inputs = [steps(3, 0), steps(5, 1)];
    let fail = |is_wrong: fn(usize, usize, u8) -> bool| {
        let passes = move |tc: &mut TestCase| {
            let (steps, number) = (tc.draw(any::<Vec<Step>>()), tc.draw(any::<u8>()));
            let fills = steps.iter().filter(|step| matches!(step, Step::Fill)).count();
            !is_wrong(fills, steps.len() - fills, number)
        };
        are_one(passes, [&inputs[0], &inputs[1]])
    };
    assert!(fail(|fills, drains, _| fills == 3 + 2 * drains));
    let are_two = |fills, drains, number| match (fills, drains) {
        (3, 0) => true,
        (5, 1) => number < 100,
        _ => false,
    };
    assert!(!fail(are_two));
    // Here more operations are harmless.
    assert!(!fail(|fills, drains, number| match drains {
        0 => fills == 3,
        _ => fills >= 5 && number < 100,
    }));
}

#[test]
fn as_many_more_elements_of_two_inner_lists_are_one_cause() {
    let lists = |lengths: [usize; 2]| {
        let list = |length: usize| {
            let items = vec![[Value::Boolean(true), Value::Boolean(false)]; length].concat();
            [vec![Value::Boolean(true)], items, vec![Value::Boolean(false)]].concat()
        };
        let lists = lengths.map(list).concat();
        [lists, vec![Value::Boolean(false), Value::Integer(0)]].concat()
    };
    let inputs = [lists([3, 1]), lists([5, 3])];
    let fail = |is_wrong: fn(usize, usize, u8) -> bool| {
        let passes = move |tc: &mut TestCase| {
            let (lists, number) = (tc.draw(any::<Vec<Vec<bool>>>()), tc.draw(any::<u8>()));
            !matches!(&lists[..], [one, other] if is_wrong(one.len(), other.len(), number))
        };
        are_one(passes, [&inputs[0], &inputs[1]])
    };
    assert!(fail(|one, other, _| one == other + 2));
    assert!(!fail(|one, other, number| match (one, other) {
        (3, 1) => true,
        (5, 3) => number < 100,
        _ => false,
    }));
}

fn texts(texts: [&str; 2]) -> Vec<Value> {
    texts.map(|text| Value::Text(text.into())).to_vec()
}

#[test]
fn texts_that_need_one_character_together_are_one_cause() {
    let inputs = [texts(["*A", "*0A"]), texts(["*k", "*0k"])];
    let inputs = [&inputs[0][..], &inputs[1]];
    let fail = |is_wrong: fn(char, char) -> bool| {
        are_one(
            move |tc| {
                let [one, other] = [tc.draw(any::<String>()), tc.draw(any::<String>())];
                let ends = one.strip_prefix('*').zip(other.strip_prefix("*0"));
                let ends =
                    ends.map(|(one, other)| (one.chars().collect(), other.chars().collect()));
                let ends: Option<(Vec<char>, Vec<char>)> = ends;
                !ends.is_some_and(|ends| {
                    matches!((&ends.0[..], &ends.1[..]), ([one], [other]) if is_wrong(*one, *other))
                })
            },
            inputs,
        )
    };
    assert!(fail(|one, other| one == other));
    assert!(!fail(|one, other| one == other && matches!(one, 'A' | 'k')));
    // The characters beyond the second one are another fault.
    assert!(!fail(|one, other| (one, other) == ('A', 'A') || one == other && one >= 'k'));
}
