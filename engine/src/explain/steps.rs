//! Small steps of loose numbers. A failure that they are the reason of should survive some of them.

use super::loose::STEPS;
use super::number_line::NumberLine;
use crate::choice::Value;
use crate::trace::Trace;

/// At most this number of inputs.
const STEPS_MAX: usize = 48;

/// A number of the failing input, and where it moves.
#[derive(Clone, Copy)]
struct Move {
    at: usize,
    line: NumberLine,
    to: i128,
}

/// Inputs in which the numbers at these places are others: of two numbers, one is a little greater
/// or less, and the other one as much less or greater, or at an end of its range. A number that is
/// alone moves alone. Empty if one of the places has no number.
pub(super) fn steps(failing: &Trace, places: &[usize]) -> Vec<Vec<Value>> {
    let own = |at: usize| {
        let line = NumberLine::of(&failing.choices[at])?;
        Some(Move { at, line, to: line.point(&failing.choices[at].value)? })
    };
    let Some(numbers) = places.iter().map(|at| own(*at)).collect::<Option<Vec<Move>>>() else {
        return Vec::new();
    };
    let by = || STEPS.into_iter().flat_map(|by| [by, -by]);
    let moved: Vec<Vec<Move>> = match &numbers[..] {
        [one] => by().map(|by| vec![one.by(by)]).collect(),
        _ => pairs(&numbers).flat_map(|pair| by().flat_map(move |by| both(pair, by))).collect(),
    };
    let is_there = |one: &Move| (one.line.min()..=one.line.max()).contains(&one.to);
    let possible = moved.into_iter().filter(|moves| moves.iter().all(is_there));
    let values = possible.map(|moves| {
        let mut values = failing.values();
        for Move { at, line, to } in moves {
            values[at] = line.value(to);
        }
        values
    });
    values.take(STEPS_MAX).collect()
}

fn pairs(numbers: &[Move]) -> impl Iterator<Item = (Move, Move)> {
    let with = |(at, one): (usize, &Move)| {
        let one = *one;
        numbers[at + 1..].iter().map(move |other| (one, *other))
    };
    numbers.iter().enumerate().flat_map(with)
}

fn both((one, other): (Move, Move), by: i128) -> [Vec<Move>; 6] {
    [
        vec![one.by(by), other.by(-by)],
        vec![one.by(by), other.by(by)],
        vec![one.by(by), Move { to: other.line.min(), ..other }],
        vec![one.by(by), Move { to: other.line.max(), ..other }],
        vec![Move { to: one.line.min(), ..one }, other.by(by)],
        vec![Move { to: one.line.max(), ..one }, other.by(by)],
    ]
}

impl Move {
    fn by(self, by: i128) -> Move {
        Move { to: self.to.saturating_add(by), ..self }
    }
}
