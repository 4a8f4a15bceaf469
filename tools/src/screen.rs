//! Where what happens is shown: to people, or to a program that reads JSON.

use crate::child::Message;
use crate::events::Event;
use crate::json;
use crate::libfuzzer::{self, Figures};
use crate::live::Live;
use console::style;
use std::io;

#[derive(Debug)]
pub(crate) struct Screen {
    /// For people; without it, JSON lines.
    live: Option<Live>,
    /// Show what the engine and the target print.
    echo: bool,
    figures: Figures,
}

impl Screen {
    pub(crate) fn new(json: bool, echo: bool) -> Self {
        Self { live: (!json).then(Live::new), echo, figures: Figures::default() }
    }

    /// Says what is about to run: rows of a name and its value.
    pub(crate) fn begin(&self, rows: &[(&str, String)]) -> io::Result<()> {
        let Some(live) = &self.live else {
            return json::write(&rows.iter().fold(Event::new("built"), |event, (name, value)| event.with(name, value.as_str())));
        };
        for (name, value) in rows {
            live.aside(&format!("{:>7}  {value}", style(name).dim().for_stderr()));
        }
        Ok(())
    }

    /// Shows one message. Fails when nobody reads stdout any more.
    pub(crate) fn take(&mut self, message: Message) -> io::Result<()> {
        match message {
            Message::Event(event) => self.event(event),
            Message::Stderr(text) => {
                if let Some(figures) = libfuzzer::read_status(&text) {
                    self.figures = figures;
                    if let Some(live) = &mut self.live {
                        live.figures(figures);
                    }
                }
                if self.echo {
                    self.aside(&text);
                }
                Ok(())
            }
            Message::Stdout(text) => match &self.live {
                _ if !self.echo => Ok(()),
                Some(live) => live.result(&text),
                None => {
                    self.aside(&text);
                    Ok(())
                }
            },
            Message::Stopping => {
                if let Some(live) = &mut self.live {
                    live.stopping();
                }
                Ok(())
            }
        }
    }

    /// Prints something on stderr, for people in either case.
    pub(crate) fn aside(&self, text: &str) {
        match &self.live {
            Some(live) => live.aside(text),
            None => eprintln!("{text}"),
        }
    }

    /// Removes the live line.
    pub(crate) fn end(&mut self) {
        if let Some(live) = &mut self.live {
            live.clear();
        }
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        if event.name() == "error" {
            self.aside(&error_line(event.text("text").unwrap_or("the target met an error that it did not name")));
        }
        let Some(live) = &mut self.live else {
            let event = if event.name() == "pulse" { json::with_figures(event, self.figures) } else { event };
            return json::write(&event);
        };
        let text = event.text("text").unwrap_or_default();
        match event.name() {
            "start" => match event.number("known") {
                None | Some(0) => {}
                Some(1) => live.aside("         1 bug known from earlier runs"),
                Some(known) => live.aside(&format!("         {known} bugs known from earlier runs")),
            },
            "pulse" => live.pulse(&event),
            "bug" if text.is_empty() => {
                let of = |field| event.text(field).unwrap_or("?");
                return live.result(&format!("new bug {}: {} at {}", of("bug_id"), of("message"), of("location")));
            }
            "end" => {
                live.clear();
                return if text.is_empty() { Ok(()) } else { live.result(text) };
            }
            "bug" | "minimized" | "draw" | "note" | "outcome" if !text.is_empty() => return live.result(text),
            // Newer harnesses may say more.
            _ => {}
        }
        Ok(())
    }
}

/// The form of every error: `error: words`, the first word coloured on a terminal.
pub(crate) fn error_line(words: &str) -> String {
    let words = words.strip_prefix("dwindle: ").unwrap_or(words);
    format!("{}: {words}", style("error").red().bold().for_stderr())
}
