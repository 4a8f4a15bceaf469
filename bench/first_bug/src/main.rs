//! How many executions it takes to the first bug: dwindle's targets beside their twins on stock
//! libfuzzer-sys.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin first_bug [seeds] [seconds]`
//!
//! By default the program runs the seeds 1 to 16. It stops a run after 120 seconds without a bug.
//! It prints a table.

mod build;
mod run;
mod table;

use std::collections::VecDeque;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};

use build::Fuzzer;
use run::Run;

const TARGETS: [&str; 4] =
    ["graphmap_remove_node", "roaring_remove", "decimal_expr", "url_setters"];

/// Two runs at a time, so that neither waits for a core on a small machine.
const RUNS_AT_ONCE: usize = 2;

fn main() -> Result<()> {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|arg| arg.parse::<u64>().with_context(|| format!("{arg:?} is not a number")));
    let seeds = numbers.next().transpose()?.unwrap_or(16);
    let seconds_max = numbers.next().transpose()?.unwrap_or(120);

    let folder = build::build()?;
    let jobs: Mutex<VecDeque<(&str, Fuzzer, u64)>> = Mutex::new(
        TARGETS
            .iter()
            .flat_map(|target| {
                Fuzzer::ALL
                    .iter()
                    .flat_map(move |fuzzer| (1..=seeds).map(move |seed| (*target, *fuzzer, seed)))
            })
            .collect(),
    );
    let runs = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..RUNS_AT_ONCE)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    loop {
                        let job = jobs.lock().expect("no worker panics").pop_front();
                        let Some((target, fuzzer, seed)) = job else { return Ok(()) };
                        let run = Run::of(&folder, target, fuzzer, seed, seconds_max)
                            .with_context(|| format!("{target} on {fuzzer}, seed {seed}"))?;
                        eprintln!("{run}");
                        runs.lock().expect("no worker panics").push(run);
                    }
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    print!("{}", table::table(&TARGETS, &runs.into_inner().expect("no worker panics")));
    Ok(())
}
