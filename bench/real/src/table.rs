//! The table: where the shrinks of each property end, and after how many calls.

use std::collections::BTreeMap;

use dwindle_engine::internals::shrink::{AROUND, THOROUGH};

use crate::minima;
use crate::property::Property;
use crate::running::Running;

/// Measures each property and prints its row.
pub fn print(properties: &[&Property], seeds: u64) {
    println!(
        "| crate | property | fixed in | minimum | shown by | best % | calls | behind | \
         other ends |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut shares = 0.0;
    for property in properties {
        shares += row(property, seeds);
    }
    println!("\nMean share {:.1} %.", shares / properties.len() as f64);
}

/// Returns the share of the seeds that end at a minimum, in percent.
fn row(property: &Property, seeds: u64) -> f64 {
    let mut running = Running::new(property.run);
    let (mut found, mut best, mut calls, mut behind) = (0_u32, 0_u32, 0, 0);
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 1..=seeds {
        let Some((start, origin)) = running.find(seed) else { continue };
        let shrunk = running.shrink(&start, origin, AROUND - THOROUGH);
        found += 1;
        calls += shrunk.calls_to_fixpoint;
        behind += shrunk.calls - shrunk.calls_to_fixpoint;
        let end = running.value(&shrunk.best);
        if property.minima.contains(&end.as_str()) {
            best += 1;
        } else {
            *others.entry(end).or_default() += 1;
        }
    }
    let others: Vec<String> =
        others.iter().map(|(end, count)| format!("{count} x `{end}`")).collect();
    let minima: Vec<String> = property.minima.iter().map(|end| format!("`{end}`")).collect();
    let share = 100.0 * f64::from(best) / seeds as f64;
    let mean = |sum: u64| sum as f64 / f64::from(found.max(1));
    println!(
        "| {} | {} | {} | {} | {} | {share:.0}{} | {:.1} | {:.1} | {} |",
        property.of,
        property.name,
        property.fix,
        minima.join(", "),
        shown(property),
        if u64::from(best) == seeds { "" } else { " (missed)" },
        mean(calls),
        mean(behind),
        others.join(", "),
    );
    share
}

fn shown(property: &Property) -> String {
    let (proven, of) = (property.tried.proven, property.minima.len());
    let cases = minima::proven(property).cases;
    match proven {
        0 => "best known".into(),
        _ if proven == of => format!("{cases} simpler cases"),
        _ => format!("{cases} simpler cases for the first, the others best known"),
    }
}
