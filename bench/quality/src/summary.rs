//! What a tool came to over all seeds of a property.

use std::collections::BTreeMap;

use quality_properties::Property;
use quality_properties::probe::Measure;
use serde::Serialize;

/// Means over the seeds that found a failure.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Of how many seeds.
    pub seeds: usize,
    /// How many of them found a failure.
    pub found: usize,
    /// Choices of the first failure, where the tool says so.
    pub start_choices: Option<f64>,
    /// Size of the first failing value.
    pub start_size: f64,
    /// How many ended at the best known value.
    pub best: usize,
    /// Mean calls without those that exhaust.
    pub calls: f64,
    /// The most calls without those that exhaust.
    pub calls_max: u64,
    /// Mean calls that exhaust.
    pub calls_to_exhaust: f64,
    /// Size of the value it ended at.
    pub size: f64,
    /// Microseconds for each call outside the property.
    pub outside_micros: f64,
    /// The other values it ended at, and how often.
    pub missed: BTreeMap<String, usize>,
}

impl Summary {
    /// Of all seeds of `property`; `None` if none found a failure.
    pub fn of(property: Property, measures: &[Option<Measure>]) -> Option<Summary> {
        let found: Vec<&Measure> = measures.iter().flatten().collect();
        if found.is_empty() {
            return None;
        }
        let mean = |of: &dyn Fn(&Measure) -> f64| {
            found.iter().map(|measure| of(measure)).sum::<f64>() / found.len() as f64
        };
        let calls = |measure: &Measure| measure.calls - measure.calls_to_exhaust;
        let is_best = |measure: &Measure| property.best().contains(&&*measure.value);
        let mut missed = BTreeMap::new();
        for measure in found.iter().filter(|measure| !is_best(measure)) {
            *missed.entry(measure.value.clone()).or_default() += 1;
        }
        Some(Summary {
            seeds: measures.len(),
            found: found.len(),
            start_choices: found[0]
                .start_choices
                .map(|_| mean(&|measure| measure.start_choices.unwrap_or_default() as f64)),
            start_size: mean(&|measure| measure.start_size as f64),
            best: found.iter().filter(|measure| is_best(measure)).count(),
            calls: mean(&|measure| calls(measure) as f64),
            calls_max: found.iter().map(|measure| calls(measure)).max().unwrap_or_default(),
            calls_to_exhaust: mean(&|measure| measure.calls_to_exhaust as f64),
            size: mean(&|measure| measure.size as f64),
            outside_micros: mean(&|measure| measure.outside_nanos) / 1000.0,
            missed,
        })
    }

    /// How many of a hundred of the failures end at the best known value, rounded down so that 100
    /// means all.
    pub fn best_percent(&self) -> usize {
        self.best * 100 / self.found
    }
}
