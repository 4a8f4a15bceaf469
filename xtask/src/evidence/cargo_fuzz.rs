//! Minutes of `cargo fuzz run` on targets with several bugs.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::evidence::run::Bug;
use crate::tools;

/// Panics, one behind the other.
pub(crate) fn url() -> Result<()> {
    measure("fuzz", "url_setters", "address", 60)
}

/// Memory that is overrun, which shows in several ways.
pub(crate) fn smallvec() -> Result<()> {
    measure("fuzz", "smallvec_insert_many", "address", 60)
}

/// Twenty planted bugs.
pub(crate) fn twenty() -> Result<()> {
    measure("xtask/tests/fixture", "twenty", "address", 300)
}

/// The same in a build without a sanitizer.
pub(crate) fn twenty_plain() -> Result<()> {
    measure("xtask/tests/fixture", "twenty", "none", 300)
}

fn measure(fuzz_dir: &str, target: &str, sanitizer: &str, seconds: u64) -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let status = tools::cargo_fuzz()?
        .args(["run", "--fuzz-dir", fuzz_dir, "--sanitizer", sanitizer, target])
        .arg(&corpus)
        .args(["--", &format!("-max_total_time={seconds}")])
        .arg(format!("-artifact_prefix={}/", scratch.path().display()))
        .env("DWINDLE_STORE", scratch.path().join("store"))
        .status()
        .context("cannot start cargo")?;
    println!("\n`cargo fuzz run --sanitizer {sanitizer} {target}` ended with {status}\n");
    println!(
        "| bug | kind | where | draws | choices | calls | status | its input fails again |\n| --- \
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    let store = scratch.path().join("store").join(target);
    let mut folders: Vec<_> = fs::read_dir(&store)
        .context("the run made no store")?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    ensure!(!folders.is_empty(), "the run found no bug");
    let count = folders.len();
    for folder in folders {
        let report = fs::read(folder.join("report.json"))
            .with_context(|| format!("{} holds no report", folder.display()))?;
        let bug = Bug::from(serde_json::from_slice::<serde_json::Value>(&report)?);
        let again = tools::cargo_fuzz()?
            .args(["run", "--fuzz-dir", fuzz_dir, "--sanitizer", sanitizer, target])
            .arg(folder.join("input"))
            .output()
            .context("cannot start cargo")?;
        let words = String::from_utf8_lossy(&again.stderr);
        let fails = !again.status.success() && words.contains("draw  ");
        println!(
            "| {} | {} | {} | `{}` | {} | {} | {} | {} |",
            bug.field("bug_id"),
            bug.field("kind"),
            bug.field("location"),
            bug.draws(),
            bug.field("minimized_choices"),
            bug.field("calls"),
            bug.field("status"),
            if fails { "yes" } else { "NO" }
        );
    }
    println!("\n{count} bugs");
    Ok(())
}
