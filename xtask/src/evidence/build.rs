//! Building a target once, to start its executable many times.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::tools;

/// The fuzz crate of the tests.
pub(crate) const FIXTURE: &str = "xtask/tests/fixture";

/// Builds a target as `cargo dwindle run` does, and gives the executable.
pub(crate) fn plain(fuzz_dir: &str, target: &str) -> Result<PathBuf> {
    let mut command = tools::cargo();
    command.args(["dwindle", "run", target, "--fuzz-dir", fuzz_dir, "--", "-help=1"]);
    let output = command.env_remove("CARGO_TARGET_DIR").output().context("cannot start cargo")?;
    ensure!(
        output.status.success(),
        "the target {target} does not build:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    executable(fuzz_dir, "target/dwindle", target)
}

/// Builds a target as `cargo fuzz run` does, with `AddressSanitizer`, and gives the executable.
pub(crate) fn with_sanitizer(fuzz_dir: &str, target: &str) -> Result<PathBuf> {
    let mut command = tools::cargo_fuzz()?;
    command.args(["build", "--fuzz-dir", fuzz_dir, target]);
    let output = command.env_remove("CARGO_TARGET_DIR").output().context("cannot start cargo")?;
    ensure!(
        output.status.success(),
        "the target {target} does not build:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    executable(fuzz_dir, "target", target)
}

/// The executable lies in a folder named by the platform.
fn executable(fuzz_dir: &str, folder: &str, target: &str) -> Result<PathBuf> {
    let folders = fs::read_dir(tools::root().join(fuzz_dir).join(folder))?;
    let mut executables = folders.flatten().map(|entry| entry.path().join("release").join(target));
    executables
        .find(|path| path.is_file())
        .with_context(|| format!("{target} was built and is nowhere"))
}
