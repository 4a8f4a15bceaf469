//! Large inputs: calls, and memory.

use serde::Serialize;

use crate::allocations;
use crate::ours::shrink_with;
use crate::vectors::{Vectors, integers};

/// One question of size with its answer.
#[derive(Debug, Serialize)]
pub struct Scale {
    question: String,
    ended_at: String,
    measured: f64,
    limit: f64,
    unit: &'static str,
    is_met: bool,
}

/// Answers all of them.
pub fn measure() -> Vec<Scale> {
    let mut scales: Vec<Scale> = [100, 1_000, 10_000, 100_000].into_iter().map(witness).collect();
    scales.push(tens("400 random u32, 300 of at least 10 needed", |index, random| {
        if index < 400 { random.u32(10..) } else { 0 }
    }));
    scales.push(tens("400 u32, 300 of them random and needed, 100 below 10", |index, random| {
        if index % 4 == 3 { random.u32(..10) } else { random.u32(10..) }
    }));
    scales.push(memory("memory: 100,000 choices, one witness", 100_000, |values| {
        values.iter().any(|value| *value >= 900)
    }));
    scales.push(memory(
        "memory: 100,000 choices, half of the elements needed, 1,000 calls",
        1_000,
        |values| values.iter().filter(|value| **value >= 450).count() >= 12_500,
    ));
    scales
}

const SEEDS: u64 = 5;

fn witness(count: usize) -> Scale {
    let (mut worst, mut lengths) = (0, Vec::new());
    for seed in 0..SEEDS {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut values: Vec<u32> = (0..count).map(|_| random.u32(..900)).collect();
        values[random.usize(..count)] = random.u32(900..=1000);
        let mut runner = Vectors::new(1000, |values| values.iter().any(|value| *value >= 900));
        let start = runner.trace(&values);
        let shrunk = shrink_with(&start, &mut runner, 100_000);
        worst = worst.max(runner.calls);
        lengths.push(integers(&shrunk.best).len());
    }
    let limit = 10.0 * (count as f64).log2() + 50.0;
    Scale {
        question: format!("one witness among {count} integers"),
        ended_at: format!("lengths {lengths:?}"),
        measured: worst as f64,
        limit,
        unit: "calls at most",
        is_met: worst as f64 <= limit && lengths.iter().all(|length| *length == 1),
    }
}

fn tens(question: &str, value: impl Fn(usize, &mut fastrand::Rng) -> u32) -> Scale {
    let (mut worst, mut right) = (0, 0);
    for seed in 0..SEEDS {
        let mut random = fastrand::Rng::with_seed(seed);
        let values: Vec<u32> = (0..400).map(|index| value(index, &mut random)).collect();
        let mut runner = Vectors::new(u32::MAX, |values| {
            values.iter().filter(|value| **value >= 10).count() >= 300
        });
        let start = runner.trace(&values);
        let shrunk = shrink_with(&start, &mut runner, 100_000);
        worst = worst.max(runner.calls);
        right += u64::from(integers(&shrunk.best) == vec![10; 300]);
    }
    let limit = 1_600.0;
    Scale {
        question: question.to_owned(),
        ended_at: format!("300 tens in {right} of {SEEDS} seeds"),
        measured: worst as f64,
        limit,
        unit: "calls at most",
        is_met: worst as f64 <= limit && right == SEEDS,
    }
}

fn memory(question: &str, calls_max: u64, fails: impl Fn(&[u32]) -> bool) -> Scale {
    let mut random = fastrand::Rng::with_seed(1);
    let mut values: Vec<u32> = (0..50_000).map(|_| random.u32(..900)).collect();
    values[33_333] = 950;
    let mut runner = Vectors::new(1000, fails);
    let start = runner.trace(&values);
    let before = allocations::live();
    let copy = start.clone();
    let trace_bytes = allocations::live() - before;
    drop(copy);
    let (shrunk, peak) = allocations::peak_of(|| shrink_with(&start, &mut runner, calls_max));
    let ratio = peak as f64 / trace_bytes as f64;
    let limit = 16.0;
    Scale {
        question: question.to_owned(),
        ended_at: format!(
            "{} elements in {} calls, peak {peak} bytes, trace {trace_bytes}",
            integers(&shrunk.best).len(),
            shrunk.calls
        ),
        measured: ratio,
        limit,
        unit: "times the trace",
        is_met: ratio <= limit,
    }
}

/// Prints the answers.
pub fn print(scales: &[Scale]) {
    println!();
    println!(
        "Scale ({SEEDS} seeds where calls are counted: the most of them; exhaustion included):"
    );
    println!();
    println!("| what | ended at | measured | limit | |");
    println!("| --- | --- | --- | --- | --- |");
    for scale in scales {
        let Scale { question, ended_at, measured, limit, unit, is_met } = scale;
        println!(
            "| {question} | {ended_at} | {measured:.1} {unit} | {limit:.0} | {} |",
            if *is_met { "met" } else { "MISSED" }
        );
    }
}
