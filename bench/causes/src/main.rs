//! How many of the faults behind one assertion are found as causes, each alone.

mod in_process;

use anyhow::{Result, ensure};
use clap::Parser;

use causes::program::Program;
use causes::{first, later};
use in_process::find;

/// Prints how many faults behind one assertion are found as causes.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many seeds of each program.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// These programs only, separated by commas.
    #[arg(long, value_name = "PROGRAM", value_delimiter = ',')]
    program: Vec<String>,
    /// Prints the causes, too.
    #[arg(long)]
    lines: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    ensure!(arguments.seeds > 0, "give at least one seed");
    let all: Vec<Program> = first::ALL.iter().chain(later::ALL).copied().collect();
    for name in &arguments.program {
        ensure!(all.iter().any(|program| program.name == name), "{name} is none of the programs");
    }
    println!(
        "| program | seed | faults found alone | causes | too many | executions | next cause, \
         executions | by chance |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let (mut took, mut chance) = (0, 0);
    for program in all {
        if !arguments.program.is_empty() && !arguments.program.iter().any(|n| n == program.name) {
            continue;
        }
        for seed in 0..arguments.seeds {
            let found = find(program, seed);
            let mut alone: Vec<u32> =
                found.shown.iter().filter(|shown| shown.len() == 1).map(|shown| shown[0]).collect();
            alone.sort_unstable();
            alone.dedup();
            let sums = found.next.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            took += sums.0;
            chance += sums.1;
            println!(
                "| {} | {seed} | {} of {} | {} | {} | {} | {} | {} |",
                program.name,
                alone.len(),
                program.faults,
                found.shown.len(),
                found.shown.len() - alone.len(),
                found.runs,
                sums.0,
                sums.1
            );
            if arguments.lines {
                let missing: Vec<u32> =
                    (0..program.faults).filter(|fault| !alone.contains(fault)).collect();
                println!("    not found: {missing:?}");
                for (at, line) in found.lines.iter().enumerate() {
                    let next = at.checked_sub(1).and_then(|at| found.next.get(at));
                    println!("    {next:?} {line}");
                }
            }
        }
    }
    println!("\nAll: the next cause in {took} executions, by chance in {chance}.");
    Ok(())
}
