//! Prints, for each machine with a seeded bug, how many seeds end at the smallest program, and the
//! calls that took.
//!
//! `cargo run --release -p dwindle --no-default-features --example stateful [seeds] [name]`

#[path = "../tests/machines/mod.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod machines;

use std::collections::BTreeMap;

use dwindle::{Settings, check};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(50);
    let only = arguments.next().unwrap_or_default();
    println!(
        "| bug | found % | smallest % | cases to find | calls to shrink | at most | to exhaust |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut misses = Vec::new();
    for case in machines::CASES.iter().filter(|case| case.name.contains(&only)) {
        let (mut found, mut smallest, mut cases, mut calls, mut calls_max, mut exhausting) =
            (0, 0, 0, 0, 0, 0);
        let mut elsewhere: BTreeMap<Vec<String>, Vec<u64>> = BTreeMap::new();
        for seed in 0..seeds {
            let settings = Settings::default()
                .seed(seed)
                .max_cases(100_000)
                .store(None)
                .exhaust(machines::EXHAUST);
            let Err(failure) = check(settings, case.property) else { continue };
            found += 1;
            cases += failure.calls_to_find;
            let to_shrink = failure.calls_to_shrink - failure.calls_to_exhaust;
            calls += to_shrink;
            calls_max = calls_max.max(to_shrink);
            exhausting += failure.calls_to_exhaust;
            if case.minima.iter().any(|minimum| failure.draws == *minimum) {
                smallest += 1;
            } else {
                elsewhere.entry(failure.draws).or_default().push(seed);
            }
        }
        let mean = |sum: u64| sum / found.max(1);
        println!(
            "| {} | {} | {} | {} | {} | {calls_max} | {} |",
            case.name,
            found * 100 / seeds,
            smallest * 100 / seeds,
            mean(cases),
            mean(calls),
            mean(exhausting)
        );
        misses.extend(elsewhere.into_iter().map(|(draws, seeds)| {
            format!(
                "{}, {} seeds {:?}:\n    {}",
                case.name,
                seeds.len(),
                &seeds[..seeds.len().min(5)],
                draws.join("\n    ")
            )
        }));
    }
    for miss in misses {
        println!("not the smallest: {miss}");
    }
}
