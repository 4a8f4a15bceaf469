//! Prints how well the shrinker does: for each property the share of seeds that end at the minimum,
//! and the calls it took.
//!
//! `cargo run --release --example quality [seeds] [name]`

#[path = "../tests/shrink_support/mod.rs"]
mod shrink_support;

use std::collections::BTreeMap;

use shrink_support::kinds::KINDS;
use shrink_support::machines::MACHINES;
use shrink_support::minimal_among;
use shrink_support::properties::CHALLENGE;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(100);
    let only = arguments.next().unwrap_or_default();
    println!(
        "| property | best % | mean calls | to exhaust | max | start | large: best % | mean calls \
         | to exhaust | max | start | reference |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut misses = Vec::new();
    for case in
        CHALLENGE.iter().chain(MACHINES).chain(KINDS).filter(|case| case.name.contains(&only))
    {
        print!("| {} ", case.name);
        for among in [1, 10] {
            let (mut best, mut calls, mut exhausting, mut max, mut start) = (0, 0, 0, 0, 0);
            let mut elsewhere: BTreeMap<String, Vec<u64>> = BTreeMap::new();
            for seed in 0..seeds {
                let minimal = minimal_among(seed, among, &case.property);
                if minimal.draws == case.minimum {
                    best += 1;
                } else {
                    elsewhere.entry(minimal.draws.join(", ")).or_default().push(seed);
                }
                calls += minimal.shrunk.calls;
                exhausting += minimal.shrunk.calls_to_exhaust;
                max = max.max(minimal.shrunk.calls);
                start += minimal.start;
            }
            let mean = |sum: u64| sum as f64 / seeds as f64;
            print!(
                "| {} | {:.1} | {:.1} | {max} | {:.0} ",
                best * 100 / seeds,
                mean(calls),
                mean(exhausting),
                mean(start as u64)
            );
            misses.extend(elsewhere.into_iter().map(|(draws, seeds)| {
                format!(
                    "{} (of {among}) x{}: {draws} {:?}",
                    case.name,
                    seeds.len(),
                    &seeds[..seeds.len().min(5)]
                )
            }));
        }
        println!("| {} |", case.reference);
    }
    for miss in misses {
        println!("missed: {miss}");
    }
}
