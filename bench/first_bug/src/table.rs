//! What all runs say together, as Markdown.

use std::fmt::Write;

use crate::arm::{Arm, Engine};
use crate::run::Run;
use crate::statistics::{Pair, Sample, geometric_mean, median};
use crate::target::Target;

/// Medians of each target and arm, and the means over the targets.
pub fn table(targets: &[Target], arms: &[Arm], runs: &[Run], limit: f64) -> String {
    let mut table = String::from(
        "| target | crate | arm | found | executions | processor s | from | to | wall s | ratio \
         |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for target in targets {
        for arm in arms {
            let of = |arm: &Arm| runs_of(runs, target, arm);
            let here = of(arm);
            let seconds = seconds(&here, limit);
            let found = here.iter().filter(|run| run.cost.is_found).count();
            let ratio = match arm.base() {
                None => String::new(),
                Some(base) => pair(&of(&base), &here, limit)
                    .ratio()
                    .map_or_else(|| "unknown".to_owned(), |ratio| format!("{ratio:.2}")),
            };
            let values = || seconds.iter().map(|sample| sample.value);
            let _ = writeln!(
                table,
                "| `{}` | {} | {arm} | {found} of {} | {} | {} | {:.2} | {:.2} | {} | {ratio} |",
                target.name,
                target.of,
                here.len(),
                shown(&samples(&here, |run| run.cost.executions as f64), 0),
                shown(&seconds, 2),
                values().fold(f64::INFINITY, f64::min),
                values().fold(0.0, f64::max),
                shown(&samples(&here, |run| run.cost.wall_seconds), 2),
            );
        }
    }
    table.push('\n');
    for arm in arms {
        let Some(base) = arm.base() else { continue };
        for (what, value) in FIGURES {
            let pairs = pairs(targets, arm, &base, runs, limit, value);
            let _ = match geometric_mean(&pairs) {
                Some(mean) => writeln!(
                    table,
                    "{what}, {base} over {arm}: {:.2}, 95 % interval {:.2} to {:.2}, {} targets",
                    mean.value, mean.interval[0], mean.interval[1], mean.targets
                ),
                None => writeln!(table, "{what}, {base} over {arm}: no target has a ratio"),
            };
        }
    }
    table.push_str(&beside_the_faster(targets, arms, runs, limit));
    table
}

/// Processor time over that of the faster stock arm of each target under libFuzzer. Empty without
/// two such arms.
fn beside_the_faster(targets: &[Target], arms: &[Arm], runs: &[Run], limit: f64) -> String {
    let of = |target, arm: &Arm| seconds(&runs_of(runs, target, arm), limit);
    let is_stock = |arm: &&Arm| arm.engine == Engine::Libfuzzer && !arm.is_dwindle();
    let stock: Vec<&Arm> = arms.iter().filter(is_stock).collect();
    let Some(base) = stock.first().filter(|_| stock.len() > 1).and_then(|arm| arm.base()) else {
        return String::new();
    };
    let by_median = |one: &Vec<Sample>, other: &Vec<Sample>| {
        let (one, other) = (median(one), median(other));
        one.is_bound.cmp(&other.is_bound).then(one.value.total_cmp(&other.value))
    };
    let pairs: Vec<Pair> = targets
        .iter()
        .filter_map(|target| {
            let under = stock.iter().map(|arm| of(target, arm)).min_by(by_median)?;
            Some(Pair { over: of(target, &base), under })
        })
        .collect();
    let Some(mean) = geometric_mean(&pairs) else { return String::new() };
    let slow: Vec<&str> = targets
        .iter()
        .zip(&pairs)
        .filter(|(_, pair)| pair.ratio().is_some_and(|ratio| ratio > RATIO_MAX))
        .map(|(target, _)| target.name)
        .collect();
    format!(
        "processor time, {base} over the faster stock arm of each target: {:.2}, 95 % interval \
         {:.2} to {:.2}, {} targets; over {RATIO_MAX}: {}\n",
        mean.value,
        mean.interval[0],
        mean.interval[1],
        mean.targets,
        if slow.is_empty() { "none".to_owned() } else { slow.join(", ") }
    )
}

/// The largest ratio that a target should have beside the faster stock arm.
const RATIO_MAX: f64 = 1.3;

type Figure = fn(&Run, f64) -> f64;

/// What the means are of.
const FIGURES: [(&str, Figure); 2] =
    [("processor time", seconds_of), ("executions", |run, _| run.cost.executions as f64)];

fn seconds_of(run: &Run, limit: f64) -> f64 {
    if run.cost.is_found { run.cost.processor_seconds } else { limit }
}

fn runs_of<'a>(runs: &'a [Run], target: &Target, arm: &Arm) -> Vec<&'a Run> {
    runs.iter().filter(|run| run.target == target.name && run.arm == *arm).collect()
}

fn samples(runs: &[&Run], value: impl Fn(&Run) -> f64) -> Vec<Sample> {
    runs.iter().map(|run| Sample { value: value(run), is_found: run.cost.is_found }).collect()
}

fn seconds(runs: &[&Run], limit: f64) -> Vec<Sample> {
    samples(runs, |run| seconds_of(run, limit))
}

fn pair(over: &[&Run], under: &[&Run], limit: f64) -> Pair {
    Pair { over: seconds(over, limit), under: seconds(under, limit) }
}

fn pairs(
    targets: &[Target],
    arm: &Arm,
    base: &Arm,
    runs: &[Run],
    limit: f64,
    value: Figure,
) -> Vec<Pair> {
    let of = |target, arm| samples(&runs_of(runs, target, arm), |run| value(run, limit));
    targets.iter().map(|target| Pair { over: of(target, base), under: of(target, arm) }).collect()
}

/// A median, with a sign if it is only a bound.
fn shown(samples: &[Sample], decimals: usize) -> String {
    let median = median(samples);
    let sign = if median.is_bound { "over " } else { "" };
    format!("{sign}{:.decimals$}", median.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Cost;
    use crate::target::TARGETS;

    #[test]
    fn the_ratio_is_of_medians_and_bounds_are_marked() {
        let arms = Arm::all(&[], true, false);
        let run = |arm: &Arm, seed, seconds: f64| Run {
            target: TARGETS[0].name.to_owned(),
            arm: arm.clone(),
            seed,
            cost: Cost {
                is_found: seconds < 20.0,
                executions: 100 * seed,
                processor_seconds: seconds,
                wall_seconds: seconds / 2.0,
            },
        };
        let runs = [
            run(&arms[0], 1, 1.0),
            run(&arms[0], 2, 3.0),
            run(&arms[1], 1, 4.0),
            run(&arms[1], 2, 20.1),
            run(&arms[2], 1, 1.0),
            run(&arms[2], 2, 1.0),
        ];
        let table = table(&TARGETS[..1], &arms, &runs, 20.0);
        let start = format!("| `{}` | {} |", TARGETS[0].name, TARGETS[0].of);
        for line in [
            format!("{start} dwindle | 2 of 2 | 150 | 2.00 | 1.00 | 3.00 | 1.00 |  |"),
            format!(
                "{start} stock | 1 of 2 | over 150 | over 12.00 | 4.00 | 20.00 | over 6.03 | \
                 0.17 |"
            ),
            "processor time, dwindle over stock -len_control=0: 2.00, ".to_owned(),
            format!(
                "processor time, dwindle over the faster stock arm of each target: 2.00, 95 % \
                 interval 1.00 to 3.00, 1 targets; over 1.3: {}\n",
                TARGETS[0].name
            ),
        ] {
            assert!(table.contains(&line), "{line}\n{table}");
        }
    }
}
