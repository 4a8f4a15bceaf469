//! Counting the instructions of all the processes of a command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// valgrind, about to count what `program` and all that it forks execute, and where it writes that:
/// a folder in `scratch`, empty now.
pub(crate) fn counting(program: &Path, scratch: &Path) -> Result<(Command, PathBuf)> {
    counting_outside(&[], program, scratch)
}

/// The same, without what is executed within some functions, named by patterns.
pub(crate) fn counting_outside(
    functions: &[&str],
    program: &Path,
    scratch: &Path,
) -> Result<(Command, PathBuf)> {
    let counts = scratch.join("counts");
    let _ = fs::remove_dir_all(&counts);
    fs::create_dir(&counts).context("cannot make a temporary folder")?;
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}/%p", counts.display()));
    command.args(functions.iter().map(|function| format!("--toggle-collect={function}")));
    // Behind those, which say the contrary too. It counts from the start, so each of them switches
    // that off, and at its end on again.
    command.arg("--collect-atstart=yes").arg(program);
    Ok((command, counts))
}

/// How many instructions were counted, by all processes together.
pub(crate) fn counted(counts: &Path) -> Result<u64> {
    let mut total = 0;
    // One file for each process.
    for file in fs::read_dir(counts)? {
        let text = fs::read_to_string(file?.path())?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("totals: "))
            .context("callgrind wrote no total")?;
        total += line.trim().parse::<u64>().context("callgrind's total is no number")?;
    }
    ensure!(total > 0, "callgrind counted nothing");
    Ok(total)
}
