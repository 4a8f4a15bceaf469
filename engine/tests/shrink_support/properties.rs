//! The properties of the shrinking challenge and some more, each with its minimum.

use std::collections::BTreeSet;

use dwindle_engine::generators as g;
use dwindle_engine::internals::{Alternatives, Label};
use dwindle_engine::{Generate, Generator, TestCase};

/// A property and what is known about it.
pub(crate) struct Case {
    pub name: &'static str,
    pub property: fn(&mut TestCase) -> bool,
    /// Debug of the draws of the simplest failure.
    pub minimum: &'static [&'static str],
    /// Mean calls of a prototype of this shrinker. If no prototype was measured, Hypothesis
    /// gives the number.
    pub reference: &'static str,
    /// The most calls any of ten seeds may take.
    pub calls_max: u64,
    /// Whether it is known to end beside its minimum now and then.
    pub is_hard: bool,
}

/// The shrinking challenge (jlink/shrinking-challenge), and its neighbours.
pub(crate) const CHALLENGE: &[Case] = &[
    Case {
        name: "reverse",
        property: reverse,
        minimum: &["[0, 1]"],
        reference: "100 / 7.5",
        calls_max: 60,
        is_hard: false,
    },
    Case {
        name: "distinct",
        property: distinct,
        minimum: &["[0, 1, -1]"],
        reference: "100 / 15",
        calls_max: 80,
        is_hard: false,
    },
    Case {
        name: "deletion",
        property: deletion,
        minimum: &["[0, 0]", "0"],
        reference: "100 / 4.5",
        calls_max: 60,
        is_hard: false,
    },
    Case {
        name: "coupling",
        property: coupling,
        minimum: &["[1, 0]"],
        reference: "100 / 32",
        calls_max: 150,
        is_hard: false,
    },
    Case {
        name: "lengthlist",
        property: lengthlist,
        minimum: &["1", "900"],
        reference: "100 / 37",
        calls_max: 150,
        is_hard: false,
    },
    Case {
        name: "nestedlists",
        property: nestedlists,
        minimum: &["[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]"],
        reference: "100 / 13",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "large_union_list",
        property: large_union_list,
        minimum: &["[[0, 1, -1, 2, -2]]"],
        reference: "100 / 71",
        calls_max: 300,
        is_hard: false,
    },
    Case {
        name: "difference zero",
        property: difference_zero,
        minimum: &["10", "10"],
        reference: "100 / 23",
        calls_max: 100,
        is_hard: false,
    },
    Case {
        name: "difference small",
        property: difference_small,
        minimum: &["10", "6"],
        reference: "100 / 36",
        calls_max: 150,
        is_hard: false,
    },
    Case {
        name: "difference one",
        property: difference_one,
        minimum: &["10", "9"],
        reference: "100 / 31",
        calls_max: 150,
        is_hard: false,
    },
    Case {
        name: "bound5",
        property: bound5,
        minimum: &["[]", "[]", "[]", "[-1]", "[-32768]"],
        reference: "100 / 55",
        calls_max: 500,
        is_hard: false,
    },
    Case {
        name: "bound5 unbounded",
        property: bound5_unbounded,
        minimum: &["[]", "[]", "[]", "[-1]", "[-32768]"],
        reference: "100 / 127",
        calls_max: 1000,
        is_hard: false,
    },
    Case {
        name: "calculator",
        property: calculator,
        minimum: &["Div(Int(0), Add(Int(0), Int(0)))"],
        reference: "100 / 35",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "binheap",
        property: binheap,
        minimum: &[
            "Heap(0, None, Some(Heap(0, Some(Heap(0, None, None)), Some(Heap(1, None, None)))))",
        ],
        reference: "100 / 84",
        calls_max: 1000,
        is_hard: false,
    },
];

fn ints() -> impl Generator<Value = i32> {
    g::integers(..)
}

fn reverse(tc: &mut TestCase) -> bool {
    let list = tc.draw(g::vec(ints()));
    list.iter().eq(list.iter().rev())
}

fn distinct(tc: &mut TestCase) -> bool {
    let list = tc.draw(g::vec(ints()));
    list.iter().collect::<BTreeSet<_>>().len() < 3
}

fn deletion(tc: &mut TestCase) -> bool {
    let mut list = tc.draw(g::vec(ints()).len(1..));
    let index = tc.draw(g::integers(0..list.len()));
    let value = list[index];
    let first = list.iter().position(|other| *other == value).unwrap_or_default();
    list.remove(first);
    !list.contains(&value)
}

fn coupling(tc: &mut TestCase) -> bool {
    let list = tc.draw(g::vec(g::integers(0usize..=10)));
    tc.assume(list.iter().all(|index| *index < list.len()));
    (0..list.len()).all(|i| list[i] == i || list[list[i]] != i)
}

fn lengthlist(tc: &mut TestCase) -> bool {
    let count = tc.draw(g::integers(1..=100));
    let mut greatest = 0;
    for _ in 0..count {
        greatest = greatest.max(tc.draw(g::integers(0..=1000)));
    }
    greatest < 900
}

fn nestedlists(tc: &mut TestCase) -> bool {
    tc.draw(g::vec(g::vec(ints()))).iter().map(Vec::len).sum::<usize>() <= 10
}

fn large_union_list(tc: &mut TestCase) -> bool {
    tc.draw(g::vec(g::vec(ints()))).iter().flatten().collect::<BTreeSet<_>>().len() <= 4
}

fn difference(tc: &mut TestCase) -> Option<u32> {
    let x = tc.draw(g::integers(1i32..));
    let y = tc.draw(g::integers(1i32..));
    (x >= 10).then_some(x.abs_diff(y))
}

fn difference_zero(tc: &mut TestCase) -> bool {
    difference(tc) != Some(0)
}

fn difference_small(tc: &mut TestCase) -> bool {
    difference(tc).is_none_or(|apart| !(1..=4).contains(&apart))
}

fn difference_one(tc: &mut TestCase) -> bool {
    difference(tc) != Some(1)
}

fn bounded(tc: &mut TestCase, length_max: usize) -> bool {
    let lists: Vec<Vec<i16>> =
        (0..5).map(|_| tc.draw(g::vec(g::integers(..)).len(..=length_max))).collect();
    let sums: Vec<i16> = lists
        .iter()
        .map(|list| list.iter().fold(0i16, |sum, value| sum.wrapping_add(*value)))
        .collect();
    tc.assume(sums.iter().all(|sum| *sum < 256));
    sums.iter().fold(0i16, |sum, value| sum.wrapping_add(*value)) < 5 * 256
}

fn bound5(tc: &mut TestCase) -> bool {
    bounded(tc, 1)
}

fn bound5_unbounded(tc: &mut TestCase) -> bool {
    bounded(tc, usize::MAX)
}

#[derive(Debug)]
enum Expr {
    Int(i32),
    Add(Box<Expr>, Box<Expr>),
    Div(Box<Expr>, Box<Expr>),
}

impl Generate for Expr {
    fn generate(tc: &mut TestCase) -> Expr {
        EXPRS.draw(tc, Self::generate_alternative)
    }

    fn alternatives() -> Option<Alternatives> {
        Some(EXPRS)
    }

    fn generate_alternative(index: usize, tc: &mut TestCase) -> Expr {
        let sub = |tc: &mut TestCase| Box::new(tc.deeper(Expr::generate));
        match index {
            1 if !tc.too_deep() => Expr::Add(sub(tc), sub(tc)),
            2 if !tc.too_deep() => Expr::Div(sub(tc), sub(tc)),
            _ => Expr::Int(tc.draw_silent(ints())),
        }
    }
}

const EXPRS: Alternatives = Alternatives { leaves: 1, ..Alternatives::equal(3, Label::of("Expr")) };

impl Expr {
    fn divides_by_literal_zero(&self) -> bool {
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

    fn eval(&self) -> Option<i32> {
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

fn calculator(tc: &mut TestCase) -> bool {
    let expr = tc.draw(dwindle_engine::any::<Expr>());
    tc.assume(!expr.divides_by_literal_zero());
    expr.eval().is_some()
}

#[derive(Clone, Debug)]
struct Heap(i64, Option<Box<Heap>>, Option<Box<Heap>>);

impl Heap {
    /// A heap whose values are all at least `least`.
    fn draw(tc: &mut TestCase, least: i64) -> Heap {
        let value = tc.draw_silent(g::integers(least..=i64::from(i32::MAX)));
        let side = || g::option(g::from_fn(|tc| tc.deeper(|tc| Box::new(Heap::draw(tc, value)))));
        // An open recursion: random heaps must end.
        if tc.too_deep() {
            return Heap(value, None, None);
        }
        Heap(value, tc.draw_silent(side()), tc.draw_silent(side()))
    }

    fn values(&self, values: &mut Vec<i64>) {
        values.push(self.0);
        for side in [&self.2, &self.1].into_iter().flatten() {
            side.values(values);
        }
    }

    /// The bug: the two sides are merged, but what comes of it is not walked in order.
    fn wrong_sorted(&self) -> Vec<i64> {
        let mut values = vec![self.0];
        if let Some(merged) = merge(self.1.clone(), self.2.clone()) {
            merged.values(&mut values);
        }
        values
    }
}

fn merge(one: Option<Box<Heap>>, other: Option<Box<Heap>>) -> Option<Box<Heap>> {
    match (one, other) {
        (None, heap) | (heap, None) => heap,
        (Some(one), Some(other)) if one.0 <= other.0 => {
            Some(Box::new(Heap(one.0, merge(one.2, Some(other)), one.1)))
        }
        (Some(one), Some(other)) => {
            Some(Box::new(Heap(other.0, merge(other.2, Some(one)), other.1)))
        }
    }
}

fn binheap(tc: &mut TestCase) -> bool {
    let heap = tc.draw(g::from_fn(|tc| Heap::draw(tc, 0)));
    let mut values = Vec::new();
    heap.values(&mut values);
    values.sort_unstable();
    heap.wrong_sorted() == values
}
