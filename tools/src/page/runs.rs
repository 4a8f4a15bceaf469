//! What the runs of a target brought over time.

use dwindle_corpus::events::Rejected;
use maud::{Markup, html};

use super::chart::{Axis, Curve, bars, curve, percent, seconds};
use super::counted;
use super::scale::Scale;
use crate::history::Moment;

/// The curves of all runs, one run behind the other.
pub(super) fn section(runs: &[Vec<Moment>], scale: &Scale) -> Markup {
    if runs.is_empty() {
        return html! {
            p.dim {
                "The store has no history of runs. " code { "cargo dwindle run" } " writes one."
            }
        };
    }
    let all = All::of(runs);
    let charts = [
        ("executions", false, &all.executions),
        ("coverage (edges)", true, &all.coverage),
        ("corpus (inputs)", true, &all.corpus),
        ("bugs in the store", true, &all.bugs),
    ];
    html! {
        h3 { "Runs" }
        p.dim {
            (counted(runs.len(), "run")) ", " (seconds(all.time)) " of fuzzing"
            @if all.starts.len() > 1 { ". A dashed line is the beginning of a run." }
        }
        div.charts { @for (title, is_stepped, points) in charts.into_iter()
            .filter(|(_, _, points)| !points.is_empty())
        {
            @let points = &thinned(points, scale.points_max);
            (curve(&Curve {
                title, across: Axis::Seconds, points, is_stepped, marks: &all.starts,
            }))
        } }
        (rejected(&all))
    }
}

/// The figures of all runs, by the time of fuzzing.
#[derive(Default)]
struct All {
    time: f64,
    /// When each run but the first began.
    starts: Vec<f64>,
    executions: Vec<(f64, f64)>,
    coverage: Vec<(f64, f64)>,
    corpus: Vec<(f64, f64)>,
    bugs: Vec<(f64, f64)>,
    rejected: Rejected,
    /// The executions of the runs that count rejections.
    counting: u64,
}

impl All {
    fn of(runs: &[Vec<Moment>]) -> All {
        let mut all = All { executions: vec![(0.0, 0.0)], ..All::default() };
        let mut executions = 0_u64;
        for run in runs {
            if all.time > 0.0 {
                all.starts.push(all.time);
            }
            for moment in run {
                let at = all.time + moment.seconds;
                all.executions.push((at, executions.saturating_add(moment.executions) as f64));
                all.bugs.push((at, moment.bugs as f64));
                all.coverage.extend(moment.coverage.map(|edges| (at, edges as f64)));
                all.corpus.extend(moment.corpus.map(|inputs| (at, inputs as f64)));
            }
            let Some(last) = run.last() else { continue };
            all.time += last.seconds;
            executions = executions.saturating_add(last.executions);
            if let Some(rejected) = &last.rejected {
                all.counting = all.counting.saturating_add(last.executions);
                all.add(rejected);
            }
        }
        all
    }

    fn add(&mut self, more: &Rejected) {
        let sum = &mut self.rejected;
        for (sum, more) in [
            (&mut sum.by_target, more.by_target),
            (&mut sum.by_filter, more.by_filter),
            (&mut sum.not_distinct, more.not_distinct),
            (&mut sum.too_deep, more.too_deep),
            (&mut sum.too_long, more.too_long),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

/// What share of inputs was rejected, and why.
fn rejected(all: &All) -> Markup {
    if all.counting == 0 {
        return html! { p.dim { "The runs did not count rejected inputs." } };
    }
    let Rejected { by_target, by_filter, not_distinct, too_deep, too_long } = all.rejected;
    let reasons = [
        ("by the target or its generators", by_target),
        ("by a filter that kept no value", by_filter),
        ("no further distinct element", not_distinct),
        ("values nested without an end", too_deep),
        ("more choices than the limit", too_long),
    ];
    let mut rows: Vec<(String, u64)> = reasons.map(|(name, count)| (name.to_owned(), count)).into();
    rows.retain(|(_, count)| *count > 0);
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let total = rows.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    let title = format!("Rejected: {} of the executions", percent(total, all.counting));
    html! { @if rows.is_empty() { p.dim { (title) "." } } @else { (bars(&title, &rows)) } }
}

/// At most `points_max` points and the last one.
fn thinned(points: &[(f64, f64)], points_max: usize) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(points_max.max(2)).max(1);
    let last = points.len().checked_sub(1).filter(|last| last % step != 0);
    points.iter().step_by(step).chain(last.map(|last| &points[last])).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, figures: &[(f64, u64)]) -> Vec<Moment> {
        let moments = figures.iter().map(|(seconds, executions)| {
            serde_json::from_value(serde_json::json!({
                "run": name, "at": 1, "seconds": seconds, "executions": executions, "bugs": 2,
                "rejected": {"by_target": executions / 4}
            }))
            .unwrap()
        });
        moments.collect()
    }

    #[test]
    fn a_run_begins_where_the_one_before_it_ended() {
        let all = All::of(&[run("a", &[(5.0, 100), (10.0, 200)]), run("b", &[(5.0, 100)])]);
        assert_eq!(all.executions, [(0.0, 0.0), (5.0, 100.0), (10.0, 200.0), (15.0, 300.0)]);
        assert_eq!((all.time, all.starts.len(), all.rejected.by_target), (15.0, 1, 75));
    }

    #[test]
    fn the_section_has_curves_and_the_share_of_rejected_inputs() {
        let page = section(&[run("a", &[(5.0, 100), (600.0, 4000)])], &Scale::of(1)).into_string();
        assert_eq!(page.matches("class=\"curve\"").count(), 2, "{page}");
        for text in ["1 run, 10 min of fuzzing", "Rejected: 25 % of the executions", "<b>4k</b>"] {
            assert!(page.contains(text), "{text} is not in {page}");
        }
    }

    #[test]
    fn figures_that_are_too_large_do_not_overflow() {
        let all = All::of(&[run("a", &[(1.0, u64::MAX)]), run("b", &[(1.0, u64::MAX)])]);
        assert_eq!(all.counting, u64::MAX);
        rejected(&all);
    }

    #[test]
    fn thinning_keeps_the_last_point() {
        let points: Vec<_> = (0..1000).map(|at| (f64::from(at), 0.0)).collect();
        let thin = thinned(&points, 100);
        assert!(thin.len() <= 101);
        assert_eq!((thin[0].0, thin[thin.len() - 1].0), (0.0, 999.0));
    }
}
