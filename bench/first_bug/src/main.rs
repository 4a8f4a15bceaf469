//! How much processor time it takes to the first bug: dwindle's targets beside their twins on stock
//! libfuzzer-sys and derive(Arbitrary).
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin first_bug -- --help`

mod arm;
mod budgets;
mod build;
mod coverage;
mod gains;
mod processes;
mod run;
mod statistics;
mod table;
mod target;
mod watch;

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::{Parser, Subcommand};

use arm::Arm;
use build::Built;
use gains::{Gain, Sources};
use run::{Goal, Order, Run};
use target::{Home, TARGETS, Target};

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
    /// Adds arms of dwindle without these mechanisms (`DWINDLE_WITHOUT`). May stand several times
    #[arg(long, value_name = "NAME,..")]
    without: Vec<String>,
    /// Leaves out the arms without dwindle
    #[arg(long)]
    no_stock: bool,
    /// Adds arms under AFL++: dwindle's, and the twins on afl.rs with CMPLOG
    #[arg(long)]
    afl: bool,
    /// In place of the first bug: what runs cover of the crate under test and which bugs they find
    /// in these amounts of processor time
    #[arg(long, value_name = "SECONDS,..", value_delimiter = ',', conflicts_with = "afl")]
    budgets: Vec<f64>,
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
        let answer = match &order.goal {
            Goal::FirstBug(limit) => {
                serde_json::to_string(&watch::watch(&order, Duration::from_secs_f64(*limit))?)?
            }
            Goal::Budgets(budgets) => serde_json::to_string(&budgets::watch(&order, budgets)?)?,
        };
        println!("{answer}");
        return Ok(());
    }
    let targets = chosen(&arguments.only, !arguments.budgets.is_empty())?;
    let arms = Arm::all(&arguments.without, !arguments.no_stock, arguments.afl);
    let built = build::build(&targets, &arms)?;
    if arguments.budgets.is_empty() {
        first_bugs(&built, &targets, &arms, &arguments)
    } else {
        gains(&built, &targets, &arms, &arguments)
    }
}

fn first_bugs(
    built: &Built,
    targets: &[Target],
    arms: &[Arm],
    arguments: &Arguments,
) -> Result<()> {
    let (mut runs, failures) = each(targets, arms, arguments, |target, arm, seed| {
        Run::of(built, target, arm, seed, arguments.limit)
    });
    runs.sort_by(|left, right| {
        (&left.target, &left.arm, left.seed).cmp(&(&right.target, &right.arm, right.seed))
    });
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&runs)?);
    } else {
        println!(
            "{} seeds, at most {} s of processor time for a run.\n\n{}",
            arguments.seeds,
            arguments.limit,
            table::table(targets, arms, &runs, arguments.limit)
        );
    }
    complete(&failures)
}

fn gains(built: &Built, targets: &[Target], arms: &[Arm], arguments: &Arguments) -> Result<()> {
    let mut budgets = arguments.budgets.clone();
    budgets.sort_unstable_by(f64::total_cmp);
    let lines = Sources::read(built, targets, arms)?;
    let (mut gains, failures) = each(targets, arms, arguments, |target, arm, seed| {
        Gain::of(built, &lines, target, arm, seed, &budgets)
    });
    gains.sort_by(|left, right| {
        (&left.target, &left.arm, left.seed).cmp(&(&right.target, &right.arm, right.seed))
    });
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&gains)?);
    } else {
        println!("{} seeds.\n\n{}", arguments.seeds, gains::table(targets, arms, &gains, &budgets));
    }
    complete(&failures)
}

/// An error if the table lacks runs.
fn complete(failures: &[String]) -> Result<()> {
    ensure!(failures.is_empty(), "{} runs are missing:\n{}", failures.len(), failures.join("\n"));
    Ok(())
}

/// The targets that were named. Without names, those over large crates only count where coverage
/// does: they need not have a bug.
fn chosen(names: &[String], counts_coverage: bool) -> Result<Vec<Target>> {
    if let Some(name) = names.iter().find(|name| TARGETS.iter().all(|target| target.name != **name))
    {
        let all: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        bail!("{name} is not a target; the targets are {}", all.join(", "));
    }
    let is_chosen = |target: &&Target| match names {
        [] => counts_coverage || target.home != Home::Large,
        _ => names.iter().any(|name| name == target.name),
    };
    Ok(TARGETS.iter().filter(is_chosen).copied().collect())
}

/// Does something for each seed, target and arm. Arms and targets take turns, so that other work on
/// the machine meets all of them. Gives the results, and what went wrong in the other runs.
fn each<T: Display + Send>(
    targets: &[Target],
    arms: &[Arm],
    arguments: &Arguments,
    run: impl Fn(Target, &Arm, u64) -> Result<T> + Sync,
) -> (Vec<T>, Vec<String>) {
    let jobs: VecDeque<(u64, Target, &Arm)> = (1..=arguments.seeds)
        .flat_map(|seed| {
            targets.iter().flat_map(move |target| arms.iter().map(move |arm| (seed, *target, arm)))
        })
        .collect();
    let jobs = Mutex::new(jobs);
    let results = Mutex::new((Vec::new(), Vec::new()));
    let work = || {
        loop {
            let job = jobs.lock().expect("no worker panics").pop_front();
            let Some((seed, target, arm)) = job else { return };
            let result = run(target, arm, seed);
            let mut results = results.lock().expect("no worker panics");
            match result {
                Ok(result) => {
                    eprintln!("{result}");
                    results.0.push(result);
                }
                Err(error) => {
                    let failure = format!("{} on {arm}, seed {seed}: {error:#}", target.name);
                    eprintln!("{failure}");
                    results.1.push(failure);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(work);
        }
    });
    results.into_inner().expect("no worker panics")
}
