//! Executions to the first bug; the program is in `bench/`.

use anyhow::{Context, Result, ensure};

use crate::tools;

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    let status = tools::cargo()
        .args([
            "run",
            "--locked",
            "--release",
            "--manifest-path",
            "bench/Cargo.toml",
            "--package",
            "first_bug",
        ])
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the program in bench/first_bug failed");
    Ok(())
}
