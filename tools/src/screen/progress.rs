//! The progress of a piece of work with a known end, and the time it still needs.

use crate::events::Event;
use dwindle_corpus::printable_line;
use indicatif::{HumanCount, HumanDuration, ProgressStyle};
use std::time::Duration;

/// The progress at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    phase: String,
    pub(crate) done: u64,
    pub(crate) total: u64,
    seconds: f64,
    bugs: u64,
}

const TEMPLATE: &str =
    "{spinner:.cyan} {msg}  [{bar:30.cyan/dim}] {human_pos} of {human_len}  {eta} left";

/// The style of the bar on a terminal. Its message is [`Progress::words`].
pub(crate) fn style() -> ProgressStyle {
    ProgressStyle::with_template(TEMPLATE)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

impl Progress {
    /// Reads the progress from an event. `None` if a field is missing.
    pub(crate) fn read(event: &Event) -> Option<Self> {
        Some(Self {
            phase: printable_line(event.text("phase")?).into_owned(),
            done: event.number("done")?,
            total: event.number("total")?,
            seconds: event.decimal("seconds")?,
            bugs: event.number("bugs").unwrap_or(0),
        })
    }

    pub(crate) fn is_of_the_same_work_as(&self, other: &Self) -> bool {
        (&self.phase, self.total) == (&other.phase, other.total)
    }

    /// The present work, and how many bugs it has found.
    pub(crate) fn words(&self) -> String {
        match self.bugs {
            0 => self.phase.clone(),
            1 => format!("{}, 1 bug", self.phase),
            bugs => format!("{}, {} bugs", self.phase, HumanCount(bugs)),
        }
    }

    /// The whole progress as one line, for output without a terminal. `began` is the first known
    /// progress of this work.
    pub(crate) fn line(&self, began: &Self) -> String {
        let mut line =
            format!("{}: {} of {}", self.words(), HumanCount(self.done), HumanCount(self.total));
        let done = self.done.saturating_sub(began.done);
        if done > 0 {
            let seconds = (self.seconds - began.seconds).max(0.0) / done as f64
                * self.total.saturating_sub(self.done) as f64;
            let left = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            line = format!("{line}, about {} left", HumanDuration(left));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: &str, done: u64, total: u64, seconds: f64, bugs: u64) -> Progress {
        let event = Event::new("progress")
            .with("phase", phase)
            .with("done", done)
            .with("total", total)
            .with("seconds", seconds)
            .with("bugs", bugs);
        Progress::read(&event).unwrap()
    }

    #[test]
    fn what_is_left_is_reckoned_from_this_work_alone() {
        let began = progress("running", 100, 10_000, 50.0, 0);
        assert_eq!(began.line(&began), "running: 100 of 10,000");
        assert_eq!(
            progress("running", 5_050, 10_000, 60.0, 5).line(&began),
            "running, 5 bugs: 5,050 of 10,000, about 10 seconds left"
        );
        assert_eq!(
            progress("running", 10_000, 10_000, 60.0, 1).line(&began),
            "running, 1 bug: 10,000 of 10,000, about 0 seconds left"
        );
    }

    #[test]
    fn another_phase_is_other_work() {
        let running = progress("running", 100, 100, 5.0, 1);
        assert!(running.is_of_the_same_work_as(&progress("running", 3, 100, 1.0, 0)));
        assert!(!running.is_of_the_same_work_as(&progress("minimizing", 3, 100, 1.0, 0)));
    }

    #[test]
    fn an_event_that_says_nothing_of_it_is_none() {
        assert_eq!(Progress::read(&Event::new("progress").with("phase", "running")), None);
    }

    #[test]
    fn the_template_of_the_bar_is_one() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
