//! Generators of every kind, as values that a property can draw.

use dwindle::prelude::*;
use g::Boxed;

/// A generator whose values are shown as text.
#[derive(Clone, Debug, Generate)]
#[generate(depth = 3)]
pub(crate) enum Shape {
    Boolean {
        towards: bool,
    },
    Weighted(#[generate(with = g::sampled_from([0.0, 0.001, 0.25, 1.0]))] f64),
    Integer {
        ends: [i64; 2],
        towards: i64,
    },
    Narrow {
        start: i64,
        #[generate(with = g::integers(0..=300))]
        width: u16,
    },
    Wide([u128; 2]),
    Float {
        ends: [f64; 2],
        is_open: bool,
    },
    Single([f32; 2]),
    Char,
    Text {
        length: Limits,
        alphabet: String,
    },
    Bytes(Limits),
    Matching(
        #[generate(with = g::sampled_from(["a|b|[c-z]+", "x(y|z0)*", "[é-ü]{2,3}", r"\d?-"]))]
        &'static str,
    ),
    Shuffled(#[generate(with = g::integers(0..=6))] usize),
    Subsequence(#[generate(with = g::integers(0..=6))] usize),
    /// A number that shrinks by halves.
    Halves,
    Machine,
    Option(Box<Shape>),
    Pair(Box<Shape>, Box<Shape>),
    OneOf(#[generate(with = g::vec(any::<Shape>()).len(1..=3))] Vec<Shape>),
    Choose(Box<Shape>, Box<Shape>),
    List(Limits, Box<Shape>),
    Unique(Limits, Box<Shape>),
    Filtered(Box<Shape>),
    Repeated(Box<Shape>),
    Function(Box<Shape>),
    Nested(Box<Shape>),
}

/// Possible lengths.
#[derive(Clone, Copy, Debug, Generate)]
pub(crate) struct Limits {
    #[generate(with = g::integers(0..=2))]
    min: usize,
    #[generate(with = g::option(g::integers(0..=3)))]
    more: Option<usize>,
}

impl Limits {
    fn range(self) -> (std::ops::Bound<usize>, std::ops::Bound<usize>) {
        use std::ops::Bound::{Included, Unbounded};
        (Included(self.min), self.more.map_or(Unbounded, |more| Included(self.min + more)))
    }
}

/// A few shapes.
pub(crate) fn shapes() -> impl Generator<Value = Vec<Shape>> {
    g::vec(any::<Shape>()).len(..=4)
}

fn shown<G: Generator<Value: std::fmt::Debug> + 'static>(generator: G) -> Boxed<'static, String> {
    generator.map(|value| format!("{value:?}")).boxed()
}

impl Shape {
    pub(crate) fn generator(&self) -> Boxed<'static, String> {
        match self {
            Shape::Boolean { towards } => shown(g::booleans().shrink_towards(*towards)),
            Shape::Weighted(probability) => shown(g::weighted_booleans(*probability)),
            Shape::Integer { ends: [a, b], towards } => {
                let (min, max) = (*a.min(b), *a.max(b));
                shown(g::integers(min..=max).shrink_towards(*towards.clamp(&min, &max)))
            }
            Shape::Narrow { start, width } => {
                shown(g::integers(*start..=start.saturating_add(i64::from(*width))))
            }
            Shape::Wide([a, b]) => shown(g::integers(*a.min(b)..=*a.max(b))),
            Shape::Float { ends: [a, b], is_open } if *is_open || a.is_nan() || b.is_nan() => {
                shown(g::floats::<f64>(..))
            }
            Shape::Float { ends: [a, b], .. } => shown(g::floats(a.min(*b)..=a.max(*b))),
            Shape::Single([a, b]) if a.is_nan() || b.is_nan() => shown(g::floats::<f32>(..)),
            Shape::Single([a, b]) => shown(g::floats(a.min(*b)..=a.max(*b))),
            Shape::Char => shown(g::characters()),
            Shape::Text { length, alphabet } if alphabet.is_empty() => {
                shown(g::text().len(length.range()))
            }
            Shape::Text { length, alphabet } => {
                shown(g::text().alphabet(alphabet).len(length.range()))
            }
            Shape::Bytes(length) => shown(g::bytes().len(length.range())),
            Shape::Matching(pattern) => shown(g::from_regex(pattern)),
            Shape::Shuffled(count) => shown(g::permutations((0..*count).collect::<Vec<_>>())),
            Shape::Subsequence(count) => shown(g::subsequence((0..*count).collect::<Vec<_>>())),
            Shape::Halves => {
                shown(g::integers(0..=1000u16).shrink_with(|n| (*n > 0).then(|| n / 2)))
            }
            Shape::Machine => shown(g::from_fn(|tc| tc.run(Counters::default()).log)),
            Shape::Option(inner) => shown(g::option(inner.generator())),
            Shape::Pair(first, second) => shown((first.generator(), second.generator())),
            Shape::OneOf(shapes) => {
                shown(g::one_of(shapes.iter().map(Shape::generator).collect::<Vec<_>>()))
            }
            Shape::Choose(first, second) => shown(g::choose(first.generator(), second.generator())),
            Shape::List(length, inner) => shown(g::vec(inner.generator()).len(length.range())),
            Shape::Unique(length, inner) => {
                shown(g::vec(inner.generator()).unique().len(length.range()))
            }
            Shape::Filtered(inner) => shown(inner.generator().filter(|text| text.len() % 3 != 0)),
            Shape::Repeated(inner) => {
                let inner = inner.generator();
                shown(g::integers(0..=3usize).flat_map(move |n| g::vec(inner.clone()).len(n..=n)))
            }
            Shape::Function(inner) => {
                let functions = g::functions::<u8, _>(inner.generator());
                shown(functions.map(|function| [1, 2, 1, 3].map(&*function)))
            }
            Shape::Nested(inner) => {
                let tree = g::recursive(inner.generator(), |below| {
                    g::vec(below).len(1..=2).map(|values| values.join(" "))
                });
                shown(tree)
            }
        }
    }
}

/// Counters in a pool, with rules of several weights, some of them disabled at times.
#[derive(Default)]
struct Counters {
    counters: Pool<u8>,
    log: Vec<u8>,
}

#[dwindle::state_machine(steps_max = 8)]
impl Counters {
    #[rule(into = counters)]
    fn begin(&mut self, value: u8) -> u8 {
        self.log.push(value);
        value
    }

    #[rule(weight = 2)]
    fn add(
        &mut self,
        #[from(counters)] counter: &mut u8,
        #[generate(with = g::integers(0..=3))] n: u8,
    ) {
        *counter = counter.wrapping_add(n);
        self.log.push(*counter);
    }

    #[rule(when = self.log.len() > 2)]
    fn end(&mut self, #[from(counters)] counter: u8) {
        self.log.push(counter);
    }
}
