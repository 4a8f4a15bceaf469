//! A fault inside the allocator, while its lock is held: what each of two hundred runs keeps of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::evidence::build::{self, FIXTURE};

const RUNS: u64 = 200;
const WAY: &str = "InMalloc";
/// Three steps, the one in the middle of which fails: the first input that each fuzzer reads.
const INPUT: [u8; 7] = [1, 200, 2, 77, 1, 3, 0];

pub(super) fn measure() -> Result<()> {
    let binary = build::plain(FIXTURE, "crash_path")?;
    let (mut kept, mut as_it_is, mut deaths) = (BTreeMap::<String, u64>::new(), 0, 0);
    for seed in 1..=RUNS {
        let run = one(&binary, seed)?;
        deaths += run.deaths;
        as_it_is += u64::from(
            run.kept
                == [("segv", "minimized")]
                    .map(|(kind, status)| format!("{kind}, {status}, [({WAY}, 10)]")),
        );
        for bug in run.kept {
            *kept.entry(bug).or_default() += 1;
        }
    }
    println!("| kept as | runs |");
    println!("| --- | --- |");
    for (bug, runs) in &kept {
        println!("| {bug} | {runs} |");
    }
    println!(
        "\n{deaths} deaths in {RUNS} runs of 300 executions, from one input that fails; with a \
         second thread, so that the allocator takes its lock"
    );
    let is_met = as_it_is == RUNS;
    println!(
        "{as_it_is} of {RUNS} runs kept it once and as what it is: {}",
        if is_met { "met" } else { "NOT met" }
    );
    Ok(())
}

struct Run {
    kept: Vec<String>,
    deaths: u64,
}

fn one(binary: &Path, seed: u64) -> Result<Run> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus)
        .and_then(|()| fs::write(corpus.join("fails"), INPUT))
        .context("cannot make a temporary folder")?;
    let mut command = Command::new(binary);
    command
        .env("CRASH_PATH_WAY", WAY)
        .env("DWINDLE_STORE", scratch.path().join("store"))
        .current_dir(scratch.path());
    command.arg(&corpus).args(["-runs=300", "-timeout=5", &format!("-seed={seed}")]);
    let output = command.output().context("cannot start the target")?;
    let words = String::from_utf8_lossy(&output.stderr);
    let deaths = words
        .split(" deaths")
        .next()
        .and_then(|before| before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .unwrap_or(0);
    let mut kept = Vec::new();
    for folder in
        fs::read_dir(scratch.path().join("store/crash_path")).into_iter().flatten().flatten()
    {
        let report: Value = fs::read(folder.path().join("report.json"))
            .map_or(Ok(Value::Null), |report| serde_json::from_slice(&report))?;
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        kept.push(format!(
            "{}, {}, {}",
            text(&report["kind"]),
            text(&report["status"]),
            text(&report["value"][0])
        ));
    }
    kept.sort();
    Ok(Run { kept, deaths })
}
