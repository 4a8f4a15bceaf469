//! The second table: the same large starting values for all who let us give them one.

use anyhow::Result;
use quality_properties::Property;
use serde::Serialize;

use crate::ours;
use crate::peers::Peer;
use crate::summary::Summary;

/// One property from large values.
#[derive(Debug, Serialize)]
pub struct Row {
    property: &'static str,
    calls_max: Option<f64>,
    dwindle: Option<Summary>,
    hypothesis: Option<Summary>,
    misses: Vec<String>,
}

/// The mean calls allowed, which are those of Hypothesis when this was set as a goal.
fn calls_max(property: Property) -> Option<f64> {
    match property {
        Property::Reverse => Some(41.0),
        Property::Distinct => Some(69.0),
        Property::Deletion => Some(90.0),
        Property::Coupling => Some(68.0),
        Property::Lengthlist => Some(128.0),
        Property::Nestedlists => Some(306.0),
        Property::LargeUnionList => Some(341.0),
        Property::Bound5 => Some(139.0),
        Property::Bound5Unbounded => Some(422.0),
        Property::Calculator => Some(117.0),
        Property::Binheap => Some(193.0),
        Property::DifferenceZero
        | Property::DifferenceSmall
        | Property::DifferenceOne
        | Property::Parser => None,
    }
}

/// Runs all of it.
///
/// # Errors
/// If a peer's program fails.
pub fn measure(properties: &[Property], peers: &[Peer], seeds: u64) -> Result<Vec<Row>> {
    // Ten failures of two integers that have to be equal take too long to find at random, and their
    // starts are all of one size.
    let is_found = |property: &&Property| {
        !matches!(
            property,
            Property::DifferenceZero | Property::DifferenceSmall | Property::DifferenceOne
        )
    };
    properties.iter().filter(is_found).map(|&property| row(property, peers, seeds)).collect()
}

fn row(property: Property, peers: &[Peer], seeds: u64) -> Result<Row> {
    eprintln!("{} (large)", property.name());
    let (mut starts, mut measures) = (String::new(), Vec::new());
    for (trace, value) in (0..seeds).filter_map(|seed| ours::largest(property, seed)) {
        starts += &value;
        starts.push('\n');
        measures.push(ours::from_trace(property, &trace));
    }
    let dwindle = Summary::of(property, &measures);
    let is_encoded = peers.contains(&Peer::Hypothesis) && property != Property::Parser;
    let hypothesis = if is_encoded {
        Summary::of(property, &Peer::Hypothesis.shrink_values(property, &starts)?)
    } else {
        None
    };
    let calls_max = calls_max(property);
    let mut misses = Vec::new();
    match &dwindle {
        None => misses.push("nothing fails".to_owned()),
        Some(summary) => {
            if summary.best < summary.seeds {
                misses.push(format!("best: {} of {}", summary.best, summary.seeds));
            }
            if let Some(max) = calls_max.filter(|max| summary.calls > *max) {
                misses.push(format!("calls: more than {max}"));
            }
        }
    }
    Ok(Row { property: property.name(), calls_max, dwindle, hypothesis, misses })
}

/// Prints what was measured.
pub fn print(rows: &[Row], seeds: u64) {
    println!();
    println!(
        "Large starts: the largest of ten failures found at random, {seeds} seeds; the same values \
         encoded for Hypothesis. The goal is in mean calls."
    );
    println!();
    println!(
        "| property | start: size | choices | best % | calls | max | exhaustion | goal | \
         hypothesis: choices | best % | calls | max | misses |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for row in rows {
        let Some(d) = &row.dwindle else { continue };
        let goal = row.calls_max.map_or_else(|| "-".to_owned(), |max| max.to_string());
        print!(
            "| {} | {:.0} | {:.0} | ",
            row.property,
            d.start_size,
            d.start_choices.unwrap_or_default()
        );
        print!(
            "{} | {:.1} | {} | {:.1} | {goal} | ",
            d.best_percent(),
            d.calls,
            d.calls_max,
            d.calls_to_exhaust
        );
        match &row.hypothesis {
            None => print!("- | - | - | - |"),
            Some(h) => print!(
                "{:.0} | {} | {:.1} | {} |",
                h.start_choices.unwrap_or_default(),
                h.best_percent(),
                h.calls,
                h.calls_max
            ),
        }
        println!(" {} |", row.misses.join("; "));
    }
    println!();
    for row in rows {
        for (value, count) in row.dwindle.iter().flat_map(|summary| &summary.missed) {
            println!("dwindle ended {} (large) {count} times at {value}", row.property);
        }
    }
}
