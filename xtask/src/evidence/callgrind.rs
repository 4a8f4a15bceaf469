//! Counting the instructions of all the processes of a command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// valgrind, about to count what `program` and all that it forks execute, and where it writes that: a folder in `scratch`, empty now.
pub(crate) fn counting(program: &Path, scratch: &Path) -> Result<(Command, PathBuf)> {
    let counts = scratch.join("counts");
    let _ = fs::remove_dir_all(&counts);
    fs::create_dir(&counts).context("cannot make a temporary folder")?;
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}/%p", counts.display())).arg(program);
    Ok((command, counts))
}

/// How many instructions were counted, by all processes together.
pub(crate) fn counted(counts: &Path) -> Result<u64> {
    let mut total = 0;
    // One file for each process.
    for file in fs::read_dir(counts)? {
        let text = fs::read_to_string(file?.path())?;
        let line = text.lines().find_map(|line| line.strip_prefix("totals: ")).context("callgrind wrote no total")?;
        total += line.trim().parse::<u64>().context("callgrind's total is no number")?;
    }
    ensure!(total > 0, "callgrind counted nothing");
    Ok(total)
}
