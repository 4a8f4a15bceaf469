//! How often random cases hit what is hard to hit, beside the peers in the same run.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin hits` runs twelve properties from
//! each of a hundred seeds, for at most 10,000 cases each, and prints the share of the seeds that
//! hit, and the median of the cases they took. Nothing is shrunk.

mod conditions;
mod ours;
mod with_hegeltest;
mod with_proptest;
mod tools;

use anyhow::{Result, ensure};
use clap::Parser;

use conditions::Property;
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

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    ensure!(arguments.seeds > 0 && arguments.cases > 0, "give at least one seed and one case");
    for name in &arguments.only {
        ensure!(
            Property::ALL.iter().any(|property| property.name() == name),
            "{name} is none of the properties: {}",
            names()
        );
    }
    let wanted: Vec<Property> = Property::ALL
        .into_iter()
        .filter(|property| {
            arguments.only.is_empty() || arguments.only.iter().any(|name| name == property.name())
        })
        .collect();
    // Panics are how a property fails in two of the tools.
    std::panic::set_hook(Box::new(|_| {}));

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
            arguments.tools.iter().map(|tool| cell(*tool, property, &arguments)).collect();
        println!("| {} | {} | {} |", property.name(), property.what(), cells.join(" | "));
    }
    Ok(())
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

fn names() -> String {
    Property::ALL.map(Property::name).join(", ")
}
