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
mod jobs;
mod turns;
mod history;
mod manifests;
mod change;
mod templates;
mod child;
mod group;
mod signals;
mod screen;
mod reports;
mod sources;
mod reach;
mod value_tree;
mod explore;
mod observations;
mod page;
mod events;
mod exit;

use args::Command;
use dwindle_corpus::events::Event;
use exit::{Exit, Stop};
use screen::json;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = args::read().command;
    let is_json = command.is_json();
    if is_json {
        json::write_schema();
    }
    let result = match &command {
        Command::Init(options) => commands::init::init(options),
        Command::Add(options) => commands::add::add(options),
        Command::List(options) => commands::list::list(options),
        Command::Build(options) => commands::build::build(options),
        Command::Run(options) => commands::run::run(options),
        Command::Watch(options) => afl::watch(options),
        Command::Min(options) => commands::min::min(options),
        Command::Next(options) => commands::next::next(options),
        Command::Explore(options) => commands::explore::explore(options),
        Command::Cmin(options) => commands::cmin::cmin(options),
        Command::Triage(options) => commands::triage::triage(options),
        Command::Show(options) => commands::show::show(options),
        Command::Coverage(options) => commands::coverage::coverage(options),
        Command::Report(options) => commands::report::report(options),
        Command::Check(options) => commands::check::check(options),
        Command::Corpus(options) => commands::corpus::corpus(options),
        Command::Merge(options) => commands::merge::merge(options),
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
        if is_json {
            // If stdout is closed, the error cannot be written there.
            let _ = json::write_words(Event::Error, &words);
        }
    }
    if is_json {
        json::write_exit(exit);
    }
    exit.into()
}
