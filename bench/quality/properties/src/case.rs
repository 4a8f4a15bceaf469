//! The values that properties are about, and how they are printed: as Python would print them, so
//! that all tools print alike.

use std::fmt;

use crate::heap::Heap;
use crate::lang::Lang;

/// One value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Case {
    /// A list of integers.
    List(Vec<i32>),
    /// A list that is not empty, and an index into it.
    Indexed(Vec<i32>, usize),
    /// A list of what may be indices into it.
    Indices(Vec<usize>),
    /// A list of lists.
    Lists(Vec<Vec<i32>>),
    /// Two integers.
    Pair(i32, i32),
    /// Five lists.
    Five(Vec<Vec<i16>>),
    /// A term of the calculator.
    Expr(Expr),
    /// A binary heap.
    Heap(Heap),
    /// A program.
    Lang(Lang),
}

impl Case {
    /// How large it is: as the paper on `SmartCheck`'s benchmarks counts (constructors, numbers,
    /// nodes with the empty ones), else lists and numbers.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Case::List(list) | Case::Indexed(list, _) => list.len(),
            Case::Indices(list) => list.len(),
            Case::Lists(lists) => lists.len() + lists.iter().map(Vec::len).sum::<usize>(),
            Case::Pair(..) => 2,
            Case::Five(lists) => lists.iter().map(Vec::len).sum(),
            Case::Expr(expr) => expr.size(),
            Case::Heap(heap) => heap.size(),
            Case::Lang(lang) => lang.size(),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Case::List(list) => write!(f, "{list:?}"),
            Case::Indexed(list, index) => write!(f, "({list:?}, {index})"),
            Case::Indices(list) => write!(f, "{list:?}"),
            Case::Lists(lists) => write!(f, "{lists:?}"),
            Case::Pair(x, y) => write!(f, "({x}, {y})"),
            Case::Five(lists) => write!(f, "{lists:?}"),
            Case::Expr(expr) => write!(f, "{expr}"),
            Case::Heap(heap) => write!(f, "{heap}"),
            Case::Lang(lang) => write!(f, "{lang}"),
        }
    }
}

/// A term of the calculator.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal.
    Int(i32),
    /// A sum, which wraps around.
    Add(Box<Expr>, Box<Expr>),
    /// A quotient.
    Div(Box<Expr>, Box<Expr>),
}

impl Expr {
    fn size(&self) -> usize {
        match self {
            Expr::Int(_) => 1,
            Expr::Add(left, right) | Expr::Div(left, right) => 1 + left.size() + right.size(),
        }
    }

    pub(crate) fn divides_by_literal_zero(&self) -> bool {
        match self {
            Expr::Int(_) => false,
            Expr::Add(left, right) => {
                left.divides_by_literal_zero() || right.divides_by_literal_zero()
            }
            Expr::Div(left, right) => {
                matches!(**right, Expr::Int(0))
                    || left.divides_by_literal_zero()
                    || right.divides_by_literal_zero()
            }
        }
    }

    pub(crate) fn eval(&self) -> Option<i32> {
        match self {
            Expr::Int(value) => Some(*value),
            Expr::Add(left, right) => Some(left.eval()?.wrapping_add(right.eval()?)),
            Expr::Div(left, right) => {
                let (left, right) = (left.eval()?, right.eval()?);
                if right == 0 { None } else { Some(left.wrapping_div(right)) }
            }
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Int(value) => write!(f, "{value}"),
            Expr::Add(left, right) => write!(f, "Add({left}, {right})"),
            Expr::Div(left, right) => write!(f, "Div({left}, {right})"),
        }
    }
}
