//! Whether claims about minimized failures hold, and how many failures they cover.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml -p claims` finds a failure of each of
//! forty properties from each of three seeds, shrinks it, and looks for claims about it. Then it
//! judges the claims: it draws a thousand fresh inputs of the claimed class and runs them, and
//! it looks for independent failures at random and counts those in the class.

mod first;
mod later;
mod measure;
mod property;

use anyhow::{Result, ensure};
use clap::Parser;
use fastrand::Rng;

use measure::{Judged, judge};
use property::Property;

/// Prints how good the claims are.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many failures of each property.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// How many fresh inputs of each class.
    #[arg(long, default_value_t = 1000)]
    inputs: u64,
    /// These properties only, separated by commas.
    #[arg(long, value_name = "PROPERTY", value_delimiter = ',')]
    only: Vec<String>,
    /// Prints the claims, too.
    #[arg(long)]
    lines: bool,
}

/// A property and the claims about its failures.
struct Row {
    name: &'static str,
    judged: Vec<Judged>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    ensure!(arguments.seeds > 0 && arguments.inputs > 0, "give at least one seed and one input");
    let all = [("made first", first::ALL), ("made later", later::ALL)];
    for name in &arguments.only {
        ensure!(
            all.iter().any(|(_, properties)| properties.iter().any(|one| one.name == name)),
            "{name} is none of the properties"
        );
    }
    let mut sums = Vec::new();
    for (title, properties) in all {
        let wanted = properties.iter().filter(|property| {
            arguments.only.is_empty() || arguments.only.iter().any(|name| name == property.name)
        });
        let rows: Vec<Row> = print_properties(title, wanted, &arguments);
        sums.push((title, rows));
    }
    for (title, rows) in &sums {
        print_sum(title, &rows.iter().collect::<Vec<_>>());
    }
    print_sum("all", &sums.iter().flat_map(|(_, rows)| rows).collect::<Vec<_>>());
    Ok(())
}

fn print_properties<'a>(
    title: &str,
    properties: impl Iterator<Item = &'a Property>,
    arguments: &Arguments,
) -> Vec<Row> {
    println!(
        "\nProperties {title}, {} failures each:\n\n| property | fails if | fresh inputs that \
         fail | independent failures covered | runs, most | traps called free | passing input |\n\
         | --- | --- | --- | --- | --- | --- | --- |",
        arguments.seeds
    );
    let mut rows = Vec::new();
    for property in properties {
        let judged: Vec<Judged> = (0..arguments.seeds)
            .filter_map(|seed| judge(property, seed, arguments.inputs))
            .collect();
        let row = Row { name: property.name, judged };
        let (failed, of) = row.fresh();
        println!(
            "| {} | {} | {} | {:.2} | {} | {} | {} |",
            row.name,
            property.fails,
            if of == 0 { "nothing claimed".to_owned() } else { format!("{failed} of {of}") },
            row.recall(),
            row.judged.iter().map(|judged| judged.runs).max().unwrap_or(0),
            row.judged.iter().map(|judged| judged.caught.len()).sum::<usize>(),
            row.judged.iter().filter(|judged| judged.has_passing).count(),
        );
        if arguments.lines {
            row.judged.iter().for_each(print_lines);
        }
        rows.push(row);
    }
    rows
}

fn print_lines(judged: &Judged) {
    let cut = if judged.was_cut { ", cut by the budget" } else { "" };
    println!(
        "    {} in {} runs{cut}; fresh {:?}, unjudged {}, covered {:?} {:?}",
        judged.minimized, judged.runs, judged.fresh, judged.unjudged, judged.covered, judged.caught
    );
    for line in &judged.lines {
        println!("      {line}");
    }
}

impl Row {
    /// The fresh inputs of all classes that are wider than one input: those that failed, and all.
    fn fresh(&self) -> (u64, u64) {
        let wider = self.judged.iter().filter(|judged| judged.is_wider);
        wider.fold((0, 0), |sum, judged| (sum.0 + judged.fresh.0, sum.1 + judged.fresh.1))
    }

    fn recall(&self) -> f64 {
        let shares = self.judged.iter().map(|judged| {
            let (covered, of) = judged.covered;
            covered as f64 / of.max(1) as f64
        });
        shares.sum::<f64>() / self.judged.len().max(1) as f64
    }
}

fn print_sum(title: &str, rows: &[&Row]) {
    let fresh: Vec<(u64, u64)> =
        rows.iter().map(|row| row.fresh()).filter(|(_, of)| *of > 0).collect();
    let share = |fresh: &mut dyn Iterator<Item = (u64, u64)>| {
        let (failed, of) = fresh.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        failed as f64 / of.max(1) as f64
    };
    // Inputs of one property are alike, so whole properties are drawn again.
    let mut rng = Rng::with_seed(0);
    let mut again: Vec<f64> = (0..2000)
        .map(|_| share(&mut (0..fresh.len()).map(|_| fresh[rng.usize(..fresh.len())])))
        .collect();
    again.sort_by(f64::total_cmp);
    let mut recalls: Vec<f64> = rows.iter().map(|row| row.recall()).collect();
    recalls.sort_by(f64::total_cmp);
    let judged = || rows.iter().flat_map(|row| &row.judged);
    let mut runs: Vec<u64> = judged().map(|judged| judged.runs).collect();
    runs.sort_unstable();
    println!(
        "\n{title}: {} properties, {} failures, {} of them with a class wider than one input. \
         Precision {:.4}, 95 % interval from {:.4}. Recall, median of properties: {:.2}. Traps \
         called free: {}. Runs: median {}, most {}. Passing input found for {}.",
        rows.len(),
        runs.len(),
        judged().filter(|judged| judged.is_wider).count(),
        share(&mut fresh.iter().copied()),
        again.get(again.len() / 40).copied().unwrap_or(0.0),
        recalls.get(recalls.len() / 2).copied().unwrap_or(0.0),
        judged().map(|judged| judged.caught.len()).sum::<usize>(),
        runs.get(runs.len() / 2).copied().unwrap_or(0),
        runs.last().copied().unwrap_or(0),
        judged().filter(|judged| judged.has_passing).count(),
    );
}
