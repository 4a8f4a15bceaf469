//! The properties' values, drawn as a user of dwindle draws them.

use dwindle::prelude::*;
use quality_properties::lang::{ALPHABET, DEPTH_MAX, Exp, Func, Lang, Mod, Op, Stmt, StmtKind};
use quality_properties::{Case, Expr, Heap, Property};

/// One value of `property`.
pub fn draw(property: Property, tc: &mut TestCase) -> Case {
    let ints = || g::integers::<i32>(..);
    match property {
        Property::Reverse | Property::Distinct => Case::List(tc.draw(g::vec(ints()))),
        Property::Deletion => {
            let list = tc.draw(g::vec(ints()).len(1..));
            let index = tc.draw(g::integers(0..list.len()));
            Case::Indexed(list, index)
        }
        Property::Coupling => Case::Indices(tc.draw(g::vec(g::integers(0usize..=10)))),
        Property::Lengthlist => {
            let count = tc.draw(g::integers(1..=100));
            Case::List((0..count).map(|_| tc.draw(g::integers(0..=1000))).collect())
        }
        Property::Nestedlists | Property::LargeUnionList => {
            Case::Lists(tc.draw(g::vec(g::vec(ints()))))
        }
        Property::DifferenceZero | Property::DifferenceSmall | Property::DifferenceOne => {
            Case::Pair(tc.draw(g::integers(1i32..)), tc.draw(g::integers(1i32..)))
        }
        Property::Bound5 => {
            Case::Five((0..5).map(|_| tc.draw(g::vec(g::integers::<i16>(..)).len(..=1))).collect())
        }
        Property::Bound5Unbounded => {
            Case::Five((0..5).map(|_| tc.draw(g::vec(g::integers::<i16>(..)))).collect())
        }
        Property::Calculator => Case::Expr(tc.draw(any::<Term>()).into()),
        Property::Binheap => Case::Heap(tc.draw(g::from_fn(|tc| heap(tc, 0)))),
        Property::Parser => Case::Lang(tc.draw(g::from_fn(program))),
    }
}

#[derive(Debug, Generate)]
enum Term {
    Int(i32),
    Add(Box<Term>, Box<Term>),
    Div(Box<Term>, Box<Term>),
}

impl From<Term> for Expr {
    fn from(term: Term) -> Expr {
        let boxed = |term: Box<Term>| Box::new(Expr::from(*term));
        match term {
            Term::Int(value) => Expr::Int(value),
            Term::Add(left, right) => Expr::Add(boxed(left), boxed(right)),
            Term::Div(left, right) => Expr::Div(boxed(left), boxed(right)),
        }
    }
}

/// A heap whose values are all at least `least`.
fn heap(tc: &mut TestCase, least: i64) -> Heap {
    let value = tc.draw_silent(g::integers(least..=i64::from(i32::MAX)));
    if tc.too_deep() {
        return Heap(value, None, None);
    }
    let side = || g::option(g::from_fn(|tc| tc.deeper(|tc| Box::new(heap(tc, value)))));
    Heap(value, tc.draw_silent(side()), tc.draw_silent(side()))
}

fn program(tc: &mut TestCase) -> Lang {
    let names = || g::text().len(1..).alphabet(ALPHABET);
    let module = g::from_fn(|tc| Mod {
        imports: tc.draw_silent(g::vec(names())),
        exports: tc.draw_silent(g::vec(names())),
    });
    let func = g::from_fn(|tc| {
        let with_name =
            |kind| (names(), g::from_fn(exp)).map(move |(name, exp)| Stmt { kind, name, exp });
        let returned =
            g::from_fn(exp).map(|exp| Stmt { kind: StmtKind::Return, name: String::new(), exp });
        let stmt = g::one_of((returned, with_name(StmtKind::Assign), with_name(StmtKind::Alloc)));
        Func {
            name: tc.draw_silent(names()),
            args: tc.draw_silent(g::vec(g::from_fn(exp))),
            stmts: tc.draw_silent(g::vec(stmt)),
        }
    });
    Lang { modules: tc.draw_silent(g::vec(module)), funcs: tc.draw_silent(g::vec(func)) }
}

fn exp(tc: &mut TestCase) -> Exp {
    let depth = tc.draw_silent(g::integers(0..=DEPTH_MAX));
    exp_of(tc, depth)
}

fn exp_of(tc: &mut TestCase, depth: u32) -> Exp {
    if depth == 0 {
        return tc
            .draw_silent(g::one_of((g::booleans().map(Exp::Bool), g::integers(..).map(Exp::Int))));
    }
    let below = tc.draw_silent(g::integers(0..depth));
    let child = || g::from_fn(|tc| Box::new(exp_of(tc, below)));
    let two = |op| (child(), child()).map(move |(left, right)| Exp::Op(op, left, right));
    let [and, or, add, sub, mul, div] = Op::ALL.map(two);
    tc.draw_silent(g::one_of((child().map(Exp::Not), and, or, add, sub, mul, div)))
}
