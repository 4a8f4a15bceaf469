//! How often shrinks of bugs in real crates end at the true minimum.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml -p real -- --seeds 8` finds a failure of
//! each property from each seed, shrinks it with the budget of `dwindle::check`, and prints a
//! table. None of the crates was chosen by its shrinks.

mod crates;
mod minima;
mod property;
mod running;
mod simpler;
mod table;

use anyhow::{Result, ensure};
use clap::Parser;

/// Prints how often shrinks of real bugs end at the true minimum.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many seeds for each property.
    #[arg(long, default_value_t = 8)]
    seeds: u64,
    /// Only crates and properties whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Prints the simplest of a long search from each seed instead.
    #[arg(long)]
    search: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let properties: Vec<_> = property::ALL
        .iter()
        .filter(|property| format!("{} {}", property.of, property.name).contains(&arguments.only))
        .collect();
    ensure!(!properties.is_empty(), "no property is called {}", arguments.only);
    if arguments.search {
        for property in properties {
            minima::search(property, arguments.seeds);
        }
    } else {
        table::print(&properties, arguments.seeds);
    }
    Ok(())
}
