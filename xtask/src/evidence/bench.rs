//! The measurements whose programs are packages of `bench/`.

use anyhow::{Context, Result, ensure};

use crate::tools;

/// Processor time and executions to the first bug.
pub(crate) fn first_bug() -> Result<()> {
    tools::require_cpp_compiler()?;
    run("first_bug")
}

/// dwindle as a reducer of generated programs.
pub(crate) fn programs() -> Result<()> {
    run("programs")
}

/// Claims about minimized failures.
pub(crate) fn claims() -> Result<()> {
    run("claims")
}

/// Faults behind one assertion that are found as causes.
pub(crate) fn causes() -> Result<()> {
    tools::require_cpp_compiler()?;
    run("causes")
}

fn run(package: &str) -> Result<()> {
    let status = tools::cargo()
        .args(["run", "--locked", "--release", "--manifest-path", "bench/Cargo.toml"])
        .args(["--package", package])
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the program in bench/{package} failed");
    Ok(())
}
