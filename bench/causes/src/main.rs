//! How many of the faults behind one assertion are found as causes, each alone.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml -p causes -- --help`

mod fuzzed;
mod in_process;

use anyhow::{Result, ensure};
use clap::Parser;

use causes::program::Program;
use fuzzed::Engine;

/// Prints how many faults behind one assertion are found as causes: by runs of a fuzzer, or in this
/// process.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many seeds of each program
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// How long each run fuzzes
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// These programs only, separated by commas
    #[arg(long, value_name = "PROGRAM", value_delimiter = ',')]
    program: Vec<String>,
    /// What fuzzes
    #[arg(long, value_enum, default_value_t = Engine::Libfuzzer)]
    engine: Engine,
    /// Looks for causes in this process instead, until a search finds none
    #[arg(long)]
    in_process: bool,
    /// In this process: also counts the random cases that meet the next cause by chance
    #[arg(long, requires = "in_process")]
    chance: bool,
    /// In this process: prints the causes, too
    #[arg(long, requires = "in_process")]
    lines: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    ensure!(arguments.seeds > 0, "give at least one seed");
    for name in &arguments.program {
        ensure!(causes::all().any(|program| program.name == name), "there is no program {name}");
    }
    let is_wanted = |program: &&&Program| {
        arguments.program.is_empty() || arguments.program.iter().any(|name| name == program.name)
    };
    let programs: Vec<&Program> = causes::all().filter(|program| is_wanted(&program)).collect();
    if arguments.in_process {
        in_process(&programs, &arguments);
    } else {
        fuzzed(&programs, &arguments)?;
    }
    Ok(())
}

/// The different faults that some input shows alone.
fn alone(shown: &[Vec<u32>]) -> Vec<u32> {
    let mut alone: Vec<u32> =
        shown.iter().filter(|shown| shown.len() == 1).map(|shown| shown[0]).collect();
    alone.sort_unstable();
    alone.dedup();
    alone
}

fn missing(program: &Program, alone: &[u32]) -> String {
    let missing = (0..program.faults).filter(|fault| !alone.contains(fault));
    missing.map(|fault| fault.to_string()).collect::<Vec<String>>().join(", ")
}

fn fuzzed(programs: &[&Program], arguments: &Arguments) -> Result<()> {
    println!("{} s each, {:?}.\n", arguments.seconds, arguments.engine);
    println!(
        "| program | seed | faults found alone | causes | too many | not found | without causes | \
         executions |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for program in programs {
        for seed in 0..arguments.seeds {
            let kept = fuzzed::run(program, arguments.engine, seed, arguments.seconds)?;
            let alone = alone(&kept.shown);
            println!(
                "| {} | {seed} | {} of {} | {} | {} | {} | {} | {} |",
                program.name,
                alone.len(),
                program.faults,
                kept.shown.len(),
                kept.shown.len() - alone.len(),
                missing(program, &alone),
                usize::from(kept.first.len() == 1),
                kept.executions
            );
        }
    }
    Ok(())
}

fn in_process(programs: &[&Program], arguments: &Arguments) {
    let (titles, rules) = if arguments.chance {
        (" next cause, executions | by chance |", " --- | --- |")
    } else {
        ("", "")
    };
    println!(
        "| program | seed | faults found alone | causes | too many | not found | executions \
         |{titles}\n| --- | --- | --- | --- | --- | --- | --- |{rules}"
    );
    let (mut took, mut chance) = (0, 0);
    for program in programs {
        for seed in 0..arguments.seeds {
            let found = in_process::find(**program, seed, arguments.chance);
            let alone = alone(&found.shown);
            let sums = found.next.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            took += sums.0;
            chance += sums.1;
            let next = if arguments.chance {
                format!(" {} | {} |", sums.0, sums.1)
            } else {
                String::new()
            };
            println!(
                "| {} | {seed} | {} of {} | {} | {} | {} | {} |{next}",
                program.name,
                alone.len(),
                program.faults,
                found.shown.len(),
                found.shown.len() - alone.len(),
                missing(program, &alone),
                found.runs
            );
            if arguments.lines {
                found.lines.iter().for_each(|line| println!("    {line}"));
            }
        }
    }
    if arguments.chance {
        println!("\nAll: the next cause in {took} executions, by chance in {chance}.");
    }
}
