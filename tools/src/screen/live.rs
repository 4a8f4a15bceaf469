//! The display for people while a target runs: one live line on a terminal, a plain line every few
//! seconds elsewhere.
//!
//! Results go to stdout, everything else to stderr. Printed lines appear above the live line.

use crate::screen::libfuzzer::Figures;
use crate::screen::progress::{self, is_same_work};
use console::{Term, style};
use dwindle_corpus::events::{Heartbeat, NewCoverage, Progress};
use dwindle_corpus::printable;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How often the live line's spinner turns.
const SPIN: Duration = Duration::from_millis(120);

/// How often a plain line is written without a terminal.
const PLAIN_LINE_EVERY: Duration = Duration::from_secs(5);

/// The rate is computed over this many heartbeats, about five seconds.
const RATE_HEARTBEATS: usize = 10;

/// The live line with the estimate of new coverage below it. At the end of the line, a narrow
/// terminal would cut it off.
const TWO_LINES: &str = "{spinner:.cyan} {wide_msg}\n  {prefix}";

#[derive(Debug)]
pub(crate) struct Live {
    bar: Option<ProgressBar>,
    /// Whether the live line is shown. It appears with the first figures, so that runs without
    /// figures have no empty line.
    is_drawn: bool,
    has_results: bool,
    state: State,
    /// The first known progress of the present work.
    progress: Option<Progress>,
    last_plain: Instant,
}

impl Live {
    pub(crate) fn new() -> Self {
        let bar = Term::stderr().features().is_attended().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            is_drawn: false,
            has_results: false,
            state: State::default(),
            progress: None,
            last_plain: Instant::now(),
        }
    }

    /// Takes new figures. A terminal shows them at once; elsewhere it prints a plain line, at most
    /// once per `PLAIN_LINE_EVERY`.
    pub(crate) fn heartbeat(&mut self, heartbeat: &Heartbeat) {
        self.state.heartbeat(heartbeat);
        if let Some(bar) = &self.bar {
            if !self.is_drawn {
                bar.enable_steady_tick(SPIN);
                self.is_drawn = true;
            }
            bar.set_message(self.state.line());
            if let Some(new_coverage) = &heartbeat.new_coverage {
                if bar.prefix().is_empty() {
                    bar.set_style(two_lines());
                }
                bar.set_prefix(new_coverage.words());
            }
        } else if self.last_plain.elapsed() >= PLAIN_LINE_EVERY {
            self.last_plain = Instant::now();
            self.aside(&self.state.plain_line());
        }
    }

    /// Takes the progress of a piece of work. A terminal shows a bar; elsewhere it prints a plain
    /// line, at most once per `PLAIN_LINE_EVERY`.
    pub(crate) fn progress(&mut self, progress: &Progress) {
        let is_new = self.progress.as_ref().is_none_or(|known| !is_same_work(known, progress));
        if let Some(bar) = &self.bar {
            if is_new {
                bar.set_style(progress::style());
                bar.set_length(progress.total);
                bar.set_position(progress.done);
                bar.reset_eta();
            }
            bar.set_position(progress.done);
            bar.set_message(progress::words(progress));
            if !self.is_drawn {
                bar.enable_steady_tick(SPIN);
                self.is_drawn = true;
            }
        } else if self.last_plain.elapsed() >= PLAIN_LINE_EVERY {
            self.last_plain = Instant::now();
            let began = if is_new { progress } else { self.progress.as_ref().unwrap_or(progress) };
            self.aside(&progress::line(progress, began));
        }
        if is_new {
            self.progress = Some(progress.clone());
        }
    }

    pub(crate) fn figures(&mut self, figures: Figures) {
        let known = self.state.figures;
        self.state.figures = Figures {
            coverage: figures.coverage.or(known.coverage),
            corpus: figures.corpus.or(known.corpus),
        };
    }

    /// Says that the run is about to end.
    pub(crate) fn stopping(&self) {
        self.aside(
            &style("stopping; interrupt again to kill the run").yellow().for_stderr().to_string(),
        );
    }

    /// Prints a result on stdout, with control characters escaped. Fails when stdout is closed.
    pub(crate) fn result(&mut self, text: &str) -> io::Result<()> {
        self.has_results = true;
        let text = printable(text.strip_prefix("dwindle: ").unwrap_or(text).trim_end_matches('\n'));
        self.above(|| writeln!(io::stdout(), "{text}"))
    }

    /// Like [`Live::result`], with an empty line after earlier results.
    pub(crate) fn result_apart(&mut self, text: &str) -> io::Result<()> {
        if self.has_results {
            self.result("")?;
        }
        self.result(text)
    }

    /// Prints a text on stderr unchanged.
    pub(crate) fn aside(&self, text: &str) {
        // A closed stderr is no reason to stop.
        let _ = self.above(|| writeln!(io::stderr(), "{}", text.trim_end_matches('\n')));
    }

    /// Removes the live line.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = &self.bar
            && self.is_drawn
        {
            bar.finish_and_clear();
            self.is_drawn = false;
        }
    }

    fn above(&self, print: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        match &self.bar {
            Some(bar) if self.is_drawn => bar.suspend(print),
            _ => print(),
        }
    }
}

/// The style of the live line with the estimate below it.
fn two_lines() -> ProgressStyle {
    ProgressStyle::with_template(TWO_LINES).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// The figures of a run.
#[derive(Debug, Default)]
struct State {
    /// Seconds and executions at the last heartbeats, oldest first.
    heartbeats: VecDeque<(f64, u64)>,
    figures: Figures,
    bugs: u64,
    is_minimizing: bool,
    new_coverage: Option<NewCoverage>,
}

impl State {
    fn heartbeat(&mut self, heartbeat: &Heartbeat) {
        if self.heartbeats.len() == RATE_HEARTBEATS {
            self.heartbeats.pop_front();
        }
        self.heartbeats.push_back((heartbeat.seconds, heartbeat.executions));
        self.bugs = heartbeat.bugs;
        self.is_minimizing = heartbeat.minimizing.is_some();
        self.new_coverage = heartbeat.new_coverage;
    }

    /// Executions a second.
    fn rate(&self) -> u64 {
        let (Some(&(last_seconds, last)), Some(&(mut seconds, mut executions))) =
            (self.heartbeats.back(), self.heartbeats.front())
        else {
            return 0;
        };
        if self.heartbeats.len() == 1 {
            (seconds, executions) = (0.0, 0);
        }
        // Divides by at least a tenth of a second, because a burst of heartbeats gives no useful
        // rate.
        (last.saturating_sub(executions) as f64 / (last_seconds - seconds).max(0.1)) as u64
    }

    fn line(&self) -> String {
        let (seconds, executions) = self.heartbeats.back().copied().unwrap_or_default();
        let seconds = seconds as u64;
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let clock = if hours > 0 {
            format!("{hours}:{minutes:02}:{seconds:02}")
        } else {
            format!("{minutes:02}:{seconds:02}")
        };
        let mut parts = vec![
            clock,
            format!("{} executions", HumanCount(executions)),
            format!("{}/s", HumanCount(self.rate())),
        ];
        parts.extend(
            self.figures.coverage.map(|coverage| format!("coverage {}", HumanCount(coverage))),
        );
        parts.extend(self.figures.corpus.map(|corpus| format!("corpus {}", HumanCount(corpus))));
        let bugs = match self.bugs {
            0 => "no bugs".to_owned(),
            1 => "1 bug".to_owned(),
            bugs => format!("{} bugs", HumanCount(bugs)),
        };
        parts.push(if self.is_minimizing { format!("{bugs}, minimizing") } else { bugs });
        parts.join("  ")
    }

    /// The line for people without a terminal.
    fn plain_line(&self) -> String {
        let new_coverage = self.new_coverage.as_ref().map(NewCoverage::words);
        [self.line()].into_iter().chain(new_coverage).collect::<Vec<_>>().join("  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heartbeat(seconds: f64, executions: u64) -> Heartbeat {
        Heartbeat { seconds, executions, ..Heartbeat::default() }
    }

    #[test]
    fn the_status_line_leaves_out_unknown_figures() {
        let mut state = State::default();
        assert_eq!(state.line(), "00:00  0 executions  0/s  no bugs");
        state.figures = Figures { coverage: Some(1048), corpus: Some(22) };
        let minimizing = Some("0123456789abcdef".parse().unwrap());
        state.heartbeat(&Heartbeat { bugs: 2, minimizing, ..heartbeat(61.0, 81_920) });
        assert_eq!(
            state.line(),
            "01:01  81,920 executions  1,342/s  coverage 1,048  corpus 22  2 bugs, minimizing"
        );
    }

    #[test]
    fn a_plain_line_ends_with_the_estimate_if_there_is_one() {
        let mut state = State::default();
        state.heartbeat(&heartbeat(4.0, 10));
        assert_eq!(state.plain_line(), state.line());
        let new_coverage = Some(NewCoverage { times: 3, expected: 0.5, chance: 0.35 });
        state.heartbeat(&Heartbeat { new_coverage, ..heartbeat(5.0, 20) });
        let words = "  new coverage in the next minute: 35 % likely";
        assert_eq!(state.plain_line(), state.line() + words);
    }

    #[test]
    fn a_terminal_shows_the_estimate_below_the_live_line() {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let mut live = Live { bar: Some(bar.clone()), ..Live::new() };
        live.heartbeat(&heartbeat(4.0, 10));
        assert_eq!(bar.prefix(), "");
        let new_coverage = Some(NewCoverage { times: 3, expected: 0.5, chance: 0.35 });
        live.heartbeat(&Heartbeat { new_coverage, ..heartbeat(5.0, 20) });
        assert!(bar.message().starts_with("00:05  20 executions"), "{}", bar.message());
        assert_eq!(bar.prefix(), "new coverage in the next minute: 35 % likely");
        assert!(ProgressStyle::with_template(TWO_LINES).is_ok());
    }

    #[test]
    fn the_rate_is_that_of_the_last_heartbeats_and_never_negative() {
        let mut state = State::default();
        for half_seconds in 0..40_u32 {
            state.heartbeat(&heartbeat(
                f64::from(half_seconds) / 2.0,
                if half_seconds < 20 { 0 } else { u64::from(half_seconds - 20) * 100 },
            ));
        }
        assert_eq!(state.rate(), 200);
        // A counter that starts again must not give a negative rate.
        state.heartbeat(&heartbeat(20.0, 5));
        assert_eq!(state.rate(), 0);
    }
}
