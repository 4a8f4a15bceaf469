//! Shows what happens: to people, or to a program that reads JSON.

pub(crate) mod json;
mod libfuzzer;
mod live;
mod progress;
pub(crate) mod table;

use crate::child::Message;
use crate::history::Gauges;
use console::style;
use dwindle_corpus::events::{BuiltTarget, Event, EventLine};
use dwindle_corpus::{printable, printable_line, printable_path};
use libfuzzer::Figures;
use live::Live;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What is about to run.
#[derive(Debug)]
pub(crate) struct Plan<'run> {
    pub(crate) target: &'run str,
    /// `None` if no engine runs.
    pub(crate) engine: Option<&'run str>,
    pub(crate) corpus: &'run [PathBuf],
    /// The target's folder in the store.
    pub(crate) store: &'run Path,
}

#[derive(Debug)]
pub(crate) struct Screen {
    /// The output for people. `None` writes JSON lines.
    live: Option<Live>,
    /// Whether to show the output of the engine and the target.
    echo: bool,
    /// Whether a run is one of several, for people: only its bugs are shown.
    pub(crate) is_brief: bool,
    figures: Figures,
}

impl Screen {
    pub(crate) fn new(json: bool, echo: bool) -> Self {
        Self { live: (!json).then(Live::new), echo, is_brief: false, figures: Figures::default() }
    }

    /// The last figures of libFuzzer.
    pub(crate) fn gauges(&self) -> Gauges {
        Gauges { coverage: self.figures.coverage, corpus: self.figures.corpus }
    }

    /// Shows what is about to run.
    pub(crate) fn begin(&self, plan: &Plan) -> io::Result<()> {
        let Some(live) = &self.live else {
            return json::write(Event::Built(BuiltTarget {
                target: plan.target.to_owned(),
                store: plan.store.to_string_lossy().into_owned(),
                engine: plan.engine.map(str::to_owned),
                corpus: plan.corpus.iter().map(|path| path.to_string_lossy().into()).collect(),
                executable: None,
            }));
        };
        if self.is_brief {
            return Ok(());
        }
        let row = |name, value: &str| {
            live.aside(&format!(
                "{:>7}  {}",
                style(name).dim().for_stderr(),
                printable_line(value)
            ));
        };
        row("target", plan.target);
        if let Some(engine) = plan.engine {
            row("engine", engine);
        }
        if !plan.corpus.is_empty() {
            let folders: Vec<_> = plan.corpus.iter().map(|folder| from_here(folder)).collect();
            let inputs: usize = plan.corpus.iter().map(|folder| count_files(folder)).sum();
            row(
                "corpus",
                &format!(
                    "{}, {inputs} {}",
                    folders.join(", "),
                    if inputs == 1 { "input" } else { "inputs" }
                ),
            );
        }
        row("store", &from_here(plan.store));
        Ok(())
    }

    /// Shows people that a target runs now, as one of several.
    pub(crate) fn turn(&self, target: &str, what: &str) {
        if let Some(live) = &self.live {
            let target = printable_line(target);
            live.aside(&format!("{:>7}  {target}, {what}", style("target").dim().for_stderr()));
        }
    }

    /// Shows one message. Fails when stdout is closed.
    pub(crate) fn take(&mut self, message: Message) -> io::Result<()> {
        match message {
            Message::Event(event) => self.event(*event),
            Message::Stderr(text) => {
                if let Some(figures) = libfuzzer::read_status(&text) {
                    self.figures = figures;
                    if let Some(live) = &mut self.live {
                        live.figures(figures);
                    }
                }
                if self.echo && !libfuzzer::is_noise(&text) {
                    self.aside(&echoed(&text));
                }
                Ok(())
            }
            Message::Stdout(text) => match &mut self.live {
                _ if !self.echo => Ok(()),
                Some(live) => live.result(&echoed(&text)),
                None => {
                    self.aside(&echoed(&text));
                    Ok(())
                }
            },
            Message::Stopping => {
                if let Some(live) = &self.live {
                    live.stopping();
                }
                Ok(())
            }
        }
    }

    /// Prints a text for people on stderr, also with JSON. The text is printed unchanged, so the
    /// caller escapes foreign text before.
    pub(crate) fn aside(&self, text: &str) {
        match &self.live {
            Some(live) => live.aside(text),
            None => eprintln!("{text}"),
        }
    }

    /// Whether the output of the engine and the target has been shown.
    pub(crate) fn echoes(&self) -> bool {
        self.echo
    }

    /// Removes the live line.
    pub(crate) fn end(&mut self) {
        if let Some(live) = &mut self.live {
            live.clear();
        }
    }

    fn event(&mut self, mut event: EventLine) -> io::Result<()> {
        let Some(live) = &mut self.live else {
            match event.event() {
                // The command has written its own.
                Some(Event::Schema { .. }) => return Ok(()),
                Some(Event::Error) => eprintln!("{}", error_line(event.text())),
                Some(Event::Heartbeat(_)) => json::add_figures(&mut event, self.figures),
                _ => {}
            }
            return json::write_line(&event);
        };
        let text = &*printable(event.text());
        match event.event() {
            Some(Event::Error) => live.aside(&error_line(text)),
            Some(Event::Start(_)) if self.is_brief => {}
            Some(Event::End(_)) if self.is_brief => live.clear(),
            Some(Event::Start(start)) => {
                match start.known {
                    0 => {}
                    1 => live.aside("         1 bug known from earlier runs"),
                    known => live.aside(&format!("         {known} bugs known from earlier runs")),
                }
                if !start.switches_off.is_empty() {
                    let off = start.switches_off.join(", ");
                    live.aside(&format!("         switched off: {}", printable_line(&off)));
                }
            }
            Some(Event::Heartbeat(heartbeat)) => live.heartbeat(heartbeat),
            Some(Event::Progress(progress)) => live.progress(progress),
            Some(Event::End(_)) => {
                live.clear();
                return if text.is_empty() { Ok(()) } else { live.result_apart(text) };
            }
            Some(Event::Minimized(_) | Event::Explained(_)) => return live.result_apart(text),
            Some(Event::Warning) if !text.is_empty() => live.aside(text),
            Some(
                Event::Bug(_)
                | Event::Variant { .. }
                | Event::Draw { .. }
                | Event::Note
                | Event::Outcome(_)
                | Event::Checked(_),
            ) if !text.is_empty() => return live.result(text),
            // Ignores unknown events, because newer harnesses may send more.
            _ => {}
        }
        Ok(())
    }
}

/// Escapes a line from the engine or the target. Tabs stay, because libFuzzer's tables contain
/// them.
fn echoed(line: &str) -> String {
    line.split('\t').map(printable_line).collect::<Vec<_>>().join("\t")
}

/// The path relative to the current folder, if it is inside it.
pub(crate) fn from_here(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(&here) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
        Ok(rest) => printable_path(rest),
        Err(_) => printable_path(path),
    }
}

fn count_files(folder: &Path) -> usize {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().is_file())
        .count()
}

/// The form of every error: `error: words`. The first word is coloured on a terminal; control
/// characters are escaped.
pub(crate) fn error_line(words: &str) -> String {
    let words = words.strip_prefix("dwindle: ").unwrap_or(words);
    format!("{}: {}", style("error").red().bold().for_stderr(), printable(words))
}
