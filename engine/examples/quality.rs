//! Prints how well the shrinker does: for each property the share of seeds that end at the minimum, and the calls it took.
//!
//! `cargo run --release --example quality [seeds] [name]`

#[path = "../tests/shrink_support/mod.rs"]
mod shrink_support;

use std::collections::BTreeMap;

use shrink_support::machines::{KINDS, MACHINES};
use shrink_support::minimal_among;
use shrink_support::properties::CHALLENGE;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(100);
    let only = arguments.next().unwrap_or_default();
    println!("| property | best % | mean calls | max | start | large: best % | mean calls | max | start | reference |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut misses = Vec::new();
    for case in CHALLENGE.iter().chain(MACHINES).chain(KINDS).filter(|case| case.name.contains(&only)) {
        print!("| {} ", case.name);
        for among in [1, 10] {
            let (mut best, mut calls, mut max, mut start) = (0, 0, 0, 0);
            let time = std::time::Instant::now();
            let mut missed: BTreeMap<String, Vec<u64>> = BTreeMap::new();
            for seed in 0..seeds {
                let minimal = minimal_among(seed, among, &case.property);
                if minimal.draws == case.minimum {
                    best += 1;
                } else {
                    missed.entry(minimal.draws.join(", ")).or_default().push(seed);
                }
                calls += minimal.shrunk.calls;
                max = max.max(minimal.shrunk.calls);
                start += minimal.start;
            }
            print!("| {} | {:.1} | {max} | {:.0} ", best * 100 / seeds, calls as f64 / seeds as f64, start as f64 / seeds as f64);
            eprintln!("{} {among} {:?}", case.name, time.elapsed());
            misses.extend(
                missed.into_iter().map(|(draws, seeds)| format!("{} (of {among}) x{}: {draws} {:?}", case.name, seeds.len(), &seeds[..seeds.len().min(5)])),
            );
        }
        println!("| {} |", case.reference);
    }
    misses.iter().for_each(|miss| println!("missed: {miss}"));
}
