//! A maze that only a score leads through: executions to its end, and ten times as many without the
//! score.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::evidence::build::FIXTURE;
use crate::tools;

const SEEDS: u64 = 3;
/// The most executions that libFuzzer and AFL++ may use to find the end with the score.
const RUNS_MAX: u64 = 20_000_000;
/// Each engine, with its name for `--engine`. `limits` makes the arguments that pass the seed and
/// the number of executions to its fuzzer.
const ENGINES: [Engine; 2] = [
    Engine {
        name: "libfuzzer",
        options: &[],
        limits: |seed, runs| [format!("-seed={seed}"), format!("-runs={runs}")].to_vec(),
    },
    Engine {
        name: "afl",
        options: &["--as-is"],
        limits: |seed, runs| {
            ["-s", &seed.to_string(), "-E", &runs.to_string()].map(str::to_owned).to_vec()
        },
    },
];

struct Engine {
    name: &'static str,
    options: &'static [&'static str],
    limits: fn(u64, u64) -> Vec<String>,
}

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    println!("A maze of 64 steps, from an empty corpus:\n");
    println!(
        "| engine | seed | executions to the end, with `tc.target` | without it, ten times as many \
         |\n| --- | --- | --- | --- |"
    );
    for engine in &ENGINES {
        for seed in 1..=SEEDS {
            let (found, executions) = run(engine, "maze", seed, RUNS_MAX)?;
            let (found_untold, untold) = run(engine, "maze_untold", seed, executions * 10)?;
            println!(
                "| {} | {seed} | {} | {} |",
                engine.name,
                words(found, executions),
                words(found_untold, untold)
            );
        }
    }
    Ok(())
}

fn words(found: bool, executions: u64) -> String {
    if found { format!("{executions}") } else { format!("not found in {executions}") }
}

/// Whether a run finds the end, and after how many executions it stopped.
fn run(engine: &Engine, target: &str, seed: u64, runs: u64) -> Result<(bool, u64)> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let mut command = tools::cargo();
    command
        .args([
            "dwindle",
            "run",
            target,
            "--fuzz-dir",
            FIXTURE,
            "--json",
            "--stop-on-first",
            "--engine",
            engine.name,
        ])
        .args(engine.options)
        .arg(&corpus);
    command.arg("--store").arg(scratch.path().join("store"));
    if engine.name == "afl" {
        command.arg("--out").arg(scratch.path().join("out"));
    }
    command.arg("--").args((engine.limits)(seed, runs));
    let output = tools::with_cargo_afl(&mut command)?
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let words = || format!("{said}\n{}", String::from_utf8_lossy(&output.stderr));
    ensure!(
        matches!(output.status.code(), Some(0 | 1)),
        "the run ended with {}:\n{}",
        output.status,
        words()
    );
    let mut events = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let end = events
        .find(|event| event["event"] == "end")
        .with_context(|| format!("the run did not say how it ended:\n{}", words()))?;
    let executions = end["executions"].as_u64().context("the run did not count its executions")?;
    Ok((output.status.code() == Some(1), executions))
}
