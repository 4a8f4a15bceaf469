//! The operators: each makes one edit of an input. Each has the file of its name.

mod characters;
mod delete;
mod exchange;
mod inside;
mod insert;
mod redraw;
mod swap;
mod tail;

use std::ops::Range;

use fastrand::Rng;

use super::Bytewise;
use super::parent::{Kind, Parent, Part};
use super::pool::Pool;
use super::word::Word;

/// What a fuzzer lends to the operators.
pub struct Lent<'a> {
    /// The fuzzer's own mutation.
    pub bytewise: Bytewise<'a>,
    /// What the fuzzer knows of the target.
    pub constants: &'a mut dyn Constants,
}

/// What a target compares with. Each call may give another one, or `None` if none is known.
pub trait Constants {
    /// A number or a character.
    fn number(&mut self) -> Option<u16>;
    /// A few bytes in a row, mostly a text.
    fn word(&mut self) -> Option<Word>;
}

/// Nothing is known.
impl Constants for () {
    fn number(&mut self) -> Option<u16> {
        None
    }

    fn word(&mut self) -> Option<Word> {
        None
    }
}

/// What an operator works with.
pub(super) struct Context<'a> {
    pub(super) parent: &'a Parent,
    pub(super) pool: &'a Pool,
    pub(super) rng: &'a mut Rng,
    pub(super) bytewise: Bytewise<'a>,
    pub(super) constants: &'a mut dyn Constants,
}

impl Context<'_> {
    /// A random part for which `is_wanted` holds. `None` if a few tries find none.
    fn part(&mut self, is_wanted: impl Fn(&Part) -> bool) -> Option<usize> {
        const TRIES: usize = 8;
        let parts = self.parent.parts();
        (0..TRIES).map(|_| self.rng.usize(..parts.len())).find(|at| is_wanted(&parts[*at]))
    }

    fn element(&mut self) -> Option<usize> {
        self.part(|part| part.kind == Kind::Element)
    }
}

/// One change of an input.
#[derive(Debug)]
pub(super) struct Edit {
    /// The bytes that the edit removes.
    pub(super) place: Range<usize>,
    /// The bytes that it puts in their place.
    pub(super) replacement: Vec<u8>,
}

impl Edit {
    pub(super) fn overlaps(&self, other: &Edit) -> bool {
        self.place.start <= other.place.end && other.place.start <= self.place.end
    }
}

/// A kind of mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Replaces a part by one with the same key, from another input or from this one.
    Exchange,
    /// Replaces a part and all bytes after it by those of another input.
    Tail,
    /// Inserts an element beside another one.
    Insert,
    /// Deletes one or several elements in a row.
    Delete,
    /// Exchanges two parts that have the same key.
    Swap,
    /// Gives another value to a choice that has a fixed number of bytes.
    Redraw,
    /// Applies the fuzzer's own mutation to the bytes of one part.
    Inside,
    /// Changes characters of a text.
    Characters,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 8] = [
        Operator::Exchange,
        Operator::Tail,
        Operator::Insert,
        Operator::Delete,
        Operator::Swap,
        Operator::Redraw,
        Operator::Inside,
        Operator::Characters,
    ];

    /// The name under which it can be switched off.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Exchange => "exchange",
            Operator::Tail => "tail",
            Operator::Insert => "insert",
            Operator::Delete => "delete",
            Operator::Swap => "swap",
            Operator::Redraw => "redraw",
            Operator::Inside => "inside",
            Operator::Characters => "characters",
        }
    }

    pub(super) fn edit(self, context: &mut Context<'_>) -> Option<Edit> {
        match self {
            Operator::Exchange => exchange::edit(context),
            Operator::Tail => tail::edit(context),
            Operator::Insert => insert::edit(context),
            Operator::Delete => delete::edit(context),
            Operator::Swap => swap::edit(context),
            Operator::Redraw => redraw::edit(context),
            Operator::Inside => inside::edit(context),
            Operator::Characters => characters::edit(context),
        }
    }
}
