//! A minute of `cargo fuzz run` on a target with several bugs.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::evidence::run::Bug;
use crate::tools;

const TARGET: &str = "url_setters";

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let status = tools::cargo_fuzz()?
        .args(["run", TARGET])
        .arg(&corpus)
        .args(["--", "-max_total_time=60"])
        .arg(format!("-artifact_prefix={}/", scratch.path().display()))
        .env("DWINDLE_STORE", scratch.path().join("store"))
        .status()
        .context("cannot start cargo")?;
    println!("\n`cargo fuzz run {TARGET}` ended with {status}\n");
    println!("| bug | where | draws | choices | calls | status | its input fails again |\n| --- | --- | --- | --- | --- | --- | --- |");
    let store = scratch.path().join("store").join(TARGET);
    let mut folders: Vec<_> = fs::read_dir(&store).context("the run made no store")?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    ensure!(!folders.is_empty(), "the run found no bug");
    for folder in folders {
        let report = fs::read(folder.join("report.json")).with_context(|| format!("{} holds no report", folder.display()))?;
        let bug = Bug::from(serde_json::from_slice::<serde_json::Value>(&report)?);
        let again = tools::cargo_fuzz()?.args(["run", TARGET]).arg(folder.join("input")).output().context("cannot start cargo")?;
        let words = String::from_utf8_lossy(&again.stderr);
        let fails = !again.status.success() && words.contains("draw  ") && words.contains("panicked at");
        println!(
            "| {} | {} | `{}` | {} | {} | {} | {} |",
            bug.field("bug_id"),
            bug.field("location"),
            bug.draws(),
            bug.field("minimized_choices"),
            bug.field("calls"),
            bug.field("status"),
            if fails { "yes" } else { "NO" }
        );
    }
    Ok(())
}
