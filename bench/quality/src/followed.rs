//! How often the fifteen described properties end at their best.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use dwindle_engine::internals::shrink::{
    AROUND, Around, Budget, Candidate, Runner, THOROUGH, shrink,
};
use dwindle_engine::internals::{
    CHOICES_MAX, Driver, Outcome, Trace, TranscriptEvent, execute, order,
};
use serde::Serialize;

use crate::described::{DESCRIBED, Described};
use crate::ours::FAILED;
use crate::processors::on_all_processors;

/// One property.
#[derive(Debug, Serialize)]
pub struct Row {
    name: &'static str,
    best: usize,
    calls: f64,
    calls_max: u64,
    behind: f64,
    /// What the other seeds end at, the most frequent first.
    others: Vec<(usize, String)>,
    /// What sorts before the best known.
    better: Option<String>,
    /// Whether too few seeds end at the best, where 95 of 100 must.
    is_missed: bool,
}

/// Runs the properties of these names, or all.
pub fn measure(seeds: u64, seed: u64, only: &[String]) -> Vec<Row> {
    let wanted: Vec<&Described> = DESCRIBED
        .iter()
        .filter(|described| only.is_empty() || only.iter().any(|name| name == described.name))
        .collect();
    on_all_processors(&wanted, |described| measure_one(described, seeds, seed))
}

fn measure_one(described: &Described, seeds: u64, seed: u64) -> Row {
    let mut running = Running { described, driver: Driver::new() };
    let (mut calls, mut calls_max, mut behind) = (0, 0, 0);
    let mut ends: BTreeMap<String, (usize, Trace)> = BTreeMap::new();
    for start in seed..seed + seeds {
        let start = running.find(start);
        let budget = Budget {
            calls_max: 100_000,
            exhaust_max: THOROUGH,
            around: Some(Around { calls_max: AROUND - THOROUGH, stop: &mut || false }),
            stop: &mut || false,
        };
        let shrunk = shrink(&start, FAILED, &mut running, budget, &mut |_, _| {});
        calls += shrunk.calls_to_fixpoint;
        calls_max = calls_max.max(shrunk.calls_to_fixpoint);
        behind += shrunk.calls - shrunk.calls_to_fixpoint;
        let value = running.value(&shrunk.best);
        ends.entry(value).or_insert((0, shrunk.best)).0 += 1;
    }
    let best = ends.remove(&described.best.join("; "));
    let better = best.as_ref().and_then(|(_, best)| {
        ends.iter()
            .find(|(_, (_, other))| order::compare(&other.choices, &best.choices).is_lt())
            .map(|(value, _)| value.clone())
    });
    let mut others: Vec<(usize, String)> =
        ends.into_iter().map(|(value, (count, _))| (count, value)).collect();
    others.sort_by(|a, b| b.cmp(a));
    let best = best.map_or(0, |(count, _)| count);
    Row {
        name: described.name,
        best,
        calls: calls as f64 / seeds as f64,
        calls_max,
        behind: behind as f64 / seeds as f64,
        others,
        better,
        is_missed: (best as u64) * 100 < seeds * 95,
    }
}

/// Prints the table.
pub fn print(rows: &[Row], seeds: u64) {
    println!("| property | best % | calls | most | behind | others |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for row in rows {
        println!(
            "| {}{} | {:.0} | {:.1} | {} | {:.1} | {}{} |",
            row.name,
            if row.is_missed { " (missed)" } else { "" },
            100.0 * row.best as f64 / seeds as f64,
            row.calls,
            row.calls_max,
            row.behind,
            row.others
                .iter()
                .take(2)
                .map(|(count, value)| {
                    let value: String = value.chars().take(110).collect();
                    format!("{count} x `{value}`")
                })
                .collect::<Vec<_>>()
                .join(", "),
            row.better
                .as_ref()
                .map(|better| format!(", **better than the best: {better}**"))
                .unwrap_or_default(),
        );
    }
    let share = rows.iter().map(|row| row.best).sum::<usize>() as f64 / rows.len() as f64;
    println!("\nMean share {:.1} %.", 100.0 * share / seeds as f64);
}

struct Running<'a> {
    described: &'a Described,
    driver: Driver,
}

impl Running<'_> {
    fn outcome(&mut self) -> Outcome {
        let mut holds = true;
        let ended = execute(&mut self.driver, |tc| holds = (self.described.property)(tc));
        let judged = if holds { Outcome::Passed } else { Outcome::Failed(FAILED) };
        ended.or_unwind().map_or_else(Outcome::from, |()| judged)
    }

    /// The first random case from `seed` on that fails.
    fn find(&mut self, seed: u64) -> Trace {
        let first = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for case in 0.. {
            self.driver.start_random(first.wrapping_add(case), CHOICES_MAX);
            if self.outcome() == Outcome::Failed(FAILED) {
                return self.driver.trace().clone();
            }
        }
        unreachable!("some case fails")
    }

    /// `Debug` of each draw.
    fn value(&mut self, trace: &Trace) -> String {
        let draws = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&draws);
        self.driver.listen(Some(Box::new(move |said| {
            if let TranscriptEvent::Draw(value) = said {
                let mut draws = heard.lock().unwrap_or_else(PoisonError::into_inner);
                draws.push(format!("{value:?}"));
            }
        })));
        self.driver.start_replay(&trace.values(), trace.len());
        self.outcome();
        self.driver.listen(None);
        draws.lock().unwrap_or_else(PoisonError::into_inner).join("; ")
    }
}

impl Runner for Running<'_> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.driver.start_candidate(candidate, choices_max);
        let outcome = self.outcome();
        self.driver.swap_trace(trace);
        outcome
    }
}
