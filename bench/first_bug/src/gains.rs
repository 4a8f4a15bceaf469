//! What runs cover and find in given amounts of processor time.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt::{self, Write};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::arm::Arm;
use crate::budgets::Stage;
use crate::build::Built;
use crate::coverage::{Covered, Lines};
use crate::run::{Goal, Order};
use crate::statistics::{Pair, Sample, geometric_mean, median};
use crate::target::Target;

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Gain {
    pub target: String,
    pub arm: Arm,
    pub seed: u64,
    /// One for each budget.
    pub steps: Vec<Step>,
}

/// What a run has when a budget is used up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    pub processor_seconds: f64,
    #[serde(flatten)]
    pub covered: Covered,
    /// The places of the failures so far.
    pub places: BTreeSet<String>,
}

/// The source lines of the edges of all binaries.
pub struct Sources(BTreeMap<(&'static str, bool), Lines>);

impl Sources {
    pub fn read(built: &Built, targets: &[Target], arms: &[Arm]) -> Result<Sources> {
        let mut sources = BTreeMap::new();
        for target in targets {
            for arm in arms {
                if let Entry::Vacant(entry) = sources.entry((target.name, arm.is_dwindle())) {
                    entry.insert(Lines::read(&built.binary(*target, arm)?, target.of)?);
                }
            }
        }
        Ok(Sources(sources))
    }
}

impl Gain {
    pub fn of(
        built: &Built,
        sources: &Sources,
        target: Target,
        arm: &Arm,
        seed: u64,
        budgets: &[f64],
    ) -> Result<Gain> {
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let goal = Goal::Budgets(budgets.to_vec());
        let order = Order::new(built, target, arm, seed, scratch.path(), goal)?;
        let stages: Vec<Stage> = order.carry_out()?;
        let lines = &sources.0[&(target.name, arm.is_dwindle())];
        let binary = built.binary(target, arm)?;
        let mut steps = Vec::new();
        for (stage, processor_seconds) in stages.into_iter().zip(budgets.iter().copied()) {
            let corpus = scratch.path().join(&stage.corpus);
            let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
            let covered = lines.covered_by(&binary, &corpus, scratch.path())?;
            steps.push(Step { processor_seconds, covered, places: stage.places });
        }
        Ok(Gain { target: target.name.to_owned(), arm: arm.clone(), seed, steps })
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}, seed {}:", self.target, self.arm, self.seed)?;
        for Step { processor_seconds, covered, places } in &self.steps {
            let Covered { lines, edges } = covered;
            let bugs = places.len();
            write!(f, " {processor_seconds} s: {lines} lines, {edges} edges, {bugs} bugs;")?;
        }
        Ok(())
    }
}

/// Medians over the seeds for each target and arm, and the means over the targets, as Markdown.
pub fn table(targets: &[Target], arms: &[Arm], gains: &[Gain], budgets: &[f64]) -> String {
    let mut table = "| target | crate | arm |".to_owned();
    for budget in budgets {
        let _ = write!(table, " lines, {budget} s | edges | bugs | all seeds |");
    }
    let rule = " --- | --- | --- | --- |".repeat(budgets.len());
    let _ = writeln!(table, "\n| --- | --- | --- |{rule}");
    for target in targets {
        for arm in arms {
            let _ = write!(table, "| `{}` | {} | {arm} |", target.name, target.of);
            for index in 0..budgets.len() {
                let steps = steps(gains, target, arm, index);
                let middle = |figure: fn(&Step) -> usize| median(&samples(&steps, figure)).value;
                let all: BTreeSet<_> = steps.iter().flat_map(|step| &step.places).collect();
                let _ = write!(
                    table,
                    " {} | {} | {} | {} |",
                    middle(|step| step.covered.lines),
                    middle(|step| step.covered.edges),
                    middle(|step| step.places.len()),
                    all.len()
                );
            }
            table.push('\n');
        }
    }
    table.push('\n');
    for (index, budget) in budgets.iter().enumerate() {
        for arm in arms {
            let of = |target| steps(gains, target, arm, index);
            let bugs = |target| median(&samples(&of(target), |step| step.places.len())).value;
            let sum: f64 = targets.iter().map(bugs).sum();
            let _ = writeln!(table, "bugs after {budget} s, {arm}, sum of the medians: {sum}");
        }
        for arm in arms {
            let Some(base) = arm.base() else { continue };
            // A ratio needs at least one line.
            let of = |target, arm| {
                samples(&steps(gains, target, arm, index), |step| step.covered.lines.max(1))
            };
            let pairs = targets
                .iter()
                .map(|target| Pair { over: of(target, &base), under: of(target, arm) });
            if let Some(mean) = geometric_mean(&pairs.collect::<Vec<_>>()) {
                let _ = writeln!(
                    table,
                    "lines after {budget} s, {base} over {arm}: {:.3}, 95 % interval {:.3} to \
                     {:.3}, {} targets",
                    mean.value, mean.interval[0], mean.interval[1], mean.targets
                );
            }
        }
    }
    table
}

fn steps<'a>(gains: &'a [Gain], target: &Target, arm: &Arm, index: usize) -> Vec<&'a Step> {
    gains
        .iter()
        .filter(|gain| gain.target == target.name && gain.arm == *arm)
        .filter_map(|gain| gain.steps.get(index))
        .collect()
}

fn samples(steps: &[&Step], figure: impl Fn(&Step) -> usize) -> Vec<Sample> {
    steps.iter().map(|step| Sample { value: figure(step) as f64, is_found: true }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::TARGETS;

    #[test]
    fn bugs_of_all_seeds_are_counted_once() {
        let arms = Arm::all(&[], true, false);
        let gain = |arm: &Arm, seed, lines, places: &[&str]| Gain {
            target: TARGETS[0].name.to_owned(),
            arm: arm.clone(),
            seed,
            steps: vec![Step {
                processor_seconds: 10.0,
                covered: Covered { lines, edges: 2 * lines },
                places: places.iter().map(|place| (*place).to_owned()).collect(),
            }],
        };
        let gains = [
            gain(&arms[0], 1, 30, &["a", "b"]),
            gain(&arms[0], 2, 40, &["b", "c"]),
            gain(&arms[1], 1, 70, &[]),
            gain(&arms[1], 2, 70, &["a"]),
        ];
        let table = table(&TARGETS[..1], &arms[..2], &gains, &[10.0]);
        let start = format!("| `{}` | {} |", TARGETS[0].name, TARGETS[0].of);
        for line in [
            format!("{start} dwindle | 35 | 70 | 2 | 3 |"),
            format!("{start} stock | 70 | 140 | 0.5 | 1 |"),
            "lines after 10 s, dwindle over stock: 0.500, ".to_owned(),
            "bugs after 10 s, dwindle, sum of the medians: 2\n".to_owned(),
            "bugs after 10 s, stock, sum of the medians: 0.5\n".to_owned(),
        ] {
            assert!(table.contains(&line), "{line}\n{table}");
        }
    }
}
