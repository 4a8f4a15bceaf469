//! Commands: what the target binary does besides fuzzing.

mod min;
mod minimizer;
mod explainer;
mod next;
mod explore;
mod triage;
mod check;
mod show;
pub(crate) mod files;
mod watch;
mod rate;
mod observe;

use std::path::PathBuf;

use crate::environment::Command;
use crate::target::Target;

/// Runs a command and returns its exit code. Must be called before any thread is started.
pub(crate) fn run(target: &'static Target, command: Command, arguments: &[String]) -> i32 {
    let files: Vec<PathBuf> =
        arguments.iter().filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    match command {
        Command::Min => min::min(target, &files),
        Command::Minimizer => minimizer::run(target),
        Command::Explainer => explainer::run(target),
        Command::Next => next::run(target, arguments),
        Command::Explore => explore::run(target),
        Command::Triage => triage::triage(target, &files),
        Command::Check => check::check(target),
        Command::Show => show::show(target, &files),
        Command::Watch => watch::run(target, &files, arguments),
        Command::Rate => rate::rate(target, &files),
        Command::Observe => observe::observe(target, &files, arguments),
    }
}
