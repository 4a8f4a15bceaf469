//! Shapes of values, made at random, and their generators.

use dwindle::prelude::*;
use fastrand::Rng;
use serde::Serialize;

use super::value::Value;

/// The type of an integer, and its range.
#[derive(Clone, Copy, Debug, Serialize)]
pub enum Int {
    /// A range of `i64`.
    Range(i64, i64),
    U8,
    I16,
    U32,
    I64,
    U64,
    I128,
}

/// The shape of a value.
#[derive(Clone, Debug, Serialize)]
pub enum Shape {
    Int(Int),
    Bool,
    Float(Option<(f64, f64)>),
    Text(Option<&'static str>, usize),
    Bytes(usize),
    Option(Box<Shape>),
    /// A list, with the least and the greatest number of its elements.
    List(Box<Shape>, usize, usize),
    /// The same without equal elements.
    Unique(Box<Shape>),
    /// A map from integers.
    Map(Int, Box<Shape>),
    OneOf(Vec<Shape>),
    Tuple(Vec<Shape>),
    /// A number, then a list of that length.
    Length(Box<Shape>, usize),
    /// A list, then an index into it.
    Indexed(Box<Shape>),
    /// A number, then a list of numbers up to it.
    Bounded(i64),
    /// A binary tree, as a function that calls itself.
    Function(Box<Shape>),
    /// A tree by `g::recursive`.
    Recursive(Box<Shape>),
    /// A tree by `#[derive(Generate)]`.
    Derived,
}

#[derive(Debug, Generate)]
enum Derived {
    Leaf(i16),
    Not(Box<Derived>),
    Pair(Box<Derived>, Box<Derived>),
    Many(Vec<Derived>),
}

impl From<Derived> for Value {
    fn from(tree: Derived) -> Value {
        match tree {
            Derived::Leaf(value) => Value::Tagged(0, vec![Value::Int(value.into())]),
            Derived::Not(inner) => Value::Tagged(1, vec![(*inner).into()]),
            Derived::Pair(left, right) => Value::Tagged(2, vec![(*left).into(), (*right).into()]),
            Derived::Many(inner) => {
                Value::Tagged(3, vec![Value::List(inner.into_iter().map(Value::from).collect())])
            }
        }
    }
}

impl Int {
    pub(super) fn random(rng: &mut Rng) -> Int {
        match rng.u8(..10) {
            0 => Int::U8,
            1 => Int::I16,
            2 => Int::U32,
            3 => Int::I64,
            4 => Int::U64,
            5 => Int::I128,
            6 => Int::Range(rng.i64(-50..0), rng.i64(1..100)),
            7 => Int::Range(rng.i64(1..20), rng.i64(20..2000)),
            _ => Int::Range(0, [1, 3, 10, 100, 1000, 100_000][rng.usize(..6)]),
        }
    }

    fn generator(self) -> g::Boxed<'static, Value> {
        match self {
            Int::Range(min, max) => {
                g::integers(min..=max).map(|value| Value::Int(value.into())).boxed()
            }
            Int::U8 => g::integers::<u8>(..).map(|value| Value::Int(value.into())).boxed(),
            Int::I16 => g::integers::<i16>(..).map(|value| Value::Int(value.into())).boxed(),
            Int::U32 => g::integers::<u32>(..).map(|value| Value::Int(value.into())).boxed(),
            Int::I64 => g::integers::<i64>(..).map(|value| Value::Int(value.into())).boxed(),
            Int::U64 => g::integers::<u64>(..).map(|value| Value::Int(value.into())).boxed(),
            Int::I128 => g::integers::<i128>(..).map(Value::Int).boxed(),
        }
    }
}

const ALPHABETS: [Option<&str>; 6] =
    [None, None, Some("ab"), Some("abcdefgh01 "), Some("0123456789"), Some("(){}[]x")];

impl Shape {
    pub(super) fn small_int(rng: &mut Rng) -> Shape {
        Shape::Int(Int::random(rng))
    }

    /// A value without parts of its own.
    pub(super) fn simple(rng: &mut Rng) -> Shape {
        match rng.u8(..12) {
            0..7 => Shape::small_int(rng),
            7 => Shape::Bool,
            8 => Shape::float(rng),
            9 => Shape::text(rng),
            10 => Shape::Bytes(rng.usize(4..40)),
            _ => Shape::Option(Box::new(Shape::small_int(rng))),
        }
    }

    /// A value with few parts, as elements are.
    pub(super) fn element(rng: &mut Rng) -> Shape {
        match rng.u8(..8) {
            0..4 => Shape::simple(rng),
            4 | 5 => {
                let count = rng.usize(2..=3);
                Shape::Tuple((0..count).map(|_| Shape::simple(rng)).collect())
            }
            6 => Shape::one_of(rng),
            _ => Shape::Option(Box::new(Shape::simple(rng))),
        }
    }

    pub(super) fn float(rng: &mut Rng) -> Shape {
        Shape::Float(rng.bool().then(|| (-1000.0 * f64::from(rng.u8(..3)), 10_000.0)))
    }

    pub(super) fn text(rng: &mut Rng) -> Shape {
        Shape::Text(ALPHABETS[rng.usize(..ALPHABETS.len())], rng.usize(8..200))
    }

    pub(super) fn one_of(rng: &mut Rng) -> Shape {
        let count = rng.usize(2..=5);
        let alternative = |rng: &mut Rng| match rng.u8(..5) {
            0 => Shape::Tuple(Vec::new()),
            1..4 => Shape::simple(rng),
            _ => Shape::Tuple(vec![Shape::simple(rng), Shape::simple(rng)]),
        };
        Shape::OneOf((0..count).map(|_| alternative(rng)).collect())
    }

    pub(super) fn list(rng: &mut Rng, element: Shape) -> Shape {
        let min = if rng.u8(..4) == 0 { rng.usize(1..=3) } else { 0 };
        let max = if rng.u8(..3) == 0 { min + rng.usize(2..=12) } else { usize::MAX };
        Shape::List(Box::new(element), min, max)
    }

    /// The generator of this shape.
    pub fn generator(&self) -> g::Boxed<'_, Value> {
        match self {
            Shape::Int(int) => int.generator(),
            Shape::Bool => g::booleans().map(Value::Bool).boxed(),
            Shape::Float(None) => g::floats::<f64>(..).map(Value::Float).boxed(),
            Shape::Float(Some((min, max))) => g::floats(*min..=*max).map(Value::Float).boxed(),
            Shape::Text(None, max) => g::text().len(..=*max).map(Value::Text).boxed(),
            Shape::Text(Some(alphabet), max) => {
                g::text().alphabet(alphabet).len(..=*max).map(Value::Text).boxed()
            }
            Shape::Bytes(max) => g::bytes().len(..=*max).map(Value::Bytes).boxed(),
            Shape::Option(inner) => g::option(inner.generator())
                .map(|value| match value {
                    None => Value::Tagged(0, Vec::new()),
                    Some(value) => Value::Tagged(1, vec![value]),
                })
                .boxed(),
            Shape::List(element, min, max) => g::vec(element.generator())
                .len(*min..=(*max).min(usize::MAX - 1))
                .map(Value::List)
                .boxed(),
            Shape::Unique(element) => {
                g::vec(element.generator()).unique_by(ToString::to_string).map(Value::List).boxed()
            }
            Shape::Map(key, value) => {
                g::btree_map(key.generator().map(|key| key.number()), value.generator())
                    .map(|map| {
                        let entry = |(key, value)| Value::Tuple(vec![Value::Int(key), value]);
                        Value::List(map.into_iter().map(entry).collect())
                    })
                    .boxed()
            }
            Shape::OneOf(alternatives) => g::one_of(
                alternatives
                    .iter()
                    .enumerate()
                    .map(|(tag, shape)| {
                        shape.generator().map(move |value| Value::Tagged(tag, vec![value])).boxed()
                    })
                    .collect::<Vec<_>>(),
            )
            .boxed(),
            Shape::Tuple(parts) => tuple(parts),
            Shape::Length(element, max) => g::integers(0..=*max)
                .flat_map(move |length| g::vec(element.generator()).len(length..=length))
                .map(|list| Value::Tuple(vec![Value::Int(list.len() as i128), Value::List(list)]))
                .boxed(),
            Shape::Indexed(element) => g::vec(element.generator())
                .len(1..)
                .flat_map(|list| {
                    g::integers(0..list.len()).map(move |index| {
                        Value::Tuple(vec![Value::List(list.clone()), Value::Int(index as i128)])
                    })
                })
                .boxed(),
            Shape::Bounded(max) => g::integers(0..=*max)
                .flat_map(|bound| {
                    g::vec(g::integers(0..=bound)).map(move |list| {
                        let list = list.into_iter().map(|value| Value::Int(value.into()));
                        Value::Tuple(vec![Value::Int(bound.into()), Value::List(list.collect())])
                    })
                })
                .boxed(),
            Shape::Function(leaf) => {
                let leaf = leaf.generator();
                g::from_fn(move |tc| tree(tc, &leaf)).boxed()
            }
            Shape::Recursive(leaf) => {
                // A recursive generator must own what it is made of.
                let leaf = leaf.owned_generator();
                g::recursive(leaf.map(|value| Value::Tagged(0, vec![value])), |inner| {
                    g::one_of((
                        (inner.clone(), inner.clone())
                            .map(|(left, right)| Value::Tagged(1, vec![left, right])),
                        g::vec(inner).map(|list| Value::Tagged(2, vec![Value::List(list)])),
                    ))
                })
                .boxed()
            }
            Shape::Derived => any::<Derived>().map(Value::from).boxed(),
        }
    }

    fn owned_generator(&self) -> g::Boxed<'static, Value> {
        match self {
            Shape::Int(int) => int.generator(),
            _ => g::booleans().map(Value::Bool).boxed(),
        }
    }
}

impl Value {
    fn number(&self) -> i128 {
        if let Value::Int(value) = self { *value } else { 0 }
    }
}

fn tuple(parts: &[Shape]) -> g::Boxed<'_, Value> {
    match parts {
        [] => g::just(Value::Unit).boxed(),
        [one] => one.generator(),
        [one, two] => (one.generator(), two.generator())
            .map(|(one, two)| Value::Tuple(vec![one, two]))
            .boxed(),
        [one, two, three] => (one.generator(), two.generator(), three.generator())
            .map(|(one, two, three)| Value::Tuple(vec![one, two, three]))
            .boxed(),
        [one, two, rest @ ..] => (one.generator(), two.generator(), tuple(rest))
            .map(|(one, two, rest)| Value::Tuple(vec![one, two, rest]))
            .boxed(),
    }
}

fn tree(tc: &mut TestCase, leaf: &g::Boxed<'_, Value>) -> Value {
    let tag = if tc.too_deep() { 0 } else { tc.draw_silent(g::integers(0usize..=3)) };
    let mut inner = || tc.deeper(|tc| tree(tc, leaf));
    match tag {
        1 => Value::Tagged(1, vec![inner()]),
        2 => Value::Tagged(2, vec![inner(), inner()]),
        _ => Value::Tagged(tag, vec![tc.draw_silent(leaf)]),
    }
}
