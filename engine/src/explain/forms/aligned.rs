//! Two inputs side by side: which parts of one stand for which parts of the other.
//!
//! An input is a sequence of tokens. A token is an element of a collection, an item of a string
//! outside of them, or another choice. Equal elements or items in a row are one token that stands
//! several times. An element or item may stand in one input only.

use std::ops::Range;

use crate::choice::Choice;
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::strings::items;
use crate::trace::Trace;

/// Inputs with more tokens are not aligned, because the time is quadratic.
const TOKENS_MAX: usize = 400;

/// A part of a token.
#[derive(Clone, Copy, Debug)]
pub(super) enum Atom<'a> {
    /// A choice that is no string.
    Choice(&'a Choice),
    /// A string begins. Its items follow.
    Open(&'a Choice),
    Item(char),
    Close,
}

impl Atom<'_> {
    /// The points of both atoms, if both are numbers or both are items.
    pub(super) fn points(&self, other: &Atom<'_>) -> Option<(i128, i128)> {
        match (self, other) {
            (Atom::Choice(one), Atom::Choice(other)) => {
                let line = NumberLine::of(one)?;
                Some((line.point(&one.value)?, line.point(&other.value)?))
            }
            (Atom::Item(one), Atom::Item(other)) => {
                Some((i128::from(u32::from(*one)), i128::from(u32::from(*other))))
            }
            _ => None,
        }
    }
}

fn are_equal(one: &Atom<'_>, other: &Atom<'_>) -> bool {
    match (one, other) {
        (Atom::Choice(one), Atom::Choice(other)) => one.value == other.value,
        (Atom::Item(one), Atom::Item(other)) => one == other,
        (Atom::Open(_), Atom::Open(_)) | (Atom::Close, Atom::Close) => true,
        _ => false,
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Element,
    Item,
    Other,
}

/// A part of an input.
#[derive(Debug)]
struct Token<'a> {
    kind: Kind,
    atoms: Vec<Atom<'a>>,
    /// How often it stands in a row.
    count: usize,
}

impl Token<'_> {
    fn is_equal(&self, other: &Token<'_>) -> bool {
        self.holds_of_atoms(other, are_equal)
    }

    /// What it is worth that one token stands for the other one, with other numbers and items.
    /// `None` if it cannot.
    fn likeness(&self, other: &Token<'_>) -> Option<usize> {
        if self.is_equal(other) {
            return Some(2);
        }
        let is_like =
            |one: &Atom<'_>, other: &Atom<'_>| are_equal(one, other) || one.points(other).is_some();
        (self.count == other.count && self.holds_of_atoms(other, is_like)).then_some(1)
    }

    fn holds_of_atoms(
        &self,
        other: &Token<'_>,
        holds: impl Fn(&Atom<'_>, &Atom<'_>) -> bool,
    ) -> bool {
        self.kind == other.kind
            && self.atoms.len() == other.atoms.len()
            && self.atoms.iter().zip(&other.atoms).all(|(one, other)| holds(one, other))
    }

    /// What it is worth that the other input has no such token. `None` if it must have one.
    fn alone(&self) -> Option<usize> {
        (self.kind != Kind::Other).then_some(0)
    }
}

/// A token of the first input and what stands for it in the second one.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) one: Vec<Atom<'a>>,
    pub(super) other: Vec<Atom<'a>>,
    /// How often it stands in each.
    pub(super) counts: [usize; 2],
}

impl Pair<'_> {
    /// Whether the two differ in items of strings.
    pub(super) fn has_other_items(&self) -> bool {
        self.one
            .iter()
            .zip(&self.other)
            .any(|(one, other)| matches!(one, Atom::Item(_)) && !are_equal(one, other))
    }
}

/// An input, and the choices of each of its elements.
pub(super) type Input<'a> = (&'a Trace, &'a [Range<usize>]);

/// The pairs of two inputs, in order. `None` if they differ in more than numbers, items of strings,
/// and how often elements and items stand in a row.
pub(super) fn aligned<'a>(one: Input<'a>, other: Input<'a>) -> Option<Vec<Pair<'a>>> {
    let (one, other) = (tokens(one), tokens(other));
    let (rows, columns) = (one.len(), other.len());
    if rows.max(columns) > TOKENS_MAX {
        return None;
    }
    // What the best alignment of the tokens from here on is worth. `None` if none is possible.
    let mut worth: Vec<Vec<Option<usize>>> = vec![vec![None; columns + 1]; rows + 1];
    worth[rows][columns] = Some(0);
    let step_from = |worth: &[Vec<Option<usize>>], row: usize, column: usize| {
        let [one, other] = [one.get(row), other.get(column)];
        let values = [
            (1, 1, one.zip(other).and_then(|(one, other)| one.likeness(other))),
            (1, 0, one.and_then(Token::alone)),
            (0, 1, other.and_then(Token::alone)),
        ];
        let worth = |(down, right, value): (usize, usize, Option<usize>)| {
            let value = value?;
            Some((worth[row + down][column + right]? + value, down, right))
        };
        // The first of several that are worth as much.
        values.into_iter().filter_map(worth).rev().max_by_key(|(worth, ..)| *worth)
    };
    for row in (0..=rows).rev() {
        for column in (0..=columns).rev() {
            if let Some((best, ..)) = step_from(&worth, row, column) {
                worth[row][column] = Some(best);
            }
        }
    }
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while (row, column) != (rows, columns) {
        let (_, down, right) = step_from(&worth, row, column)?;
        let first = one.get(row).filter(|_| down == 1);
        let second = other.get(column).filter(|_| right == 1);
        let atoms = |token: Option<&Token<'a>>| token.map(|token| token.atoms.clone());
        let count = |token: Option<&Token<'_>>| token.map_or(0, |token| token.count);
        pairs.push(Pair {
            one: atoms(first.or(second))?,
            other: atoms(second.or(first))?,
            counts: [count(first), count(second)],
        });
        (row, column) = (row + down, column + right);
    }
    Some(pairs)
}

/// The tokens of an input.
fn tokens<'a>((trace, elements): Input<'a>) -> Vec<Token<'a>> {
    let mut tokens: Vec<Token<'a>> = Vec::new();
    let mut add = |kind: Kind, atoms: Vec<Atom<'a>>| {
        let token = Token { kind, atoms, count: 1 };
        match tokens.last_mut() {
            Some(last) if kind != Kind::Other && last.is_equal(&token) => last.count += 1,
            _ => tokens.push(token),
        }
    };
    let mut elements = elements.iter().peekable();
    let mut at = 0;
    while at < trace.len() {
        if let Some(element) = elements.next_if(|element| element.start <= at) {
            add(Kind::Element, trace.choices[element.clone()].iter().flat_map(atoms).collect());
            at = element.end;
        } else {
            for atom in atoms(&trace.choices[at]) {
                let kind = if matches!(atom, Atom::Item(_)) { Kind::Item } else { Kind::Other };
                add(kind, vec![atom]);
            }
            at += 1;
        }
    }
    tokens
}

fn atoms(choice: &Choice) -> Vec<Atom<'_>> {
    match items(&choice.value) {
        Some(items) => {
            let items = items.into_iter().map(Atom::Item);
            [Atom::Open(choice)].into_iter().chain(items).chain([Atom::Close]).collect()
        }
        None => vec![Atom::Choice(choice)],
    }
}
