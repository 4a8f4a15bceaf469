//! How long it takes from a clone of this repository to the first minimized bug, and to the first
//! test of a property that passes.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::steps::processor_time_of_children;
use crate::tools;
use crate::transcripts::{Kind, blocks};

/// The exit code of a run that found a bug.
const BUG: i32 = 1;

pub(crate) fn measure() -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let clone = scratch.path().join("dwindle");
    println!(
        "Seconds from `git clone` on, with nothing built. Cargo's folder of downloaded crates is \
         that of this machine.\n"
    );
    println!("| step | processor seconds | seconds |\n| --- | --- | --- |");

    let mut git = Command::new("git");
    git.args(["clone", "--quiet"]).arg(tools::root()).arg(&clone);
    step("`git clone`", &mut git, 0)?;
    let bug = "`cargo dwindle run graphmap_remove_node --stop-on-first`, to a minimized bug";
    let arguments = "dwindle run graphmap_remove_node --stop-on-first";
    step(bug, &mut cargo(&clone, arguments), BUG)?;

    let property = scratch.path().join("sorting");
    step("`cargo new --lib sorting`", &mut cargo(scratch.path(), "new --lib sorting"), 0)?;
    write_property(&property, &clone)?;
    let test = "`cargo test --test sorting`, to a property that passes";
    step(test, &mut cargo(&property, "test --quiet --test sorting"), 0)
}

/// `cargo`, as a user types it in `folder`.
fn cargo(folder: &Path, arguments: &str) -> Command {
    let mut command = tools::cargo();
    command
        .args(arguments.split(' '))
        .current_dir(folder)
        .env_remove("CARGO_TARGET_DIR")
        .stdout(std::process::Stdio::null());
    command
}

/// Runs a command that must end with `code`, and prints its times.
fn step(what: &str, command: &mut Command, code: i32) -> Result<()> {
    let (before, began) = (processor_time_of_children(), Instant::now());
    let status = command.status().with_context(|| format!("cannot start {what}"))?;
    ensure!(status.code() == Some(code), "{what} ended with {status}");
    let processor = processor_time_of_children().saturating_sub(before).as_secs_f64();
    println!("| {what} | {processor:.0} | {:.0} |", began.elapsed().as_secs_f64());
    Ok(())
}

/// The Cargo.toml and the test that README shows.
fn write_property(folder: &Path, clone: &Path) -> Result<()> {
    let readme =
        fs::read_to_string(clone.join("README.md")).context("cannot read README of the clone")?;
    for block in blocks(&readme)? {
        let (Kind::File { path } | Kind::Append { path }) = &block.kind else { continue };
        let path = folder.with_file_name(path);
        let text = block.text.replace("../path/to/dwindle", &clone.to_string_lossy());
        let before = match block.kind {
            Kind::Append { .. } => fs::read_to_string(&path).context("cannot read a file")?,
            _ => String::new(),
        };
        fs::create_dir_all(path.parent().context("a path of README has a folder")?)?;
        fs::write(&path, format!("{before}\n{text}"))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
