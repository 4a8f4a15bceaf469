//! How many executions a run makes on one core that it must share with its search for causes,
//! beside the same run without that search.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};

use crate::evidence::build::{self, FIXTURE};
use crate::evidence::kills::folders;
use crate::evidence::overhead::free;
use crate::evidence::run::executions_of;
use crate::tools;

/// Both runs go on at the same time, each on a separate core. The next round exchanges the cores.
const ROUNDS: usize = 6;
const SECONDS: u64 = 60;
/// At least this part of the executions without the search.
const GOAL: f64 = 0.95;

pub(super) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    let binary = &build::plain(FIXTURE, "one_in_ten")?;
    println!(
        "On one core each, side by side, {SECONDS} s; one input in ten fails, each for another \
         cause:\n\n| round | executions | with DWINDLE_EXPLAIN=off | ratio | causes kept |\n| \
         --- | --- | --- | --- | --- |"
    );
    let mut logarithms = 0.0;
    for round in 0..ROUNDS {
        let seed = round as u64 + 1;
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let [explaining, silent] = ["explaining", "silent"].map(|arm| scratch.path().join(arm));
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(|| run(binary, &silent, (seed, 1 - round % 2), true));
            let first = run(binary, &explaining, (seed, round % 2), false);
            (first, other.join().expect("a run does not panic"))
        });
        let (first, second) = (executions_of(&first?)?, executions_of(&second?)?);
        let ratio = first as f64 / second as f64;
        logarithms += ratio.ln();
        println!("| {seed} | {first} | {second} | {ratio:.3} | {} |", causes(&explaining)?);
    }
    let mean = (logarithms / ROUNDS as f64).exp();
    let verdict = if mean >= GOAL { "met" } else { "MISSED" };
    println!("\ngeometric mean {mean:.3}, at least {GOAL}: {verdict}");
    Ok(())
}

/// A run on one core, with its store and corpus in `folder`.
fn run(
    binary: &Path,
    folder: &Path,
    (seed, core): (u64, usize),
    is_silent: bool,
) -> Result<Output> {
    let corpus = folder.join("corpus");
    fs::create_dir_all(&corpus).context("cannot make a temporary folder")?;
    let mut command = free(Command::new("taskset"));
    if is_silent {
        command.env("DWINDLE_EXPLAIN", "off");
    }
    command
        .args(["-c", &core.to_string()])
        .arg(binary)
        .arg(corpus)
        .args([
            "-artifact_prefix=./",
            &format!("-seed={seed}"),
            &format!("-max_total_time={SECONDS}"),
        ])
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("FIXTURE_PANICS", "1")
        .env("DWINDLE_STORE", folder.join("store"));
    let output = command.output().context("cannot start taskset")?;
    ensure!(
        output.status.code() == Some(77),
        "{command:?} ended with {}:\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output)
}

/// How many further causes the store in `folder` has.
fn causes(folder: &Path) -> Result<usize> {
    let mut count = 0;
    let bugs = folders(&folder.join("store"), "one_in_ten").into_iter();
    for bug in bugs.filter(|bug| bug.is_dir()) {
        let names = fs::read_dir(bug)?.flatten().map(|entry| entry.file_name());
        count += names.filter(|name| name.to_string_lossy().starts_with("variant-cause-")).count();
    }
    Ok(count)
}
