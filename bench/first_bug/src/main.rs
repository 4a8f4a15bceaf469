//! How much processor time it takes to the first bug: dwindle's targets beside their twins on stock
//! libfuzzer-sys and derive(Arbitrary).
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin first_bug -- --help`

mod arm;
mod build;
mod processes;
mod run;
mod statistics;
mod table;
mod target;
mod watch;

use std::collections::VecDeque;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};

use arm::Arm;
use build::Built;
use run::{Order, Run};
use target::{TARGETS, Target};

/// Processor time, executions and wall time to the first bug, of dwindle's targets and their twins.
#[derive(Debug, Parser)]
struct Arguments {
    /// Runs of each target and arm, with the seeds 1, 2 and so on
    #[arg(long, default_value_t = 30)]
    seeds: u64,
    /// Most processor time of a run
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    limit: f64,
    /// These targets alone
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    only: Vec<String>,
    /// Adds arms of dwindle without these mechanisms (`DWINDLE_WITHOUT`)
    #[arg(long, value_name = "NAME,..")]
    without: Option<String>,
    /// Leaves out the arms without dwindle
    #[arg(long)]
    no_stock: bool,
    /// Adds arms under AFL++: dwindle's, and the twins on afl.rs with CMPLOG
    #[arg(long)]
    afl: bool,
    /// Runs at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Prints all runs as JSON in place of the table
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Watches one run, for the measurement itself
    #[command(hide = true)]
    Watch { order: String },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(Command::Watch { order }) = &arguments.command {
        let order: Order = serde_json::from_str(order).context("the order")?;
        println!("{}", serde_json::to_string(&watch::watch(&order)?)?);
        return Ok(());
    }
    let targets = chosen(&arguments.only)?;
    let arms = Arm::all(arguments.without.as_deref(), !arguments.no_stock, arguments.afl);
    let built = build::build(&targets, &arms)?;
    let runs = runs(&built, &targets, &arms, &arguments)?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&runs)?);
    } else {
        println!(
            "{} seeds, at most {} s of processor time for a run.\n\n{}",
            arguments.seeds,
            arguments.limit,
            table::table(&targets, &arms, &runs, arguments.limit)
        );
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<Target>> {
    if let Some(name) = names.iter().find(|name| TARGETS.iter().all(|target| target.name != **name))
    {
        let all: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        bail!("{name} is not a target; the targets are {}", all.join(", "));
    }
    let is_chosen =
        |target: &&Target| names.is_empty() || names.iter().any(|name| name == target.name);
    Ok(TARGETS.iter().filter(is_chosen).copied().collect())
}

/// All runs. One after the other, arms and targets take turns, so that other work on the machine
/// meets all of them.
fn runs(
    built: &Built,
    targets: &[Target],
    arms: &[Arm],
    arguments: &Arguments,
) -> Result<Vec<Run>> {
    let jobs: VecDeque<(u64, Target, &Arm)> = (1..=arguments.seeds)
        .flat_map(|seed| {
            targets.iter().flat_map(move |target| arms.iter().map(move |arm| (seed, *target, arm)))
        })
        .collect();
    let jobs = Mutex::new(jobs);
    let runs = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..arguments.jobs.max(1))
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    loop {
                        let job = jobs.lock().expect("no worker panics").pop_front();
                        let Some((seed, target, arm)) = job else { return Ok(()) };
                        let run = Run::of(built, target, arm, seed, arguments.limit)
                            .with_context(|| format!("{} on {arm}, seed {seed}", target.name))?;
                        eprintln!("{run}");
                        runs.lock().expect("no worker panics").push(run);
                    }
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    let mut runs = runs.into_inner().expect("no worker panics");
    runs.sort_by(|left, right| {
        (&left.target, &left.arm, left.seed).cmp(&(&right.target, &right.arm, right.seed))
    });
    Ok(runs)
}
