//! The shrinking challenge (jlink/shrinking-challenge), the unbounded bound5 and the parser of
//! `SmartCheck`'s benchmarks.

use std::collections::BTreeSet;

use crate::case::Case;

/// What a property says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Passes,
    /// It does not hold.
    Fails,
    /// The property says nothing about the value.
    Invalid,
}

/// One property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// A list of integers is its own reverse.
    Reverse,
    /// A list of integers has less than three distinct ones.
    Distinct,
    /// A value is gone from a list after its first occurrence was removed.
    Deletion,
    /// No two indices in a list point at each other.
    Coupling,
    /// Of n integers, n drawn first, none is 900 or more.
    Lengthlist,
    /// Lists hold no more than ten integers in all.
    Nestedlists,
    /// Lists hold no more than four distinct integers in all.
    LargeUnionList,
    /// Two positive integers differ, unless the first is small.
    DifferenceZero,
    /// Two positive integers are not 1 to 4 apart, unless the first is small.
    DifferenceSmall,
    /// Two positive integers are not 1 apart, unless the first is small.
    DifferenceOne,
    /// Five lists with small sums, each at most one long, have a small sum.
    Bound5,
    /// The same with lists of any length.
    Bound5Unbounded,
    /// What divides by no literal zero divides by no zero.
    Calculator,
    /// A heap is sorted by a function with a bug.
    Binheap,
    /// A program is read back as it was written, by a parser with a bug.
    Parser,
}

impl Property {
    /// The fourteen of the field's table, then the parser.
    pub const ALL: [Property; 15] = [
        Property::Reverse,
        Property::Distinct,
        Property::Deletion,
        Property::Coupling,
        Property::Lengthlist,
        Property::Nestedlists,
        Property::LargeUnionList,
        Property::DifferenceZero,
        Property::DifferenceSmall,
        Property::DifferenceOne,
        Property::Bound5,
        Property::Bound5Unbounded,
        Property::Calculator,
        Property::Binheap,
        Property::Parser,
    ];

    /// Its name in tables and arguments.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Property::Reverse => "reverse",
            Property::Distinct => "distinct",
            Property::Deletion => "deletion",
            Property::Coupling => "coupling",
            Property::Lengthlist => "lengthlist",
            Property::Nestedlists => "nestedlists",
            Property::LargeUnionList => "large_union_list",
            Property::DifferenceZero => "difference_zero",
            Property::DifferenceSmall => "difference_small",
            Property::DifferenceOne => "difference_one",
            Property::Bound5 => "bound5",
            Property::Bound5Unbounded => "bound5_unbounded",
            Property::Calculator => "calculator",
            Property::Binheap => "binheap",
            Property::Parser => "parser",
        }
    }

    /// The property of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.name() == name)
    }

    /// The simplest failures known, as [`Case`] prints them. For the parser it depends on the tool
    /// which character and which operation are simplest.
    #[must_use]
    pub fn best(self) -> &'static [&'static str] {
        match self {
            Property::Reverse => &["[0, 1]"],
            Property::Distinct => &["[0, 1, -1]"],
            Property::Deletion => &["([0, 0], 0)"],
            Property::Coupling => &["[1, 0]"],
            Property::Lengthlist => &["[900]"],
            Property::Nestedlists => &["[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]"],
            Property::LargeUnionList => &["[[0, 1, -1, 2, -2]]"],
            Property::DifferenceZero => &["(10, 10)"],
            Property::DifferenceSmall => &["(10, 6)"],
            Property::DifferenceOne => &["(10, 9)"],
            Property::Bound5 | Property::Bound5Unbounded => &["[[], [], [], [-1], [-32768]]"],
            Property::Calculator => &["Div(0, Add(0, 0))"],
            Property::Binheap => &["(0, None, (0, (0, None, None), (1, None, None)))"],
            Property::Parser => &[
                "Lang([], [Func('0', [And(False, True)], [])])",
                "Lang([], [Func('0', [Or(False, False)], [])])",
                "Lang([], [Func('a', [And(False, True)], [])])",
                "Lang([], [Func('a', [Or(False, False)], [])])",
            ],
        }
    }

    /// Whether `case`, which has to be one of this property, makes it fail.
    ///
    /// # Panics
    /// If the case is one of another property.
    #[must_use]
    pub fn judge(self, case: &Case) -> Verdict {
        let fails = match (self, case) {
            (Property::Reverse, Case::List(list)) => !list.iter().eq(list.iter().rev()),
            (Property::Distinct, Case::List(list)) => {
                list.iter().collect::<BTreeSet<_>>().len() >= 3
            }
            (Property::Deletion, Case::Indexed(list, index)) => {
                list.iter().filter(|value| **value == list[*index]).count() > 1
            }
            (Property::Coupling, Case::Indices(list)) => {
                if list.iter().any(|index| *index >= list.len()) {
                    return Verdict::Invalid;
                }
                (0..list.len()).any(|i| list[i] != i && list[list[i]] == i)
            }
            (Property::Lengthlist, Case::List(list)) => list.iter().any(|value| *value >= 900),
            (Property::Nestedlists, Case::Lists(lists)) => {
                lists.iter().map(Vec::len).sum::<usize>() > 10
            }
            (Property::LargeUnionList, Case::Lists(lists)) => {
                lists.iter().flatten().collect::<BTreeSet<_>>().len() > 4
            }
            (Property::DifferenceZero, Case::Pair(x, y)) => *x >= 10 && x == y,
            (Property::DifferenceSmall, Case::Pair(x, y)) => {
                *x >= 10 && (1..=4).contains(&x.abs_diff(*y))
            }
            (Property::DifferenceOne, Case::Pair(x, y)) => *x >= 10 && x.abs_diff(*y) == 1,
            (Property::Bound5 | Property::Bound5Unbounded, Case::Five(lists)) => {
                let sum =
                    |list: &Vec<i16>| list.iter().fold(0i16, |sum, value| sum.wrapping_add(*value));
                if lists.iter().any(|list| sum(list) >= 256) {
                    return Verdict::Invalid;
                }
                lists.iter().fold(0i16, |all, list| all.wrapping_add(sum(list))) >= 5 * 256
            }
            (Property::Calculator, Case::Expr(expr)) => {
                if expr.divides_by_literal_zero() {
                    return Verdict::Invalid;
                }
                expr.eval().is_none()
            }
            (Property::Binheap, Case::Heap(heap)) => !heap.is_sorted_right(),
            (Property::Parser, Case::Lang(lang)) => !lang.is_read_back(),
            _ => panic!("{case:?} is no case of {}", self.name()),
        };
        if fails { Verdict::Fails } else { Verdict::Passes }
    }
}
