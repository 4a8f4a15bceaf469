//! Takes strings and whole floats apart, so that passes over collections and numbers work on them.
//!
//! A string becomes a collection: a choice to continue stands before each character, and the
//! character is a number, its place in the order. A string with one possible length has only the
//! numbers. A float without binary places becomes an integer. A replay takes both forms.

use crate::alphabet::Alphabet;
use crate::choice::{Choice, Coin, Constraint, FloatRange, IntegerRange, Length, Role, Value};
use crate::shares::Shares;
use crate::trace::{Label, Trace};

/// A longer string stays whole.
const CHARACTERS_MAX: usize = 256;
/// Behind this many characters in all, every string stays whole.
const ALL_CHARACTERS_MAX: usize = 8192;

/// Up to here, floats distinguish all integers.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// The trace with its strings and whole floats taken apart. `None` if all of these have their
/// simplest values, or if there are none.
pub(crate) fn take_apart(trace: &Trace) -> Option<Trace> {
    has_parts(trace).then(|| in_parts(trace))
}

/// Whether a string or a whole float has another value than the simplest.
pub(crate) fn has_parts(trace: &Trace) -> bool {
    trace.choices.iter().any(|choice| characters(choice).is_some() && !choice.is_simplest())
}

/// The trace with its strings and whole floats taken apart, the simplest ones too.
pub(crate) fn in_parts(trace: &Trace) -> Trace {
    let mut apart = Trace::default();
    let mut places = Vec::with_capacity(trace.len() + 1);
    let mut open: Vec<u32> = Vec::new();
    let mut left = ALL_CHARACTERS_MAX;
    let mut spans = (0u32..).zip(&trace.spans).peekable();
    let close = |apart: &mut Trace, open: &mut Vec<u32>| {
        let closed = open.pop().map(|index| trace.spans[index as usize]);
        apart.close(closed.is_some_and(|span| span.discarded));
    };
    for at in 0..=trace.len() {
        places.push(apart.len());
        while let Some((index, span)) = spans.next_if(|(_, span)| span.start as usize <= at) {
            while open.last().is_some_and(|last| Some(*last) != span.parent) {
                close(&mut apart, &mut open);
            }
            apart.open(span.label, places[span.start as usize]);
            open.push(index);
        }
        while open.last().is_some_and(|last| trace.spans[*last as usize].end as usize <= at) {
            close(&mut apart, &mut open);
        }
        if let Some(choice) = trace.choices.get(at) {
            match characters(choice).and_then(|characters| left.checked_sub(characters)) {
                Some(rest) => {
                    left = rest;
                    push_parts(choice, &mut apart);
                }
                None => apart.choices.push(choice.clone()),
            }
        }
    }
    apart
}

/// How many characters the parts of a choice have. `None` if it has no parts.
fn characters(choice: &Choice) -> Option<usize> {
    let (length, characters) = match (&choice.value, &choice.constraint) {
        (Value::Text(text), Constraint::Text(length, _)) => (*length, text.chars().count()),
        (Value::Bytes(bytes), Constraint::Bytes(length)) => (*length, bytes.len()),
        (Value::Float(value), Constraint::Float(range)) => return whole(*value, range).map(|_| 0),
        _ => return None,
    };
    (length.max > 0 && characters <= CHARACTERS_MAX).then_some(characters)
}

fn push_parts(choice: &Choice, apart: &mut Trace) {
    match (&choice.value, &choice.constraint) {
        (Value::Text(text), Constraint::Text(length, alphabet)) => {
            let ranks = text.chars().map(|character| alphabet.rank(character));
            push_string(*length, ranks, alphabet.rank_max(), apart);
        }
        (Value::Bytes(bytes), Constraint::Bytes(length)) => {
            push_string(*length, bytes.iter().copied().map(u32::from), 0xFF, apart);
        }
        (Value::Float(value), Constraint::Float(range)) => {
            apart.choices.extend(whole(*value, range));
        }
        _ => {}
    }
}

fn push_string(length: Length, units: impl Iterator<Item = u32>, unit_max: u32, apart: &mut Trace) {
    let range = numbers(0, i128::from(unit_max), 0);
    let more = |value, forced| Choice {
        value: Value::Boolean(value),
        constraint: Constraint::Boolean(Coin::more(forced)),
    };
    let is_collection = length.min < length.max;
    if is_collection {
        apart.open(Label::COLLECTION, apart.len());
    }
    for (index, unit) in units.enumerate() {
        if is_collection {
            apart.open(Label::ELEMENT, apart.len());
            apart.choices.push(more(true, index < length.min));
        }
        let value = Value::Integer(i128::from(unit));
        apart.choices.push(Choice { value, constraint: Constraint::Integer(range) });
        if is_collection {
            apart.close(false);
        }
    }
    if is_collection {
        apart.choices.push(more(false, false));
        apart.close(false);
    }
}

/// A float as an integer, if it is one.
fn whole(value: f64, range: &FloatRange) -> Option<Choice> {
    let is_whole = |value: f64| {
        value.fract() == 0.0 && value.abs() <= WHOLE_MAX && value.to_bits() != (-0.0f64).to_bits()
    };
    if !is_whole(value) || !is_whole(range.simplest()) {
        return None;
    }
    let end = |end: f64| end.clamp(-WHOLE_MAX, WHOLE_MAX) as i128;
    let range = numbers(end(range.min.ceil()), end(range.max.floor()), range.simplest() as i128);
    Some(Choice { value: Value::Integer(value as i128), constraint: Constraint::Integer(range) })
}

fn numbers(min: i128, max: i128, towards: i128) -> IntegerRange {
    IntegerRange {
        min,
        max,
        towards,
        type_bytes: 8,
        offset: false,
        role: Role::Number,
        shares: Shares::EQUAL,
    }
}

/// Makes a string from the parts at the beginning of `values`. Returns it and the number of its
/// parts. `None` if `values` begin with something else.
pub(crate) fn put_together(constraint: &Constraint, values: &[Value]) -> Option<(Value, usize)> {
    let (Constraint::Text(length, _) | Constraint::Bytes(length)) = constraint else { return None };
    let (mut units, parts) = units(*length, values)?;
    units.resize(units.len().max(length.min), 0);
    let value = match constraint {
        Constraint::Text(_, alphabet) => Value::Text(
            units.into_iter().map(|rank| character(alphabet, rank)).collect::<String>().into(),
        ),
        _ => Value::Bytes(units.into_iter().map(|unit| unit.min(0xFF) as u8).collect()),
    };
    Some((value, parts))
}

fn units(length: Length, values: &[Value]) -> Option<(Vec<u32>, usize)> {
    let unit = |value: i128| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
    let (mut units, mut at) = (Vec::new(), 0);
    if length.min == length.max {
        while units.len() < length.max
            && let Some(Value::Integer(value)) = values.get(at)
        {
            at += 1;
            units.push(unit(*value));
        }
    } else {
        while let Some(Value::Boolean(more)) = values.get(at) {
            at += 1;
            if !more {
                break;
            }
            let mut rank = 0;
            if let Some(Value::Integer(value)) = values.get(at) {
                at += 1;
                rank = unit(*value);
            }
            if units.len() < length.max {
                units.push(rank);
            }
        }
    }
    (at > 0).then_some((units, at))
}

/// The character of a rank, or one near it if the alphabet has none there.
fn character(alphabet: &Alphabet, rank: u32) -> char {
    let rank = rank.min(alphabet.rank_max());
    alphabet.of_rank(rank).map_or(alphabet.simplest(), |character| alphabet.nearest(character))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::execute;
    use crate::generators as g;
    use crate::outcome::Outcome;
    use crate::replay::Candidate;
    use crate::test_case::{Driver, TestCase};
    use crate::{Generator, any};

    /// Draws strings and floats of all kinds, in spans of all kinds.
    fn draw(tc: &mut TestCase) {
        for _ in 0..tc.draw_silent(g::integers(0..=5u8)) {
            tc.draw_silent(g::one_of((
                g::vec((g::text(), g::floats::<f64>(..))).map(drop),
                g::characters().map(drop),
                g::bytes().len(2..=6).map(drop),
                g::text().alphabet("abc").len(1..4).map(drop),
                g::text().len(3..=3).map(drop),
                g::integers(0..9u32).map(f64::from).flat_map(|min| g::floats(min..)).map(drop),
                g::floats::<f32>(-3.5..=7.5).map(drop),
                any::<Option<String>>().map(drop),
            )));
        }
    }

    fn run(tc: &mut Driver) -> Trace {
        assert!(matches!(execute(tc, draw), Outcome::Passed));
        tc.trace().clone()
    }

    #[test]
    fn a_replay_of_all_parts_draws_the_same() {
        let mut tc = Driver::new();
        let mut with_parts = 0;
        for seed in 0..2000 {
            tc.start_random(seed, 4000);
            let whole = run(&mut tc);
            let Some(apart) = take_apart(&whole) else { continue };
            with_parts += 1;
            tc.start_candidate(Candidate::replaying(&apart.values()), 4000);
            assert_eq!(run(&mut tc).choices, whole.choices, "seed {seed}");
            for choice in &apart.choices {
                assert!(choice.constraint.allows(&choice.value), "{choice:?}");
            }
            for (index, span) in apart.spans.iter().enumerate() {
                assert!(span.end as usize <= apart.len(), "seed {seed}");
                let inside = |parent: u32| {
                    let parent_span = apart.spans[parent as usize];
                    (parent as usize) < index
                        && parent_span.start <= span.start
                        && span.end <= parent_span.end
                };
                assert!(span.parent.is_none_or(inside), "seed {seed}");
            }
        }
        assert!(with_parts > 500, "{with_parts}");
    }

    #[test]
    fn parts_without_a_place_in_the_string_are_left_out() {
        let length = Length { min: 1, max: 2 };
        let text = Constraint::Text(length, Alphabet::new([('a', 'c')]));
        let (yes, no, first) = (Value::Boolean(true), Value::Boolean(false), Value::Integer(1));
        let of = |values: &[Value]| put_together(&text, values);
        assert_eq!(of(std::slice::from_ref(&first)), None);
        assert_eq!(of(std::slice::from_ref(&no)), Some((Value::Text("a".into()), 1)));
        let long = [&yes, &first, &yes, &Value::Integer(99), &yes, &first, &no, &first];
        assert_eq!(of(&long.map(Clone::clone)), Some((Value::Text("bc".into()), 7)));
    }
}
