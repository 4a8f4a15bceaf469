//! Counting instructions.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shapes::{Library, Shape};

const FEW: u64 = 20;
const MANY: u64 = 120;

/// Instructions to read one value: what more times cost, so that start and set-up fall out.
pub fn instructions(shape: Shape, library: Library) -> Result<f64> {
    let [few, many] = [FEW, MANY].map(|times| total(shape, library, times));
    Ok((many? - few?) as f64 / (MANY - FEW) as f64)
}

fn total(shape: Shape, library: Library, times: u64) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["run", shape.name(), library.name(), &times.to_string()])
        .output()
        .context("valgrind could not be started; install it (Debian: apt-get install valgrind)")?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "callgrind failed:\n{text}");
    let collected = text
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .with_context(|| format!("callgrind printed no count:\n{text}"))?;
    Ok(collected.1.trim().parse()?)
}
