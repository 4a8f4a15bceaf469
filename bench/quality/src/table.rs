//! The first table: every tool from its own random failures.

use anyhow::Result;
use quality_properties::Property;
use serde::Serialize;

use crate::ours;
use crate::peers::Peer;
use crate::summary::Summary;

/// One property in every tool.
#[derive(Debug, Serialize)]
pub struct Row {
    property: &'static str,
    dwindle: Option<Summary>,
    peers: Vec<(Peer, Option<Summary>)>,
    misses: Vec<String>,
}

/// Runs all of it, property by property.
///
/// # Errors
/// If a peer's program fails.
pub fn measure(properties: &[Property], peers: &[Peer], seeds: u64) -> Result<Vec<Row>> {
    properties
        .iter()
        .map(|&property| {
            eprintln!("{}", property.name());
            let measures = (0..seeds)
                .map(|seed| ours::from_seed(property, seed))
                .collect::<Result<Vec<_>>>()?;
            let dwindle = Summary::of(property, &measures);
            let peers = peers
                .iter()
                .map(|&peer| {
                    Ok((peer, Summary::of(property, &peer.shrink_seeds(property, seeds)?)))
                })
                .collect::<Result<Vec<(Peer, Option<Summary>)>>>()?;
            let misses = misses(dwindle.as_ref(), &peers);
            Ok(Row { property: property.name(), dwindle, peers, misses })
        })
        .collect()
}

/// All seeds at the best known value, in no more calls than Hypothesis' plus ten.
fn misses(dwindle: Option<&Summary>, peers: &[(Peer, Option<Summary>)]) -> Vec<String> {
    let Some(dwindle) = dwindle else { return vec!["nothing fails".to_owned()] };
    let mut misses = Vec::new();
    if dwindle.found < dwindle.seeds {
        misses.push(format!(
            "{} of {} seeds find nothing",
            dwindle.seeds - dwindle.found,
            dwindle.seeds
        ));
    }
    if dwindle.best < dwindle.found {
        misses.push(format!("best: {} of {}", dwindle.best, dwindle.found));
    }
    if let Some((_, Some(hypothesis))) = peers.iter().find(|(peer, _)| *peer == Peer::Hypothesis)
        && dwindle.calls > hypothesis.calls + 10.0
    {
        misses.push(format!("calls: more than {:.0}", hypothesis.calls + 10.0));
    }
    misses
}

/// Prints what was measured, the goals, and what ended elsewhere.
pub fn print(rows: &[Row], peers: &[Peer], seeds: u64) {
    println!(
        "{seeds} seeds. `calls` are executions of the property after the first failing one, those \
         of exhaustion apart (mean, then the most)."
    );
    println!(
        "A peer's cell: best % / calls / max / size of the start / microseconds a call outside the \
         property."
    );
    println!();
    println!(
        "| property | best % | calls | max | exhaustion | start: choices | size | µs | {}misses |",
        heads(peers)
    );
    println!(
        "| --- | --- | --- | --- | --- | --- | --- | --- | {}--- |",
        "--- | ".repeat(peers.len())
    );
    for row in rows {
        print!("| {} |", row.property);
        match &row.dwindle {
            None => print!(" - | - | - | - | - | - | - |"),
            Some(d) => print!(
                " {} | {:.1} | {} | {:.1} | {:.0} | {:.0} | {:.1} |",
                d.best_percent(),
                d.calls,
                d.calls_max,
                d.calls_to_exhaust,
                d.start_choices.unwrap_or_default(),
                d.start_size,
                d.outside_micros
            ),
        }
        for (_, peer) in &row.peers {
            match peer {
                None => print!(" nothing fails |"),
                Some(p) => {
                    let found = if p.found < p.seeds {
                        format!(" ({} found)", p.found)
                    } else {
                        String::new()
                    };
                    print!(
                        " {}{found} / {:.1} / {} / {:.0} / {:.0} |",
                        p.best_percent(),
                        p.calls,
                        p.calls_max,
                        p.start_size,
                        p.outside_micros
                    );
                }
            }
        }
        println!(" {} |", row.misses.join("; "));
    }
    print_totals(rows);
    print_paper(rows, peers);
    println!();
    for row in rows {
        for (value, count) in row.dwindle.iter().flat_map(|summary| &summary.missed) {
            println!("dwindle ended {} {count} times at {value}", row.property);
        }
    }
}

fn cells(cells: impl Iterator<Item = String>) -> String {
    cells.flat_map(|cell| [cell, " | ".to_owned()]).collect()
}

fn heads(peers: &[Peer]) -> String {
    cells(peers.iter().map(|peer| peer.name().to_owned()))
}

fn print_totals(rows: &[Row]) {
    const CALLS_MAX: f64 = 650.0;
    const WITH_EXHAUSTION_MAX: f64 = 800.0;
    let fourteen: Vec<&Row> =
        rows.iter().filter(|row| row.property != Property::Parser.name()).collect();
    if fourteen.len() + 1 < Property::ALL.len() {
        return;
    }
    let sum =
        |of: &dyn Fn(&Row) -> Option<f64>| fourteen.iter().filter_map(|row| of(row)).sum::<f64>();
    let calls = sum(&|row| row.dwindle.as_ref().map(|summary| summary.calls));
    let all = calls + sum(&|row| row.dwindle.as_ref().map(|summary| summary.calls_to_exhaust));
    let said = |value: f64, max: f64| if value <= max { "met" } else { "MISSED" };
    println!();
    println!(
        "Total of the mean calls over the fourteen: {calls:.0} (goal: at most {CALLS_MAX}, {})",
        said(calls, CALLS_MAX)
    );
    println!(
        "with exhaustion: {all:.0} (goal: at most {WITH_EXHAUSTION_MAX}, {})",
        said(all, WITH_EXHAUSTION_MAX)
    );
    for (at, (peer, _)) in fourteen[0].peers.iter().enumerate() {
        let found: Vec<f64> =
            fourteen.iter().filter_map(|row| Some(row.peers[at].1.as_ref()?.calls)).collect();
        println!(
            "{}: {:.0} over {} of the fourteen",
            peer.name(),
            found.iter().sum::<f64>(),
            found.len()
        );
    }
}

/// Sizes and calls in Figures 13 and 14 of `MacIver` and Donaldson 2020: Hypothesis, `QuickCheck`;
/// `SmartCheck`'s sizes.
const PAPER: [(Property, &str); 5] = [
    (Property::Binheap, "9.02 / 170 | 9.00 / 88 | 9.42 |"),
    (Property::Bound5Unbounded, "2.08 / 95 | 11.30 / 1439 | 6.02 |"),
    (Property::Calculator, "5.00 / 72 | 5.11 / 31 | 5.00 |"),
    (Property::Parser, "3.31 / 127 | 3.99 / 34 | 4.08 |"),
    (Property::Reverse, "2.00 / 51 | 2.00 / 18 | 2.00 |"),
];

fn print_paper(rows: &[Row], peers: &[Peer]) {
    println!();
    println!(
        "SmartCheck's benchmarks, mean size / mean calls, beside the paper's Figures 13 and 14:"
    );
    println!();
    println!(
        "| benchmark | dwindle | {}paper: Hypothesis | QuickCheck | SmartCheck |",
        heads(peers)
    );
    println!("| --- | --- | {}--- | --- | --- |", "--- | ".repeat(peers.len()));
    let cell = |summary: Option<&Summary>| {
        summary.map_or_else(
            || "-".to_owned(),
            |s| format!("{:.2} / {:.0}", s.size, s.calls + s.calls_to_exhaust),
        )
    };
    for (property, paper) in PAPER {
        if let Some(row) = rows.iter().find(|row| row.property == property.name()) {
            let peers = cells(row.peers.iter().map(|(_, peer)| cell(peer.as_ref())));
            println!("| {} | {} | {peers}{paper}", property.name(), cell(row.dwindle.as_ref()));
        }
    }
}
