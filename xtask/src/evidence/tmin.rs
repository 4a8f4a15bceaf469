//! The minimizers that come with the fuzzers: one file at a time, as people type it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::tools;

/// What `cargo fuzz tmin` makes of a file, or the file where it makes nothing of it; written below
/// `scratch`. Without dwindle in between (`is_off`) it is libFuzzer's own minimizer.
pub(crate) fn cargo_fuzz(
    fuzz_dir: &str,
    target: &str,
    file: &Path,
    scratch: &Path,
    is_off: bool,
) -> Result<Vec<u8>> {
    let folder = empty_folder(scratch, "fuzz-tmin")?;
    let mut command = tools::cargo_fuzz()?;
    command.args(["tmin", "--fuzz-dir", fuzz_dir, target]).arg(file).env_remove("CARGO_TARGET_DIR");
    command.args(["--", &format!("-artifact_prefix={}/", folder.display())]);
    if is_off {
        command.env("DWINDLE", "off");
    }
    // libFuzzer ends with an error where it does not know how to go on, which is how it always
    // ends.
    command.output().context("cannot start cargo")?;
    let mut made: Vec<Vec<u8>> =
        fs::read_dir(&folder)?.map(|entry| Ok(fs::read(entry?.path())?)).collect::<Result<_>>()?;
    made.push(fs::read(file)?);
    made.into_iter().min_by_key(Vec::len).context("there is no file")
}

/// What `cargo afl tmin` makes of a file with this executable, built by `cargo afl build`; written
/// below `scratch`.
pub(crate) fn cargo_afl(executable: &Path, file: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let out = empty_folder(scratch, "afl-tmin")?.join("out");
    let mut command = tools::cargo();
    command.args(["afl", "tmin", "-i"]).arg(file).arg("-o").arg(&out).arg("--").arg(executable);
    command
        .env("AFL_QUIET", "1")
        .env("AFL_SKIP_CPUFREQ", "1")
        .env("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1");
    let output = tools::with_cargo_afl(&mut command)?.output().context("cannot start cargo")?;
    let words = || {
        format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    };
    ensure!(
        output.status.success(),
        "`cargo afl tmin` of {} ended with {}:\n{}",
        file.display(),
        output.status,
        words()
    );
    fs::read(&out).with_context(|| format!("`cargo afl tmin` wrote nothing:\n{}", words()))
}

/// Builds a target for AFL++ as people do by hand, and gives the executable.
pub(crate) fn build_for_afl(fuzz_dir: &str, target: &str) -> Result<PathBuf> {
    let folder = tools::root().join(fuzz_dir).join("target/by-hand");
    let mut command: Command = tools::cargo();
    command.args([
        "afl",
        "build",
        "--release",
        "--no-default-features",
        "--features",
        "afl",
        "--bin",
        target,
    ]);
    command
        .arg("--manifest-path")
        .arg(tools::root().join(fuzz_dir).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder);
    let status = tools::with_cargo_afl(&mut command)?
        .env_remove("CARGO_TARGET_DIR")
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the target {target} does not build for AFL++");
    Ok(folder.join("release").join(target))
}

fn empty_folder(scratch: &Path, name: &str) -> Result<PathBuf> {
    let folder = scratch.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder).context("cannot make a temporary folder")?;
    Ok(folder)
}
