//! Every way in which a target can fail, alone: found by a fuzzer that knows nothing, kept once,
//! minimized, and no end of the run.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::evidence::build::{self, FIXTURE};
use crate::tools;

/// The ways of the target `deadly`, and what each of them is called without a sanitizer and with
/// `AddressSanitizer`; nothing where it does not show.
const WAYS: [(&str, Option<&str>, Option<&str>); 14] = [
    ("Panic", Some("panic"), Some("panic")),
    ("PanicInDrop", Some("panic"), Some("panic")),
    ("CaughtPanic", Some("panic"), Some("panic")),
    ("PanicInThread", Some("panic"), Some("panic")),
    ("Abort", Some("abort"), Some("abort")),
    ("NullWrite", Some("segv"), Some("segv")),
    ("HeapOverflow", None, Some("asan")),
    ("UseAfterFree", None, Some("asan")),
    ("UseAfterReturn", None, Some("asan")),
    ("StackOverflow", Some("stack-overflow"), Some("stack-overflow")),
    ("EndlessLoop", Some("timeout"), Some("timeout")),
    ("EndlessAllocation", Some("oom"), Some("oom")),
    ("Leak", None, Some("leak")),
    ("Exit", Some("exit"), Some("exit")),
];
const SECONDS: u64 = 12;
/// libFuzzer's exit code of a run in which something failed.
const FAILED: i32 = 77;

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    println!(
        "| build | way | kind | draws | choices | status | folders | executions | exit | its input \
         fails again |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut wrong = 0;
    for (name, binary) in [
        ("plain", build::plain(FIXTURE, "deadly")?),
        ("AddressSanitizer", build::with_sanitizer(FIXTURE, "deadly")?),
    ] {
        for (way, without, with) in WAYS {
            if let Some(kind) = if name == "plain" { without } else { with } {
                wrong += u64::from(!one(name, &binary, way, kind)?);
            }
        }
    }
    println!("\n{wrong} of them not as they should be");
    Ok(())
}

/// One run of one way; whether all is as it should be.
fn one(build: &str, binary: &Path, way: &str, kind: &str) -> Result<bool> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let command = || {
        let mut command = Command::new(binary);
        command
            .env("DEADLY_WAY", way)
            .env("ASAN_OPTIONS", "detect_odr_violation=0")
            .env("DWINDLE_STORE", scratch.path().join("store"));
        command.current_dir(scratch.path());
        command
    };
    let ended = command()
        .arg(&corpus)
        .args([&format!("-max_total_time={SECONDS}"), "-timeout=2", "-seed=1"])
        .output()
        .context("cannot start the target")?;
    let words = String::from_utf8_lossy(&ended.stderr);
    let executions = words
        .lines()
        .find_map(|line| line.strip_prefix("dwindle: ")?.split_once(" executions in"))
        .map_or("?", |(count, _)| count);
    let folders: Vec<_> = fs::read_dir(scratch.path().join("store/deadly"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    let report = folders.first().and_then(|folder| fs::read(folder.join("report.json")).ok());
    let report: Value = report.map_or(Ok(Value::Null), |report| serde_json::from_slice(&report))?;
    let text = |field: &str| report[field].as_str().unwrap_or("-").to_owned();
    let draws = report["value"][0].as_str().unwrap_or("-").to_owned();
    let again = match folders.first() {
        Some(folder) => !command()
            .arg(folder.join("input"))
            .arg("-timeout=2")
            .arg("-rss_limit_mb=1024")
            .output()
            .context("cannot start the target")?
            .status
            .success(),
        None => false,
    };
    let code = ended.status.code();
    println!(
        "| {build} | {way} | {} | `{draws}` | {} | {} | {} | {executions} | {} | {} |",
        text("kind"),
        report["minimized_choices"],
        text("status"),
        folders.len(),
        code.map_or_else(|| "-".to_owned(), |code| code.to_string()),
        if again { "yes" } else { "NO" }
    );
    Ok(folders.len() == 1
        && text("kind") == kind
        && draws == format!("[({way}, 10)]")
        && text("status") == "minimized"
        && code == Some(FAILED)
        && again)
}
