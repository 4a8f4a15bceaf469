//! How small the shrinker gets where the least failure is large: trees with many leaves, long
//! orders, loops of trees.

use dwindle::prelude::*;
use dwindle_engine::internals::shrink::{
    Around, Budget, Candidate, Runner, THOROUGH, shrink_without,
};
use dwindle_engine::internals::{CHOICES_MAX, Driver, Outcome, Trace, execute};
use serde::Serialize;

use crate::left_out::Set;
use crate::ours::FAILED;
use crate::processors::on_all_processors;

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "some fields are only drawn")]
enum Json {
    Null,
    Number(i16),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(u8, Json)>),
}

impl Json {
    fn numbers(&self) -> Vec<i16> {
        match self {
            Json::Null | Json::Text(_) => Vec::new(),
            Json::Number(number) => vec![*number],
            Json::Array(items) => items.iter().flat_map(Json::numbers).collect(),
            Json::Object(fields) => fields.iter().flat_map(|(_, item)| item.numbers()).collect(),
        }
    }
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "some fields are only drawn")]
enum Expression {
    Number(i64),
    Minus(Box<Expression>),
    Sum(Box<Expression>, Box<Expression>),
    Call(String, Vec<Expression>),
}

impl Expression {
    fn sums(&self) -> usize {
        match self {
            Expression::Number(_) => 0,
            Expression::Minus(inner) => inner.sums(),
            Expression::Sum(left, right) => 1 + left.sums() + right.sums(),
            Expression::Call(_, arguments) => arguments.iter().map(Expression::sums).sum(),
        }
    }

    fn depth(&self) -> usize {
        1 + match self {
            Expression::Number(_) => 0,
            Expression::Minus(inner) => inner.depth(),
            Expression::Sum(left, right) => left.depth().max(right.depth()),
            Expression::Call(_, arguments) => {
                arguments.iter().map(Expression::depth).max().unwrap_or(0)
            }
        }
    }
}

/// The leaves of a tree that a function draws.
fn leaves(tc: &mut TestCase) -> Vec<u8> {
    match if tc.too_deep() { 0 } else { tc.draw(g::integers(0u8..=3)) } {
        1 => tc.deeper(leaves),
        2 => [tc.deeper(leaves), tc.deeper(leaves)].concat(),
        _ => vec![tc.draw(g::integers(0u8..=99))],
    }
}

/// The leaves of as many trees as a number says.
fn leaves_of_many(tc: &mut TestCase) -> Vec<u8> {
    (0..tc.draw(g::integers(0u8..100))).flat_map(|_| leaves(tc)).collect()
}

fn distinct<T: Ord>(mut items: Vec<T>) -> usize {
    items.sort_unstable();
    items.dedup();
    items.len()
}

fn ascents<T: PartialOrd>(items: &[T]) -> usize {
    items.windows(2).filter(|pair| pair[0] < pair[1]).count()
}

fn descents<T: PartialOrd>(items: &[T]) -> usize {
    items.windows(2).filter(|pair| pair[0] > pair[1]).count()
}

/// A property: its name, and whether it fails.
type Property = (&'static str, fn(&mut TestCase) -> bool);

const PROPERTIES: [Property; 10] = [
    ("JSON with 20 numbers", |tc| tc.draw(any::<Json>()).numbers().len() >= 20),
    ("JSON with 14 ascents", |tc| ascents(&tc.draw(any::<Json>()).numbers()) >= 14),
    ("JSON with 15 distinct numbers above 0", |tc| {
        let numbers = tc.draw(any::<Json>()).numbers();
        distinct(numbers.into_iter().filter(|number| *number > 0).collect()) >= 15
    }),
    ("JSON values with 12 descents", |tc| {
        let values = tc.draw(g::vec(any::<Json>()));
        descents(&values.iter().flat_map(Json::numbers).collect::<Vec<_>>()) >= 12
    }),
    ("expression with 60 sums", |tc| tc.draw(any::<Expression>()).sums() >= 60),
    ("expressions with 12 sums, one of depth 4", |tc| {
        let all = tc.draw(g::vec(any::<Expression>()));
        all.iter().map(Expression::sums).sum::<usize>() >= 12
            && all.iter().any(|expression| expression.depth() >= 4)
    }),
    ("lists with 24 ascents", |tc| ascents(&tc.draw(g::vec(g::vec(any::<i16>()))).concat()) >= 24),
    ("loop of trees with 20 ascents", |tc| ascents(&leaves_of_many(tc)) >= 20),
    ("loop of trees with 40 distinct leaves", |tc| distinct(leaves_of_many(tc)) >= 40),
    ("loop of trees with sum 1500", |tc| {
        leaves_of_many(tc).into_iter().map(u32::from).sum::<u32>() >= 1500
    }),
];

/// How many calls one shrink may make.
const CALLS_MAX: u64 = 40_000;

/// One property.
#[derive(Debug, Serialize)]
pub struct Row {
    name: &'static str,
    /// The choices of each result.
    choices: Vec<usize>,
    /// The mean calls up to the fixpoint.
    calls: f64,
}

/// Shrinks this number of failures of each property, without the passes and kicks of some names. A
/// shrink may make `around` calls behind its fixpoint.
pub fn measure(without: &[&str], (starts, seed): (u64, u64), around: u64) -> Vec<Row> {
    on_all_processors(&PROPERTIES, |property| {
        measure_one(property, without, (starts, seed), around)
    })
}

fn measure_one(
    (name, fails): &Property,
    without: &[&str],
    (starts, seed): (u64, u64),
    around: u64,
) -> Row {
    let mut running = Running { fails: *fails, driver: Driver::new() };
    let (mut choices, mut calls) = (Vec::new(), 0);
    let mut case = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for _ in 0..starts {
        let start = running.next(&mut case);
        let budget = Budget {
            calls_max: CALLS_MAX,
            exhaust_max: THOROUGH.min(around),
            around: Some(Around { calls_max: around, stop: &mut || false }),
            stop: &mut || false,
        };
        let shrunk = shrink_without(without, &start, FAILED, &mut running, budget, &mut |_, _| {});
        choices.push(shrunk.best.len());
        calls += shrunk.calls_to_fixpoint;
    }
    Row { name, choices, calls: calls as f64 / starts as f64 }
}

/// Prints the table. A second one has the mean of all results without each of the sets.
pub fn print(rows: &[Row], sets: &[Set], starts: (u64, u64), around: u64) {
    println!("| property | least | at the least % | mean choices | calls |");
    println!("| --- | --- | --- | --- | --- |");
    for row in rows {
        let least = row.choices.iter().min().copied().unwrap_or(0);
        let at_least = row.choices.iter().filter(|choices| **choices == least).count();
        println!(
            "| {} | {least} | {:.0} | {:.1} | {:.1} |",
            row.name,
            100.0 * at_least as f64 / row.choices.len() as f64,
            mean(row),
            row.calls
        );
    }
    if !sets.is_empty() {
        println!("\n| without | mean choices | calls |");
        println!("| --- | --- | --- |");
        let mut results: Vec<(String, f64, f64)> = [&Set::new()]
            .into_iter()
            .chain(sets)
            .map(|set| {
                let left_out: Vec<&str> = set.iter().map(String::as_str).collect();
                let rows = measure(&left_out, starts, around);
                let of_all =
                    |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len() as f64;
                (left_out.join(", "), of_all(mean), of_all(|row| row.calls))
            })
            .collect();
        results.sort_by(|one, other| one.1.total_cmp(&other.1));
        for (without, choices, calls) in results {
            let without = if without.is_empty() { "(nothing)" } else { &without };
            println!("| {without} | {choices:.2} | {calls:.1} |");
        }
    }
}

fn mean(row: &Row) -> f64 {
    row.choices.iter().sum::<usize>() as f64 / row.choices.len() as f64
}

struct Running {
    fails: fn(&mut TestCase) -> bool,
    driver: Driver,
}

impl Running {
    fn outcome(&mut self) -> Outcome {
        let mut fails = false;
        let ended = execute(&mut self.driver, |tc| fails = (self.fails)(tc));
        let judged = if fails { Outcome::Failed(FAILED) } else { Outcome::Passed };
        ended.or_unwind().map_or_else(Outcome::from, |()| judged)
    }

    /// The next random case that fails.
    fn next(&mut self, case: &mut u64) -> Trace {
        loop {
            *case = case.wrapping_add(1);
            self.driver.start_random(*case, CHOICES_MAX);
            if self.outcome() == Outcome::Failed(FAILED) {
                return self.driver.trace().clone();
            }
        }
    }
}

impl Runner for Running {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.driver.start_candidate(candidate, choices_max);
        let outcome = self.outcome();
        self.driver.swap_trace(trace);
        outcome
    }
}
