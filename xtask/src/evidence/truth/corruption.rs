//! Memory corruption: under how many ids one fault is kept, in plain builds and with
//! `AddressSanitizer`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::evidence::build::{self, FIXTURE};
use crate::tools;

/// The faults of the target `corrupt`.
const FAULTS: [&str; 4] = ["double-free", "use-after-free", "heap-overflow", "stack-overflow"];
/// Each run, and how many ids one fault may have.
const SECONDS: u64 = 60;
const PLAIN_MAX: usize = 4;
const SANITIZER_MAX: usize = 2;
/// Words of places that are no user's.
const MACHINERY: [&str; 6] =
    ["Fuzzer", "libfuzzer-sys", "dwindle-", "engine/src/", "harness/src/", "compiler-rt"];

pub(super) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    let number = |name: &str, otherwise| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (seeds, seconds) = (number("SEEDS", 20), number("SECONDS", SECONDS));
    let at_once = number("AT_ONCE", thread::available_parallelism()?.get() as u64) as usize;
    println!(
        "{seeds} seeds of {seconds} s each, {at_once} at once (`SEEDS`, `SECONDS` and `AT_ONCE` \
         change that)\n"
    );
    println!("| build | fault | ids for it, by seed | places in machinery |");
    println!("| --- | --- | --- | --- |");
    let builds = [
        ("plain", PLAIN_MAX, build::plain(FIXTURE, "corrupt")?),
        ("AddressSanitizer", SANITIZER_MAX, build::with_sanitizer(FIXTURE, "corrupt")?),
    ];
    let mut is_met = true;
    for (build, ids_max, binary) in &builds {
        for fault in
            FAULTS.into_iter().filter(|fault| super::is_wanted(&format!("{build} {fault}")))
        {
            let mut ids = Vec::new();
            let mut in_machinery = 0;
            for seeds in (1..=seeds).collect::<Vec<_>>().chunks(at_once) {
                for places in all_at_once(seeds, |seed| places_of(binary, fault, seed, seconds))? {
                    in_machinery += places
                        .iter()
                        .filter(|place| MACHINERY.iter().any(|words| place.contains(words)))
                        .count();
                    ids.push(places.len());
                }
            }
            is_met &= in_machinery == 0 && ids.iter().all(|ids| (1..=*ids_max).contains(ids));
            let ids: Vec<String> = ids.iter().map(usize::to_string).collect();
            println!("| {build} | {fault} | {} | {in_machinery} |", ids.join(" "));
        }
    }
    println!(
        "\nat most {PLAIN_MAX} ids for one fault in a plain build, {SANITIZER_MAX} with a \
         sanitizer, none in machinery: {}",
        if is_met { "met" } else { "not met" }
    );
    Ok(())
}

/// What a function makes of each seed, in their order; each has a thread.
fn all_at_once<T: Send>(seeds: &[u64], make: impl Fn(u64) -> Result<T> + Sync) -> Result<Vec<T>> {
    thread::scope(|scope| {
        let threads: Vec<_> = seeds.iter().map(|seed| scope.spawn(|| make(*seed))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    })
}

/// The places of the bugs that one run keeps.
fn places_of(binary: &Path, fault: &str, seed: u64, seconds: u64) -> Result<Vec<String>> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let (corpus, store) = (scratch.path().join("corpus"), scratch.path().join("store"));
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    Command::new(binary)
        .arg(&corpus)
        .args([
            format!("-seed={seed}"),
            format!("-max_total_time={seconds}"),
            "-artifact_prefix=./".to_owned(),
        ])
        .env("CORRUPT_FAULT", fault)
        .env("DWINDLE_STORE", &store)
        .current_dir(scratch.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("the target cannot be started")?;
    let mut places = Vec::new();
    for bug in fs::read_dir(store.join("corrupt")).context("the run has left no store")?.flatten() {
        let Ok(report) = fs::read(bug.path().join("report.json")) else { continue };
        let report: Value = serde_json::from_slice(&report)?;
        places.push(report["location"].as_str().unwrap_or_default().to_owned());
    }
    Ok(places)
}
