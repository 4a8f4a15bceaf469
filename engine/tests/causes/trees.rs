//! Faults in trees, whose parts may be many other values, but not all.

use dwindle_engine::prelude::*;

use crate::{causes, judged, kept, shown};

#[derive(Debug, Generate)]
enum Expr {
    Number(i8),
    X,
    Neg(Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

use Expr::{Add, If, Mul, Neg, Number, X};

fn value(expr: &Expr, x: i64) -> i64 {
    match expr {
        Number(number) => i64::from(*number),
        X => x,
        Neg(one) => value(one, x).wrapping_neg(),
        Add(one, other) => value(one, x).wrapping_add(value(other, x)),
        Mul(one, other) => value(one, x).wrapping_mul(value(other, x)),
        If(condition, yes, no) => {
            if value(condition, x) == 0 {
                value(no, x)
            } else {
                value(yes, x)
            }
        }
    }
}

fn children(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Number(_) | X => Vec::new(),
        Neg(one) => vec![one],
        Add(one, other) | Mul(one, other) => vec![one, other],
        If(condition, yes, no) => vec![condition, yes, no],
    }
}

fn any_part(expr: &Expr, is_wrong: &dyn Fn(&Expr) -> bool) -> bool {
    is_wrong(expr) || children(expr).into_iter().any(|child| any_part(child, is_wrong))
}

/// A sum in front of a factor loses its parentheses, and most sums have another value then.
fn loses_parentheses(expr: &Expr) -> bool {
    let Mul(sum, factor) = expr else { return false };
    let Add(one, other) = &**sum else { return false };
    [-1, 0, 7].into_iter().any(|x| {
        let product = value(other, x).wrapping_mul(value(factor, x));
        value(expr, x) != value(one, x).wrapping_add(product)
    })
}

#[test]
fn parts_that_may_be_nearly_any_values_give_few_causes() {
    let found = causes(&mut judged(|tc| !any_part(&tc.draw(any::<Expr>()), &loses_parentheses)));
    let all: Vec<String> = found.iter().map(|(cause, _)| shown(cause)).collect();
    assert!((1..=2).contains(&all.len()), "{all:#?}");
}

/// Whether a part is one of three ways to write 1.
fn is_one(expr: &Expr) -> bool {
    match expr {
        Number(number) => *number == 1,
        Neg(one) => matches!(**one, Number(-1)),
        Add(one, other) => matches!((&**one, &**other), (Number(2), Number(-1))),
        _ => false,
    }
}

#[test]
fn ways_to_write_one_part_are_one_cause() {
    let is_wrong = |expr: &Expr| {
        matches!(expr, If(condition, yes, _)
        if !matches!(**condition, Number(_)) && is_one(yes))
    };
    let kept = kept(|tc| !any_part(&tc.draw(any::<Expr>()), &is_wrong));
    assert_eq!(kept.len(), 1, "{kept:#?}");
}
