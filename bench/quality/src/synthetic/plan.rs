//! How targets draw the values of properties.

use dwindle::prelude::*;
use fastrand::Rng;
use serde::Serialize;

use super::machine::Recorder;
use super::shape::{Int, Shape};
use super::value::Value;

/// How a target draws its value.
#[derive(Clone, Debug, Serialize)]
pub enum Plan {
    /// In one draw.
    Once(Shape),
    /// In a loop that a coin ends, at most so often.
    While(Shape, f64, usize),
    /// In a loop with a count that is drawn first.
    Count(Shape, usize),
    /// Operations, each with distances back to earlier ones.
    References(Shape, usize),
    /// As the steps of a state machine.
    Machine,
}

/// The families of shapes, by which results are counted.
pub const FAMILIES: [&str; 16] = [
    "numbers",
    "floats",
    "texts",
    "bytes",
    "list",
    "nested lists",
    "map or set",
    "alternatives",
    "length first",
    "index or bound",
    "loop with a coin",
    "loop with a count",
    "references",
    "recursion by function",
    "recursion by a combinator",
    "state machine",
];

impl Plan {
    /// A plan of the family with this index.
    pub fn random(family: usize, rng: &mut Rng) -> Plan {
        let boxed = Box::new;
        let shape = match FAMILIES[family] {
            "numbers" => {
                let count = rng.usize(1..=4);
                Shape::Tuple((0..count).map(|_| Shape::small_int(rng)).collect())
            }
            "floats" => {
                let count = rng.usize(1..=3);
                Shape::Tuple((0..count).map(|_| Shape::float(rng)).collect())
            }
            "texts" => {
                let count = rng.usize(1..=2);
                Shape::Tuple((0..count).map(|_| Shape::text(rng)).collect())
            }
            "bytes" => {
                let count = rng.usize(1..=2);
                Shape::Tuple((0..count).map(|_| Shape::Bytes(rng.usize(8..300))).collect())
            }
            "list" => {
                let element = Shape::element(rng);
                Shape::list(rng, element)
            }
            "nested lists" => {
                let element = Shape::simple(rng);
                let inner = Shape::list(rng, element);
                Shape::list(rng, inner)
            }
            "map or set" => match rng.u8(..3) {
                0 => Shape::Unique(boxed(Shape::small_int(rng))),
                1 => Shape::Map(Int::random(rng), boxed(Shape::simple(rng))),
                _ => {
                    let element = Shape::simple(rng);
                    Shape::Map(Int::random(rng), boxed(Shape::list(rng, element)))
                }
            },
            "alternatives" => {
                let element = Shape::one_of(rng);
                if rng.u8(..4) == 0 {
                    Shape::Tuple(vec![element, Shape::one_of(rng)])
                } else {
                    Shape::list(rng, element)
                }
            }
            "length first" => Shape::Length(boxed(Shape::element(rng)), rng.usize(4..40)),
            "index or bound" => {
                if rng.bool() {
                    Shape::Indexed(boxed(Shape::element(rng)))
                } else {
                    Shape::Bounded([5, 30, 1000][rng.usize(..3)])
                }
            }
            "recursion by function" => Shape::Function(boxed(Shape::small_int(rng))),
            "recursion by a combinator" => {
                if rng.bool() {
                    Shape::Derived
                } else {
                    Shape::Recursive(boxed(Shape::small_int(rng)))
                }
            }
            "loop with a coin" => {
                let chance = [0.5, 0.75, 0.9][rng.usize(..3)];
                return Plan::While(Shape::element(rng), chance, rng.usize(6..30));
            }
            "loop with a count" => return Plan::Count(Shape::element(rng), rng.usize(6..30)),
            "references" => return Plan::References(Shape::small_int(rng), rng.usize(6..24)),
            _ => return Plan::Machine,
        };
        Plan::Once(shape)
    }

    /// What draws the value in a target.
    pub fn target(&self) -> Box<dyn Fn(&mut TestCase) -> Value + '_> {
        match self {
            Plan::Once(shape) => {
                let generator = shape.generator();
                Box::new(move |tc| tc.draw_silent(&generator))
            }
            Plan::While(shape, chance, max) => {
                let generator = shape.generator();
                Box::new(move |tc| {
                    let mut list = Vec::new();
                    while list.len() < *max && tc.draw_silent(g::weighted_booleans(*chance)) {
                        list.push(tc.draw_silent(&generator));
                    }
                    Value::List(list)
                })
            }
            Plan::Count(shape, max) => {
                let generator = shape.generator();
                Box::new(move |tc| {
                    let count = tc.draw_silent(g::integers(0..=*max));
                    Value::List((0..count).map(|_| tc.draw_silent(&generator)).collect())
                })
            }
            Plan::References(shape, max) => {
                let generator = shape.generator();
                Box::new(move |tc| {
                    let count = tc.draw_silent(g::integers(1..=*max));
                    Value::List((0..count).map(|at| operation(tc, at, &generator)).collect())
                })
            }
            Plan::Machine => Box::new(|tc| Value::List(tc.run(Recorder::default()).steps)),
        }
    }
}

/// A constant, or an operation on the results of one or two earlier ones.
fn operation(tc: &mut TestCase, at: usize, constant: &g::Boxed<'_, Value>) -> Value {
    let tag = if at == 0 { 0 } else { tc.draw_silent(g::integers(0usize..=2)) };
    let mut back = || Value::Int(tc.draw_silent(g::integers(1..=at)) as i128);
    match tag {
        1 => Value::Tagged(1, vec![back()]),
        2 => Value::Tagged(2, vec![back(), back()]),
        _ => Value::Tagged(0, vec![tc.draw_silent(constant)]),
    }
}
