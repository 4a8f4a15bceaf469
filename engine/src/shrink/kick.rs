//! The kicks: the cases from which the search around the best starts.

use fastrand::Rng;

use super::place::{Number, alternative, as_alternative};
use crate::choice::{Choice, Constraint, Role, Value};
use crate::explore::mutant;
use crate::trace::{Label, Span, Trace};

/// How a kick is made from its base. The base is the best or another end, whole or in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kick {
    /// A random case.
    Random,
    /// A beginning of the base, then random choices.
    Tail,
    /// The base with a few changes.
    Mutant,
    /// The base without a window of choices, perhaps with a few changes; or the base without a few
    /// elements of its collections, wherever they are.
    Less,
    /// The base with raised numbers. Most of these kicks also leave out elements or a window of
    /// choices.
    Raise,
    /// The base with one alternative replaced by another. Most of these kicks also leave out
    /// elements or a window of choices.
    Alternative,
    /// The base with some numbers of one range moved by one distance. Some of these kicks also
    /// leave out elements or a window of choices.
    Move,
}

/// The kicks and their names.
pub(super) const KICKS: [(&str, Kick); 7] = [
    ("kick random", Kick::Random),
    ("kick tail", Kick::Tail),
    ("kick mutant", Kick::Mutant),
    ("kick less", Kick::Less),
    ("kick raise", Kick::Raise),
    ("kick alternative", Kick::Alternative),
    ("kick move", Kick::Move),
];

/// The most choices of a window that a kick leaves out.
const WINDOW_MAX: usize = 8;
/// How far a kick moves two numbers at most.
const STEP_MAX: i128 = 32;

impl Kick {
    /// The values that the case begins with. Random choices follow.
    pub(super) fn beginning(self, rng: &mut Rng, base: &Trace) -> Vec<Value> {
        match self {
            Kick::Random => Vec::new(),
            Kick::Tail => {
                let mut values = base.values();
                values.truncate(rng.usize(..=base.len()));
                values
            }
            Kick::Mutant => mutant(rng, base),
            Kick::Less => match rng.u8(..3) {
                0 => {
                    let mutated = mutant(rng, base);
                    without_window(rng, mutated)
                }
                1 => without_window(rng, base.values()),
                _ => without_elements(rng, base),
            },
            Kick::Raise => raised(rng, base).unwrap_or_else(|| mutant(rng, base)),
            Kick::Move => moved(rng, base).unwrap_or_else(|| mutant(rng, base)),
            Kick::Alternative => with_alternative(rng, base).unwrap_or_else(|| mutant(rng, base)),
        }
    }
}

/// The numbers of one range, and their places. `None` if the base has no numbers.
fn alike(rng: &mut Rng, base: &Trace) -> Option<Vec<(usize, Number)>> {
    let mut numbers: Vec<(usize, Number)> =
        (0..base.len()).filter_map(|at| Some((at, Number::of(&base.choices[at])?))).collect();
    let range = rng.choice(&numbers)?.1.range;
    numbers.retain(|(_, number)| number.range == range);
    Some(numbers)
}

/// The base with one or more numbers of one range raised. `None` if the base has no numbers.
fn raised(rng: &mut Rng, base: &Trace) -> Option<Vec<Value>> {
    let numbers = alike(rng, base)?;
    let range = numbers[0].1.range;
    let (how, all) = (rng.u8(..4), rng.bool());
    let mut values = base.values();
    for (at, number) in numbers {
        if all || rng.bool() {
            let distance = match how {
                0 => u128::MAX,
                1 => number.distance().saturating_mul(2) | 1,
                2 => number.distance().saturating_add(1 << rng.u32(..8)),
                _ => number.distance().saturating_add(1),
            };
            let end = Value::Integer(if number.is_below() { range.min } else { range.max });
            values[at] = number.at(distance).unwrap_or(end);
        }
    }
    remove_some(rng, base, &mut values, |_| true);
    Some(values)
}

/// The base with numbers of one range moved by the same distance, if it has two of them: all on one
/// side of a place, about so far that an order goes on across the place; or two numbers, in
/// opposite or in equal directions.
fn moved(rng: &mut Rng, base: &Trace) -> Option<Vec<Value>> {
    let numbers = alike(rng, base).filter(|numbers| numbers.len() > 1)?;
    let split = rng.usize(1..numbers.len());
    let mut values = base.values();
    let mut by = |numbers: &[(usize, Number)], step: i128| {
        for (at, number) in numbers {
            let moved = number.value.saturating_add(step);
            values[*at] = Value::Integer(moved.clamp(number.range.min, number.range.max));
        }
    };
    if rng.bool() {
        let (before, behind) = numbers.split_at(split);
        let step = behind[0].1.value.checked_sub(before[before.len() - 1].1.value)?;
        let step = step.checked_add(rng.i128(-1..=1))?;
        if rng.bool() { by(before, step) } else { by(behind, step.saturating_neg()) }
    } else {
        let (one, other) = (rng.usize(..split), rng.usize(split..numbers.len()));
        let step = rng.i128(-STEP_MAX..=STEP_MAX);
        by(&numbers[one..=one], step);
        by(&numbers[other..=other], if rng.bool() { step } else { -step });
        return Some(values);
    }
    remove_some(rng, base, &mut values, |_| true);
    Some(values)
}

/// The base with another alternative at some or all places that took a certain one. `None` if the
/// base has no alternatives.
fn with_alternative(rng: &mut Rng, base: &Trace) -> Option<Vec<Value>> {
    let taken: Vec<usize> =
        (0..base.len()).filter(|at| alternative(&base.choices[*at]).is_some()).collect();
    let one = &base.choices[*rng.choice(&taken)?];
    let Constraint::Integer(range) = &one.constraint else { return None };
    let count = range.max - i128::from(range.role == Role::Element);
    let instead = as_alternative(one, rng.i128(0..=count));
    let all = rng.bool();
    let mut values = base.values();
    for at in taken {
        if base.choices[at] == *one && (all || rng.bool()) {
            values[at] = instead.clone();
        }
    }
    remove_some(rng, base, &mut values, |choice| choice != one);
    Some(values)
}

/// Removes a window of choices, one element, or all elements that begin with the same choice.
/// Sometimes it removes nothing. It chooses among the elements whose first choice satisfies
/// `may_go`.
fn remove_some(
    rng: &mut Rng,
    base: &Trace,
    values: &mut Vec<Value>,
    may_go: impl Fn(&Choice) -> bool,
) {
    let first = |at: u32| &base.choices[at as usize];
    let elements: Vec<(u32, u32)> = base
        .spans
        .iter()
        .filter(|span| span.label == Label::ELEMENT && !span.is_empty())
        .map(|span| (span.start, span.end))
        .filter(|(start, _)| may_go(first(*start)))
        .collect();
    let how = rng.u8(..4);
    match (how, rng.choice(&elements)) {
        (0, _) | (2.., None) => {}
        (1, _) => remove_window(rng, values),
        (2, Some((start, end))) => {
            values.drain(*start as usize..*end as usize);
        }
        (_, Some((one, _))) => {
            for (start, end) in elements.iter().rev() {
                if first(*start) == first(*one) && *end as usize <= values.len() {
                    values.drain(*start as usize..*end as usize);
                }
            }
        }
    }
}

/// The base without two to four elements of its collections. Without a window of choices, if the
/// base has only one element.
fn without_elements(rng: &mut Rng, base: &Trace) -> Vec<Value> {
    let is_element = |span: &&Span| span.label == Label::ELEMENT && !span.is_empty();
    let elements: Vec<&Span> = base.spans.iter().filter(is_element).collect();
    let mut values = base.values();
    if elements.len() < 2 {
        return without_window(rng, values);
    }
    let mut goes = vec![false; values.len()];
    let count = rng.usize(2..=4);
    for span in rng.choose_multiple(elements, count) {
        goes[span.range()].fill(true);
    }
    let mut goes = goes.into_iter();
    values.retain(|_| goes.next() != Some(true));
    values
}

fn without_window(rng: &mut Rng, mut values: Vec<Value>) -> Vec<Value> {
    remove_window(rng, &mut values);
    values
}

fn remove_window(rng: &mut Rng, values: &mut Vec<Value>) {
    if !values.is_empty() {
        let at = rng.usize(..values.len());
        let end = (at + rng.usize(1..=WINDOW_MAX)).min(values.len());
        values.drain(at..end);
    }
}
