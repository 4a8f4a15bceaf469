//! `cargo dwindle`: makes fuzz crates, builds their targets, runs them, minimizes crash files, triages many of them, shows inputs, checks stored bugs and merges stores.
//!
//! The target binary does the work (fuzzing, minimizing, keeping bugs); this program builds it, starts it in a mode, and shows what it says.

mod args;
mod init;
mod add;
mod list;
mod run;
mod min;
mod triage;
mod show;
mod check;
mod merge;
mod corpus;
mod session;
mod project;
mod manifests;
mod change;
mod templates;
mod compile;
mod child;
mod afl;
mod group;
mod signals;
mod events;
mod screen;
mod live;
mod progress;
mod json;
mod libfuzzer;
mod exit;

use args::Command;
use exit::{Exit, Stop};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = args::read().command;
    let (result, json) = match &command {
        Command::Init(options) => (init::init(options), false),
        Command::Add(options) => (add::add(options), false),
        Command::List(options) => (list::list(options), options.place.json),
        Command::Run(options) => (run::run(options), options.build.json),
        Command::Watch(options) => (afl::watch(options), options.build.json),
        Command::Min(options) => (min::min(options), options.build.json),
        Command::Triage(options) => (triage::triage(options), options.build.json),
        Command::Show(options) => (show::show(options), options.build.json),
        Command::Check(options) => (check::check(options), options.build.json),
        Command::Corpus(options) => (corpus::corpus(options), options.is_json()),
        Command::Merge(options) => (merge::merge(options), options.place.json),
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
            // Nobody reading stdout cannot be told anything.
            let _ = json::write(&events::Event::new("error").with("text", words));
        }
    }
    if json {
        json::write_exit(exit);
    }
    exit.into()
}
