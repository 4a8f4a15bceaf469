//! dwindle as a reducer of generated programs; the program is in `bench/`.

use anyhow::{Context, Result, ensure};

use crate::tools;

pub(crate) fn measure() -> Result<()> {
    let status = tools::cargo()
        .args([
            "run",
            "--locked",
            "--release",
            "--manifest-path",
            "bench/Cargo.toml",
            "--package",
            "programs",
        ])
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the program in bench/programs failed");
    Ok(())
}
