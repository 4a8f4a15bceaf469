//! The progress of a piece of work with a known end, and the time it still needs.

use dwindle_corpus::events::Progress;
use dwindle_corpus::printable_line;
use indicatif::{HumanCount, HumanDuration, ProgressStyle};
use std::time::Duration;

const TEMPLATE: &str =
    "{spinner:.cyan} {msg}  [{bar:30.cyan/dim}] {human_pos} of {human_len}  {eta} left";

/// The style of the bar on a terminal. Its message is [`words`].
pub(crate) fn style() -> ProgressStyle {
    ProgressStyle::with_template(TEMPLATE)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

/// Whether two events tell of the same piece of work.
pub(crate) fn is_same_work(one: &Progress, other: &Progress) -> bool {
    (&one.phase, one.total) == (&other.phase, other.total)
}

/// The present work, and how many bugs it has found.
pub(crate) fn words(progress: &Progress) -> String {
    let phase = printable_line(&progress.phase);
    match progress.bugs {
        0 => phase.into_owned(),
        1 => format!("{phase}, 1 bug"),
        bugs => format!("{phase}, {} bugs", HumanCount(bugs)),
    }
}

/// The whole progress as one line, for output without a terminal. `began` is the first known
/// progress of this work.
pub(crate) fn line(progress: &Progress, began: &Progress) -> String {
    let Progress { done, total, seconds, .. } = *progress;
    let line = format!("{}: {} of {}", words(progress), HumanCount(done), HumanCount(total));
    let done_since = done.saturating_sub(began.done);
    if done_since == 0 {
        return line;
    }
    let left =
        (seconds - began.seconds).max(0.0) / done_since as f64 * total.saturating_sub(done) as f64;
    let left = Duration::try_from_secs_f64(left).unwrap_or_default();
    format!("{line}, about {} left", HumanDuration(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: &str, done: u64, total: u64, seconds: f64, bugs: u64) -> Progress {
        Progress { phase: phase.to_owned(), done, total, seconds, bugs }
    }

    #[test]
    fn the_time_left_is_estimated_from_this_work_alone() {
        let began = progress("running", 100, 10_000, 50.0, 0);
        assert_eq!(line(&began, &began), "running: 100 of 10,000");
        assert_eq!(
            line(&progress("running", 5_050, 10_000, 60.0, 5), &began),
            "running, 5 bugs: 5,050 of 10,000, about 10 seconds left"
        );
        assert_eq!(
            line(&progress("running", 10_000, 10_000, 60.0, 1), &began),
            "running, 1 bug: 10,000 of 10,000, about 0 seconds left"
        );
    }

    #[test]
    fn another_phase_starts_a_new_estimate() {
        let running = progress("running", 100, 100, 5.0, 1);
        assert!(is_same_work(&running, &progress("running", 3, 100, 1.0, 0)));
        assert!(!is_same_work(&running, &progress("minimizing", 3, 100, 1.0, 0)));
    }

    #[test]
    fn the_template_of_the_bar_is_valid() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
