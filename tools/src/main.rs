//! `cargo dwindle`: the command line for fuzz crates.
//!
//! It makes fuzz crates, builds and runs their targets, and minimizes, triages and shows inputs. It
//! also checks stored bugs and merges stores.
//!
//! The target binary does the work: it fuzzes, minimizes and stores bugs. This program builds it,
//! starts it in a mode, and shows its events.

mod args;
mod commands;
mod afl;
mod session;
mod compile;
mod project;
mod folders;
mod manifests;
mod change;
mod templates;
mod child;
mod group;
mod signals;
mod screen;
mod events;
mod exit;

use args::Command;
use exit::{Exit, Stop};
use screen::json;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = args::read().command;
    let (result, json) = match &command {
        Command::Init(options) => (commands::init::init(options), false),
        Command::Add(options) => (commands::add::add(options), false),
        Command::List(options) => (commands::list::list(options), options.place.json),
        Command::Run(options) => (commands::run::run(options), options.build.json),
        Command::Watch(options) => (afl::watch(options), options.build.json),
        Command::Min(options) => (commands::min::min(options), options.build.json),
        Command::Triage(options) => (commands::triage::triage(options), options.build.json),
        Command::Show(options) => (commands::show::show(options), options.build.json),
        Command::Check(options) => (commands::check::check(options), options.build.json),
        Command::Corpus(options) => (commands::corpus::corpus(options), options.is_json()),
        Command::Merge(options) => (commands::merge::merge(options), options.place.json),
    };
    let exit = match &result {
        Ok(exit) => *exit,
        Err(error) => Exit::of(error),
    };
    if let Err(error) = &result
        && !matches!(error.downcast_ref(), Some(Stop::Interrupted))
    {
        let words = format!("{error:#}");
        eprintln!("{}", screen::error_line(&words));
        if json {
            // If stdout is closed, the error cannot be written there.
            let _ = json::write(&events::Event::new("error").with("text", words));
        }
    }
    if json {
        json::write_exit(exit);
    }
    exit.into()
}
