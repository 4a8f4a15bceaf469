//! How often random cases hit what is hard to hit, beside the peers in the same run.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin hits` runs twelve properties from
//! each of a hundred seeds, for at most 10,000 cases each, and prints the share of the seeds that
//! hit, and the median of the cases they took. Nothing is shrunk. Then it runs dwindle alone on
//! eight properties that reject nearly every case, with learning and without.

mod assumptions;
mod conditions;
mod learning;
mod ours;
mod with_hegeltest;
mod with_proptest;
mod tools;

use anyhow::{Result, ensure};
use clap::Parser;

use assumptions::{Assuming, FIRST, LATER};
use conditions::Property;
use learning::measure;
use tools::Tool;

/// Prints how often each property is hit.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many seeds for each property.
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// How many cases from each seed.
    #[arg(long, default_value_t = 10_000)]
    cases: u64,
    /// These properties only, separated by commas.
    #[arg(long, value_name = "PROPERTY", value_delimiter = ',')]
    only: Vec<String>,
    /// The tools to run.
    #[arg(long, value_delimiter = ',', default_value = "dwindle,proptest,hegeltest")]
    tools: Vec<Tool>,
}

impl Arguments {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    ensure!(arguments.seeds > 0 && arguments.cases > 0, "give at least one seed and one case");
    for name in &arguments.only {
        ensure!(
            all_names().contains(&name.as_str()),
            "{name} is none of the properties: {}",
            all_names().join(", ")
        );
    }
    let wanted: Vec<Property> =
        Property::ALL.into_iter().filter(|property| arguments.wants(property.name())).collect();
    // Panics are how a property fails in two of the tools.
    std::panic::set_hook(Box::new(|_| {}));

    if !wanted.is_empty() {
        print_hits(&wanted, &arguments);
    }
    for (title, properties) in [("for which learning was written", FIRST), ("made later", LATER)] {
        let properties = properties.into_iter().filter(|property| arguments.wants(property.name));
        let properties: Vec<Assuming> = properties.collect();
        if !properties.is_empty() {
            print_learning(title, &properties, &arguments);
        }
    }
    Ok(())
}

fn print_hits(wanted: &[Property], arguments: &Arguments) {
    println!(
        "Seeds of {} that hit within {} cases, and the median of the cases those took:\n",
        arguments.seeds, arguments.cases
    );
    let heads: Vec<&str> = arguments.tools.iter().map(|tool| tool.name()).collect();
    println!(
        "| property | what hits | {} |\n| --- | --- |{}",
        heads.join(" | "),
        " --- |".repeat(heads.len())
    );
    for property in wanted {
        let cells: Vec<String> =
            arguments.tools.iter().map(|tool| cell(*tool, *property, arguments)).collect();
        println!("| {} | {} | {} |", property.name(), property.what(), cells.join(" | "));
    }
}

fn print_learning(title: &str, properties: &[Assuming], arguments: &Arguments) {
    let Arguments { seeds, cases, .. } = *arguments;
    println!(
        "\nProperties {title}: of {cases} cases from each of {seeds} seeds, the share that was \
         accepted, the share of different accepted cases, and the seeds that showed a bug behind \
         the assumption / the median of the cases those took:\n\n\
         | property | assumes | the bug needs | accepted without learning | different | bug | \
         accepted with learning | different | bug | times |\n|{}",
        " --- |".repeat(10)
    );
    for property in properties {
        let without = measure(property, seeds, cases, false);
        let with = measure(property, seeds, cases, true);
        println!(
            "| {} | {} | {} | {} | {} | {:.1} |",
            property.name,
            property.what,
            property.bug,
            without.cells(),
            with.cells(),
            with.accepted as f64 / without.accepted.max(1) as f64
        );
    }
}

fn cell(tool: Tool, property: Property, arguments: &Arguments) -> String {
    let mut cases: Vec<u64> = (0..arguments.seeds)
        .filter_map(|seed| tool.cases_to_hit(property, seed, arguments.cases))
        .collect();
    cases.sort_unstable();
    match cases.get(cases.len() / 2) {
        Some(median) => format!("{} / {median}", cases.len()),
        None => "0".to_owned(),
    }
}

fn all_names() -> Vec<&'static str> {
    let assuming = FIRST.iter().chain(&LATER).map(|property| property.name);
    Property::ALL.into_iter().map(Property::name).chain(assuming).collect()
}
