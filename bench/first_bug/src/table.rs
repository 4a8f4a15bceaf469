//! What all runs say together.

use std::fmt::Write;

use crate::build::Fuzzer;
use crate::run::Run;

/// Medians for each target, the ratios of dwindle to its twin, and the geometric means of the
/// ratios, as Markdown.
pub fn table(targets: &[&str], runs: &[Run]) -> String {
    let mut table = String::from("Median executions to the first bug (range).\n\n");
    table += "| target | dwindle | twin | ratio | twin with -len_control=0 | ratio | censored runs \
              |\n| --- | --- | --- | --- | --- | --- | --- |\n";
    let mut logarithms = [0.0; 2];
    for target in targets {
        let of = |fuzzer| {
            sorted(runs.iter().filter(|run| run.target == *target && run.fuzzer == fuzzer))
        };
        let (ours, twins) = (of(Fuzzer::Dwindle), [of(Fuzzer::Twin), of(Fuzzer::LongTwin)]);
        let _ = write!(table, "| `{target}` | {} |", shown(&ours));
        for (twin, logarithm) in twins.iter().zip(&mut logarithms) {
            let ratio = median(&ours) / median(twin);
            *logarithm += ratio.ln();
            let _ = write!(table, " {} | {ratio:.2} |", shown(twin));
        }
        let censored: Vec<String> = runs
            .iter()
            .filter(|run| run.target == *target && run.censored)
            .map(|run| format!("{} seed {}", run.fuzzer, run.seed))
            .collect();
        let censored = if censored.is_empty() {
            "none".to_owned()
        } else {
            format!("{}, counted at the executions they made", censored.join(", "))
        };
        let _ = writeln!(table, " {censored} |");
    }
    let [plain, long] = logarithms.map(|logarithm| (logarithm / targets.len() as f64).exp());
    let _ = writeln!(
        table,
        "\nGeometric means of the ratios: {plain:.2} and {long:.2} (below 1, dwindle needs fewer \
         executions)."
    );
    table
}

fn sorted<'a>(runs: impl Iterator<Item = &'a Run>) -> Vec<u64> {
    let mut executions: Vec<u64> = runs.map(|run| run.executions).collect();
    executions.sort_unstable();
    executions
}

fn median(sorted: &[u64]) -> f64 {
    match sorted.len() {
        0 => f64::NAN,
        len => f64::midpoint(sorted[(len - 1) / 2] as f64, sorted[len / 2] as f64),
    }
}

fn shown(sorted: &[u64]) -> String {
    match (sorted.first(), sorted.last()) {
        (Some(first), Some(last)) => format!("{:.0} ({first} to {last})", median(sorted)),
        _ => "no runs".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_of_medians_and_censored_runs_are_named() {
        let run = |fuzzer, seed, executions, censored| Run {
            target: "t",
            fuzzer,
            seed,
            executions,
            seconds: 0.0,
            censored,
        };
        let runs = [
            run(Fuzzer::Dwindle, 1, 10, false),
            run(Fuzzer::Dwindle, 2, 30, false),
            run(Fuzzer::Twin, 1, 40, false),
            run(Fuzzer::Twin, 2, 120, true),
            run(Fuzzer::LongTwin, 1, 25, false),
        ];
        let table = table(&["t"], &runs);
        let row = "| `t` | 20 (10 to 30) | 80 (40 to 120) | 0.25 | 25 (25 to 25) | 0.80 | twin \
                   seed 2, counted at the executions they made |";
        assert!(table.contains(row), "{table}");
        assert!(table.contains("ratios: 0.25 and 0.80 "), "{table}");
    }
}
