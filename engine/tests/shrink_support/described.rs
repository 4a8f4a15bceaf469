//! Fifteen properties on which shrinks ended beside the best: loops in the target, recursion by
//! functions, references, dependent lengths, and values that must change together.
//!
//! The best values of numbers, characters and the priority queue come from an enumeration of all
//! simpler ones. The others follow from the order: no failure has fewer choices, and no earlier
//! choice can be lower.

use std::collections::BTreeMap;

use dwindle_engine::generators as g;
use dwindle_engine::{Generate, TestCase, any};

/// A property and its simplest failure.
pub(crate) struct Described {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether a test case is fine.
    pub(crate) property: fn(&mut TestCase) -> bool,
    /// `Debug` of each draw of the simplest failure.
    pub(crate) best: &'static [&'static str],
}

/// All fifteen.
pub(crate) const DESCRIBED: &[Described] = &[
    Described {
        name: "loop in the target",
        property: loop_in_the_target,
        best: &["true", "0", "0", "1", "true", "0", "0", "0", "false"],
    },
    Described {
        name: "captured variable",
        property: captured_variable,
        best: &["Let(0, Number(0), Let(1, Variable(0), Let(0, Number(1), Variable(1))))"],
    },
    Described {
        name: "references by distance",
        property: references_by_distance,
        best: &["[Constant(4), Multiply(0, 0), Multiply(0, 0), Multiply(0, 0)]"],
    },
    Described { name: "bits", property: bits, best: &["33825"] },
    Described { name: "divisor", property: divisor, best: &["11", "22"] },
    Described { name: "sum on a path", property: sum_on_a_path, best: &["Node(100, Leaf, Leaf)"] },
    Described { name: "product", property: product, best: &["1000000", "[]"] },
    Described {
        name: "map of lists",
        property: map_of_lists,
        best: &["{0: [], 1: [], 2: [0, 0, 0, 0, 0, 0]}"],
    },
    Described { name: "two different lists", property: two_different_lists, best: &["[[0], [1]]"] },
    Described {
        name: "clauses",
        property: clauses,
        best: &["[[(0, false), (0, false)], [(1, false), (1, false)]]"],
    },
    Described { name: "schema", property: schema, best: &["Bool(false)", "\"bool\""] },
    Described { name: "case of letters", property: case_of_letters, best: &["\"\u{130}\""] },
    Described {
        name: "absorbed float",
        property: absorbed_float,
        best: &["1.0", "1.1102230246251565e-16"],
    },
    Described {
        name: "priority queue",
        property: priority_queue,
        best: &[
            "machine.push(0);",
            "machine.push(1);",
            "machine.push(0);",
            "machine.push(1);",
            "machine.push(1);",
            "machine.push(0);",
            "machine.remove(tc);",
            "    // drew 3",
        ],
    },
    Described {
        name: "query",
        property: query,
        best: &["Query { columns: [A], filter: Some((B, 0)), order_by: Some(A) }"],
    },
];

/// Versions that are read until a coin says no must not go down.
fn loop_in_the_target(tc: &mut TestCase) -> bool {
    let mut versions: Vec<(u8, u8, u8)> = Vec::new();
    while versions.len() < 20 && tc.draw(g::weighted_booleans(0.9)) {
        versions.push((tc.draw(any()), tc.draw(any()), tc.draw(any())));
    }
    versions.windows(2).all(|pair| pair[0].2 <= pair[1].2)
}

#[derive(Clone, Debug)]
enum Expression {
    Number(u8),
    Variable(u8),
    Add(Box<Expression>, Box<Expression>),
    Let(u8, Box<Expression>, Box<Expression>),
}

fn expression(tc: &mut TestCase) -> Expression {
    let leaf = tc.too_deep();
    let inner = |tc: &mut TestCase| Box::new(tc.deeper(expression));
    match tc.alternative(if leaf { 2 } else { 4 }, 2) {
        0 => Expression::Number(tc.draw_silent(any())),
        1 => Expression::Variable(tc.draw_silent(g::integers(0..=3))),
        2 => Expression::Add(inner(tc), inner(tc)),
        _ => Expression::Let(tc.draw_silent(g::integers(0..=3)), inner(tc), inner(tc)),
    }
}

impl Expression {
    fn value(&self, variables: &mut Vec<(u8, u64)>) -> Option<u64> {
        match self {
            Expression::Number(value) => Some(u64::from(*value)),
            Expression::Variable(name) => {
                Some(variables.iter().rev().find(|(known, _)| known == name)?.1)
            }
            Expression::Add(one, other) => {
                one.value(variables)?.checked_add(other.value(variables)?)
            }
            Expression::Let(name, bound, body) => {
                let bound = bound.value(variables)?;
                variables.push((*name, bound));
                let value = body.value(variables);
                variables.pop();
                value
            }
        }
    }

    /// Replaces variables that only stand for other variables, which may capture them.
    fn propagated(&self) -> Expression {
        match self {
            Expression::Number(_) | Expression::Variable(_) => self.clone(),
            Expression::Add(one, other) => {
                Expression::Add(Box::new(one.propagated()), Box::new(other.propagated()))
            }
            Expression::Let(name, bound, body) => match (bound.propagated(), body.propagated()) {
                (Expression::Variable(other), body) => body.renamed(*name, other),
                (bound, body) => Expression::Let(*name, Box::new(bound), Box::new(body)),
            },
        }
    }

    fn renamed(&self, from: u8, to: u8) -> Expression {
        match self {
            Expression::Number(_) => self.clone(),
            Expression::Variable(name) => {
                Expression::Variable(if *name == from { to } else { *name })
            }
            Expression::Add(one, other) => {
                Expression::Add(Box::new(one.renamed(from, to)), Box::new(other.renamed(from, to)))
            }
            Expression::Let(name, bound, body) => {
                let bound = Box::new(bound.renamed(from, to));
                let body = if *name == from { (**body).clone() } else { body.renamed(from, to) };
                Expression::Let(*name, bound, Box::new(body))
            }
        }
    }
}

fn captured_variable(tc: &mut TestCase) -> bool {
    let expression = tc.draw(g::from_fn(expression));
    let Some(value) = expression.value(&mut Vec::new()) else { return true };
    expression.propagated().value(&mut Vec::new()) == Some(value)
}

#[derive(Clone, Copy, Debug, Generate)]
enum Instruction {
    Constant(#[generate(with = g::integers(0..=9))] u64),
    Add(u8, u8),
    Multiply(u8, u8),
}

/// Each instruction names its operands by how many instructions lie between.
fn references_by_distance(tc: &mut TestCase) -> bool {
    let program: Vec<Instruction> = tc.draw(any());
    let mut values: Vec<u64> = Vec::new();
    for instruction in program {
        let operand = |distance: u8| {
            values.iter().rev().nth(usize::from(distance)).copied().unwrap_or_default()
        };
        values.push(match instruction {
            Instruction::Constant(value) => value,
            Instruction::Add(one, other) => operand(one).saturating_add(operand(other)),
            Instruction::Multiply(one, other) => operand(one).saturating_mul(operand(other)),
        });
    }
    values.iter().all(|value| *value < 10_000)
}

fn bits(tc: &mut TestCase) -> bool {
    tc.draw(any::<u32>()) & 0x8421 != 0x8421
}

fn divisor(tc: &mut TestCase) -> bool {
    let (a, b) = (tc.draw(g::integers(1..=1000u32)), tc.draw(g::integers(1..=1000u32)));
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a == b || divisor <= 10
}

#[derive(Debug, Generate)]
enum Tree {
    Leaf,
    Node(u8, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn sums(&self, above: u64) -> Vec<u64> {
        match self {
            Tree::Leaf => vec![above],
            Tree::Node(value, left, right) => {
                let sum = above + u64::from(*value);
                [left.sums(sum), right.sums(sum)].concat()
            }
        }
    }
}

fn sum_on_a_path(tc: &mut TestCase) -> bool {
    let tree: Tree = tc.draw(any());
    tree.sums(0).iter().all(|sum| *sum < 100 || sum % 10 != 0)
}

fn product(tc: &mut TestCase) -> bool {
    let count = tc.draw(any::<u32>());
    let factors = tc.draw(g::vec(g::integers(1..=10u64)));
    factors.iter().fold(u64::from(count), |product, factor| product.saturating_mul(*factor))
        < 1_000_000
}

fn map_of_lists(tc: &mut TestCase) -> bool {
    let map: BTreeMap<u8, Vec<u8>> = tc.draw(any());
    map.len() < 3 || map.values().map(Vec::len).sum::<usize>() < 6
}

fn two_different_lists(tc: &mut TestCase) -> bool {
    let lists = tc.draw(g::vec(g::vec(g::integers(0..=8u8)).len(1..=4)));
    lists.windows(2).all(|pair| pair[0] == pair[1])
}

/// A formula in disjunctive normal form: two clauses in a row, of two literals or more each, must
/// have a variable in common.
fn clauses(tc: &mut TestCase) -> bool {
    let literal = (g::integers(0..=5u8), g::booleans());
    let clauses = tc.draw(g::vec(g::vec(literal).len(1..=4)));
    clauses.windows(2).all(|pair| {
        let meets = |(variable, _): &(u8, bool)| pair[1].iter().any(|(other, _)| variable == other);
        pair.iter().any(|clause| clause.len() < 2) || pair[0].iter().any(meets)
    })
}

#[derive(Debug, Generate)]
enum Json {
    Null,
    Bool(bool),
    Number(i32),
    String(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// A value of the type that a schema wants must not count as missing.
fn schema(tc: &mut TestCase) -> bool {
    let value: Json = tc.draw(any());
    let wanted = tc.draw(g::sampled_from(["null", "bool", "number", "string", "array", "object"]));
    let (is, is_missing) = match value {
        Json::Null => return true,
        Json::Bool(value) => ("bool", !value),
        Json::Number(value) => ("number", value == 0),
        Json::String(value) => ("string", value.is_empty()),
        Json::Array(values) => ("array", values.is_empty()),
        Json::Object(values) => ("object", values.is_empty()),
    };
    is != wanted || !is_missing
}

fn case_of_letters(tc: &mut TestCase) -> bool {
    let text: String = tc.draw(any());
    text.to_lowercase().to_uppercase() == text.to_uppercase()
}

#[expect(clippy::float_cmp, reason = "this is what the property says")]
fn absorbed_float(tc: &mut TestCase) -> bool {
    let (a, b) = (tc.draw(any::<f64>()), tc.draw(any::<f64>()));
    b == 0.0 || !a.is_finite() || !b.is_finite() || a + b != a
}

/// A binary heap from which the test removes elements anywhere. The element that takes their place
/// may sink and never rises.
#[derive(Default)]
struct Heap {
    elements: Vec<u8>,
    is_broken: bool,
}

#[dwindle_engine::state_machine]
impl Heap {
    #[rule]
    fn push(&mut self, element: u8) {
        self.elements.push(element);
        let mut at = self.elements.len() - 1;
        while at > 0 && self.elements[at] < self.elements[(at - 1) / 2] {
            self.elements.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    #[rule(when = !self.elements.is_empty())]
    fn pop(&mut self) {
        self.take(0);
    }

    #[rule(when = !self.elements.is_empty())]
    fn remove(&mut self, tc: &mut TestCase) {
        let index = tc.draw(g::integers(0..self.elements.len()));
        self.take(index);
    }
}

impl Heap {
    fn take(&mut self, at: usize) {
        self.elements.swap_remove(at);
        let mut at = at;
        while let Some(least) = [2 * at + 1, 2 * at + 2]
            .into_iter()
            .filter(|child| *child < self.elements.len())
            .min_by_key(|child| self.elements[*child])
            && self.elements[least] < self.elements[at]
        {
            self.elements.swap(least, at);
            at = least;
        }
        self.is_broken |= (1..self.elements.len())
            .any(|child| self.elements[child] < self.elements[(child - 1) / 2]);
    }
}

fn priority_queue(tc: &mut TestCase) -> bool {
    !tc.run(Heap::default()).is_broken
}

#[derive(Clone, Copy, Debug, Generate, PartialEq)]
enum Column {
    A,
    B,
    C,
    D,
}

#[derive(Debug, Generate)]
struct Query {
    #[generate(with = g::vec(any::<Column>()).len(1..=3))]
    columns: Vec<Column>,
    filter: Option<(Column, u8)>,
    order_by: Option<Column>,
}

/// A filter on a column that the query does not select must not lose the order.
fn query(tc: &mut TestCase) -> bool {
    let Query { columns, filter, order_by } = tc.draw(any());
    let (Some((filtered, _)), Some(ordered)) = (filter, order_by) else { return true };
    columns.contains(&filtered) || !columns.contains(&ordered)
}
