//! How small the shrinker gets on properties that a program makes. Nobody can tune to these.

mod ablation;
mod best;
mod condition;
mod hypothesis;
mod machine;
mod made;
mod plan;
mod shape;
mod statistic;
mod table;
mod value;

use std::path::Path;

use anyhow::{Context, Result};
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::shrink::{Around, Budget, CAPPED, Shrunk, THOROUGH, shrink_without};
use dwindle_engine::internals::{Trace, order};
use serde::{Deserialize, Serialize};

use self::made::{Made, Running};
use crate::ours::FAILED;
use crate::processors::on_all_processors;

pub use self::ablation::print as print_ablation;
pub use self::hypothesis::measure as measure_hypothesis;
pub use self::table::print;

/// What was measured of one property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The number of the property.
    pub number: u64,
    /// The family of its values.
    pub family: String,
    /// The family of its condition.
    pub condition: String,
    /// How it draws, and when it fails.
    pub shown: String,
    /// The shrink of each failing case.
    pub ends: Vec<Ended>,
    /// The best known, as bytes.
    pub best: Vec<u8>,
    /// The value of the best known.
    pub best_value: String,
    /// Whether all simpler cases were tried.
    pub is_proven: bool,
    /// The shrinks of Hypothesis, if it ran and found failures.
    #[serde(default)]
    pub hypothesis: Vec<hypothesis::Ended>,
    /// Whether the best known has a place in Hypothesis' order.
    #[serde(default)]
    pub is_drawn_by_hypothesis: bool,
}

/// Where a shrink ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ended {
    /// Its choices, as bytes.
    pub bytes: Vec<u8>,
    /// How many choices there are.
    pub choices: usize,
    /// The calls up to the fixpoint.
    pub calls: u64,
    /// The calls behind it.
    pub calls_behind: u64,
    /// Whether this is the best known.
    pub is_best: bool,
    /// The value.
    pub value: String,
}

/// Measures these properties, on all processors. A shrink may make `around` calls behind its
/// fixpoint.
pub fn measure(numbers: &[u64], seed: u64, around: u64) -> Vec<Row> {
    on_all_processors(numbers, |number| measure_one(seed, *number, around))
}

/// A shrink of one start without some passes. It may make `around` calls behind its fixpoint.
fn shrunk(left_out: &[String], start: &Trace, around: u64, running: &mut Running<'_>) -> Shrunk {
    let budget = Budget {
        calls_max: 100_000,
        exhaust_max: around.clamp(CAPPED, THOROUGH),
        around: Some(Around { calls_max: around.saturating_sub(THOROUGH), stop: &mut || false }),
        stop: &mut || false,
    };
    let left_out: Vec<&str> = left_out.iter().map(String::as_str).collect();
    shrink_without(&left_out, start, FAILED, running, budget, &mut |_, _| {})
}

fn measure_one(seed: u64, number: u64, around: u64) -> Row {
    let (made, starts) = Made::new(seed, number);
    let mut running = Running::new(&made);
    let mut traces: Vec<Trace> = Vec::new();
    let mut ends: Vec<Ended> = Vec::new();
    for start in &starts {
        let shrunk = shrunk(&[], start, around, &mut running);
        let bytes = encode(&shrunk.best.choices);
        let (trace, value) = running.decode(&bytes).expect("what was shrunk fails from bytes");
        ends.push(Ended {
            bytes,
            choices: trace.len(),
            calls: shrunk.calls_to_fixpoint,
            calls_behind: shrunk.calls - shrunk.calls_to_fixpoint,
            is_best: false,
            value: value.to_string(),
        });
        traces.push(trace);
    }
    let best = best::best(&made, &traces);
    for (ended, trace) in ends.iter_mut().zip(&traces) {
        ended.is_best = order::compare(&trace.choices, &best.trace.choices).is_le();
    }
    let bytes = encode(&best.trace.choices);
    let (_, best_value) = running.decode(&bytes).expect("the best fails from bytes");
    Row {
        number,
        family: plan::FAMILIES[made.family].to_owned(),
        condition: made.condition.family().to_owned(),
        shown: made.shown(),
        ends,
        best: bytes,
        best_value: best_value.to_string(),
        is_proven: best.is_proven,
        hypothesis: Vec::new(),
        is_drawn_by_hypothesis: false,
    }
}

/// The numbers of the first `count` properties whose family is one of `families`, or of all of
/// them.
///
/// # Errors
/// If there is no such family.
pub fn numbers(count: u64, families: &[String]) -> Result<Vec<u64>> {
    for family in families {
        anyhow::ensure!(
            plan::FAMILIES.contains(&family.as_str()),
            "there is no family {family}; there are {}",
            plan::FAMILIES.join(", ")
        );
    }
    let family = |number: u64| plan::FAMILIES[(number % plan::FAMILIES.len() as u64) as usize];
    let is_asked =
        |number: &u64| families.is_empty() || families.iter().any(|asked| asked == family(*number));
    Ok((0..count).filter(is_asked).collect())
}

/// The rows that another version printed for these properties of this seed. Where the two versions
/// make other random cases, some properties differ; those are left out.
///
/// # Errors
/// If the file cannot be read, or holds other properties.
pub fn rows_of(file: &Path, numbers: &[u64], seed: u64) -> Result<Vec<Row>> {
    let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut rows: Vec<Row> = serde_json::from_slice(&text)
        .with_context(|| format!("{} is not what --json prints", file.display()))?;
    rows.retain(|row| {
        numbers.contains(&row.number) && row.shown == Made::new(seed, row.number).0.shown()
    });
    anyhow::ensure!(
        rows.len() * 10 >= numbers.len() * 9,
        "only {} of these {} properties are in {}; was it made from another seed?",
        rows.len(),
        numbers.len(),
        file.display()
    );
    Ok(rows)
}

/// Judges the rows of this run and those of another version by the best that either knows.
///
/// # Errors
/// If a result does not fail any more.
pub fn judge_together(rows: &mut [Row], others: &mut [Row], seed: u64) -> Result<()> {
    for (row, other) in rows.iter_mut().zip(others) {
        let (made, _) = Made::new(seed, row.number);
        let mut running = Running::new(&made);
        let mut decode =
            |bytes: &[u8]| running.decode(bytes).context("a result does not fail any more");
        let (ours, theirs) = (decode(&row.best)?.0, decode(&other.best)?.0);
        let best = if order::compare(&ours.choices, &theirs.choices).is_le() {
            ours
        } else {
            row.best.clone_from(&other.best);
            row.best_value.clone_from(&other.best_value);
            theirs
        };
        for ended in row.ends.iter_mut().chain(&mut other.ends) {
            let trace = decode(&ended.bytes)?.0;
            ended.is_best = order::compare(&trace.choices, &best.choices).is_le();
        }
    }
    Ok(())
}
