//! How small the shrinker gets, in how many executions, beside the peers in the same run.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin quality` prints the table of all
//! properties. `--large` prints a second one from large starting values, `--scale` what becomes of
//! very large ones, `--cost` the instructions for each candidate. A goal that is missed says so in
//! its row.

mod allocations;
mod cost;
#[path = "../../../engine/tests/shrink_support/described.rs"]
mod described;
mod followed;
mod generators;
mod large;
mod left_out;
mod minima;
mod ours;
mod peers;
mod processors;
mod scale;
mod summary;
mod synthetic;
mod table;
mod vectors;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use dwindle_engine::internals::shrink::AROUND;
use quality_properties::Property;
use serde_json::json;

use peers::Peer;

/// Prints how well dwindle shrinks, beside its peers.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct Arguments {
    /// How many seeds for each property.
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// Prints JSON in place of tables.
    #[arg(long)]
    json: bool,
    /// These properties only, separated by commas; with `--synthetic`, these families.
    #[arg(long, value_name = "PROPERTY", value_delimiter = ',')]
    only: Vec<String>,
    /// The peers to run; an empty list runs none. Without it, all of them run, but none with
    /// --synthetic.
    #[arg(long, value_delimiter = ',', num_args = 0..)]
    peers: Option<Vec<Peer>>,
    /// The same large starting values for all that take them, in place of the first table.
    #[arg(long)]
    large: bool,
    /// Very large inputs, in place of the first table.
    #[arg(long)]
    scale: bool,
    /// Instructions for each candidate, in place of the first table.
    #[arg(long)]
    cost: bool,
    /// Fifteen described properties, in place of the first table.
    #[arg(long)]
    described: bool,
    /// Ten properties whose least failures are large, in place of the first table.
    #[arg(long)]
    large_minima: bool,
    /// This number of properties that a program makes, in place of the first table.
    #[arg(long, value_name = "PROPERTIES")]
    synthetic: Option<u64>,
    /// The seed of the properties that a program makes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many calls may search around the result of a made property or of a large minimum.
    #[arg(long, default_value_t = AROUND)]
    around: u64,
    /// Judges them together with the JSON of another version, and prints its shares, too.
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,
    /// Shrinks again without each pass and each kick, and prints what each brings. It works with
    /// --synthetic and --large-minima.
    #[arg(long)]
    ablation: bool,
    /// Shrinks again without all of these passes and kicks, separated by commas; may be given
    /// several times.
    #[arg(long, value_name = "PASSES")]
    without: Vec<String>,
    /// How many of the made properties with the lowest shares to show.
    #[arg(long, default_value_t = 0)]
    misses: usize,
    /// How many failures of each made property a peer looks for and shrinks.
    #[arg(long, default_value_t = 3)]
    peer_starts: u64,
    /// Only the made property of this number.
    #[arg(long)]
    number: Option<u64>,
    /// How callgrind starts this program again: a length and a number of calls.
    #[arg(long, hide = true, num_args = 2)]
    cost_run: Option<Vec<u64>>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some([length, calls_max]) = arguments.cost_run.as_deref() {
        cost::run(usize::try_from(*length)?, *calls_max);
        return Ok(());
    }
    let has_ablation = arguments.large_minima || arguments.synthetic.is_some();
    ensure!(
        has_ablation || (!arguments.ablation && arguments.without.is_empty()),
        "--ablation and --without need --synthetic or --large-minima"
    );
    if arguments.described {
        let rows = followed::measure(arguments.seeds, arguments.seed, &arguments.only);
        if arguments.json {
            println!("{}", serde_json::to_string_pretty(&rows)?);
        } else {
            followed::print(&rows, arguments.seeds);
        }
        return Ok(());
    }
    if arguments.large_minima {
        let starts = (arguments.seeds, arguments.seed);
        let sets = left_out::sets(arguments.ablation, &arguments.without)?;
        let rows = minima::measure(&[], starts, arguments.around);
        if arguments.json {
            println!("{}", serde_json::to_string_pretty(&rows)?);
        } else {
            minima::print(&rows, &sets, starts, arguments.around);
        }
        return Ok(());
    }
    if let Some(count) = arguments.synthetic {
        return synthetic(&arguments, count);
    }
    let asked = arguments.peers.clone().unwrap_or_else(|| Peer::value_variants().to_vec());
    let named = |name: &String| {
        Property::named(name)
            .with_context(|| format!("{name} is none of the properties: {}", names()))
    };
    let properties: Vec<Property> = if arguments.only.is_empty() {
        Property::ALL.to_vec()
    } else {
        arguments.only.iter().map(named).collect::<Result<_>>()?
    };
    let has_tables = !arguments.scale && !arguments.cost;
    let peers: Vec<Peer> = if has_tables { asked.clone() } else { Vec::new() };
    peers
        .iter()
        .filter(|peer| !arguments.large || **peer == Peer::Hypothesis)
        .try_for_each(|peer| peer.install())?;

    let table = if has_tables && !arguments.large {
        table::measure(&properties, &peers, arguments.seeds)?
    } else {
        Vec::new()
    };
    let large = if arguments.large {
        large::measure(&properties, &asked, arguments.seeds)?
    } else {
        Vec::new()
    };
    let scale = if arguments.scale { scale::measure() } else { Vec::new() };
    let cost = if arguments.cost { cost::measure()? } else { Vec::new() };
    if arguments.json {
        println!(
            "{}",
            serde_json::to_string_pretty(
                &json!({ "seeds": arguments.seeds, "table": table, "large": large,
                         "scale": scale, "cost": cost })
            )?
        );
        return Ok(());
    }
    if !table.is_empty() {
        table::print(&table, &peers, arguments.seeds);
    }
    if !large.is_empty() {
        large::print(&large, arguments.seeds);
    }
    if !scale.is_empty() {
        scale::print(&scale);
    }
    if !cost.is_empty() {
        cost::print(&cost);
    }
    Ok(())
}

fn synthetic(arguments: &Arguments, count: u64) -> Result<()> {
    let peers = arguments.peers.as_deref().unwrap_or_default();
    for peer in peers {
        ensure!(
            *peer == Peer::Hypothesis,
            "{} does not run made properties; of the peers, only hypothesis does",
            peer.name()
        );
        peer.install()?;
    }
    let sets = left_out::sets(arguments.ablation, &arguments.without)?;
    let seed = arguments.seed;
    let mut numbers = match arguments.number {
        Some(number) => vec![number],
        None => synthetic::numbers(count, &arguments.only)?,
    };
    let mut others = match &arguments.beside {
        Some(file) if !arguments.json => Some(synthetic::rows_of(file, &numbers, seed)?),
        _ => None,
    };
    if let Some(others) = &others {
        numbers = others.iter().map(|row| row.number).collect();
    }
    let mut rows = synthetic::measure(&numbers, seed, arguments.around);
    if !sets.is_empty() {
        synthetic::print_ablation(&rows, &sets, seed, arguments.around);
        return Ok(());
    }
    if let Some(others) = &mut others {
        synthetic::judge_together(&mut rows, others, seed)?;
    }
    // What dwindle did is printed even if the peer fails.
    let of_peer = if peers.is_empty() {
        Ok(())
    } else {
        synthetic::measure_hypothesis(&mut rows, seed, arguments.peer_starts)
    };
    if arguments.json {
        println!("{}", serde_json::to_string(&rows)?);
    } else {
        synthetic::print(&rows, others.as_deref(), seed, arguments.misses);
    }
    of_peer
}

fn names() -> String {
    Property::ALL.map(Property::name).join(", ")
}
