//! Whether `DWINDLE=off` is libFuzzer as libfuzzer-sys has it, beside twins; and whether a fuzzing
//! service gets what it needs of `DWINDLE=service`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::evidence::build::{self, FIXTURE};
use crate::evidence::median::median;
use crate::tools;

/// How many executions are compared, and with which seeds.
const RUNS: &str = "-runs=10000";
const SEEDS: std::ops::RangeInclusive<u32> = 1..=5;
/// How many executions are timed, and how often, in turns.
const TIMED_RUNS: &str = "-runs=200000";
const ROUNDS: usize = 5;

/// A target, its twin on libfuzzer-sys, the same twin under another name, and flags without which
/// the twins differ: features have numbers by the order of functions, some of which differ by a
/// hash alone, and the entropic power schedule depends on these; and libFuzzer sees addresses
/// compared, in a build with `AddressSanitizer` for each frame of the stack.
struct Trio {
    ours: &'static str,
    twin: &'static str,
    same: &'static str,
    flags: &'static [&'static str],
}

const TRIOS: [Trio; 3] = [
    Trio {
        ours: "twin_ours_bytes",
        twin: "twin_base_bytes",
        same: "twin_same_bytes",
        flags: &["-entropic=0"],
    },
    Trio {
        ours: "twin_ours_choices",
        twin: "twin_base_choices",
        same: "twin_same_choices",
        flags: WITHOUT_BOTH,
    },
    Trio { ours: "twin_ours", twin: "twin_base", same: "twin_same", flags: WITHOUT_BOTH },
];
const WITHOUT_BOTH: &[&str] = &["-entropic=0", "-use_cmp=0"];

/// Targets with one bug each, and the environment that leaves it alone.
const BUGS: [(&str, Option<&str>); 8] = [
    ("drop_in_bytes", None),
    ("drop_in_value", None),
    ("deadly", Some("Panic")),
    ("deadly", Some("Abort")),
    ("deadly", Some("NullWrite")),
    ("deadly", Some("HeapOverflow")),
    ("deadly", Some("UseAfterFree")),
    ("deadly", Some("StackOverflow")),
];
/// How often a service minimizes what it minimized before.
const MINIMIZATIONS: usize = 3;

pub(super) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    let equal = twins()?;
    let served = services()?;
    println!("\nfigure 5: {}", if equal && served { "met" } else { "MISSED" });
    Ok(())
}

/// Runs each target with `DWINDLE=off` beside its twin; whether all are equal.
fn twins() -> Result<bool> {
    println!(
        "`DWINDLE=off` beside a twin on libfuzzer-sys, {RUNS}, seeds {SEEDS:?}. Compared is all \
         that libFuzzer prints but addresses, times and memory: each"
    );
    println!(
        "line with `cov:`, `ft:` and `corp:`, the dictionary that it recommends and \
         `-print_final_stats`; and what the target prints of each input.\n"
    );
    println!(
        "| target | build | flags | last line of the last seed | counters in the binary | in that \
         of the twin | equal seeds | of the twin under another name | time beside the twin |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut all_equal = true;
    for trio in &TRIOS {
        let names = [trio.ours, trio.twin, trio.same];
        let plain = build_all(build::plain, names)?;
        let with_sanitizer = build_all(build::with_sanitizer, names)?;
        for (name, binaries, flags) in
            [("plain", plain, trio.flags), ("AddressSanitizer", with_sanitizer, WITHOUT_BOTH)]
        {
            let [ours, twin, _] = &binaries;
            let ratio = time_beside(ours, twin)?;
            for flags in [&[][..], flags] {
                let (mut equal, mut equal_of_same, mut last) = (0, 0, String::new());
                for seed in SEEDS {
                    let [ours, twin, same] =
                        binaries.each_ref().map(|binary| transcript(binary, seed, flags));
                    let (ours, twin, same) = (ours?, twin?, same?);
                    equal += usize::from(ours == twin);
                    equal_of_same += usize::from(same == twin);
                    last = ours
                        .0
                        .iter()
                        .rfind(|line| line.contains("cov: "))
                        .map(|line| line.replace('\t', " "))
                        .unwrap_or_default();
                }
                // With the default flags, even the twin and its copy under another name may differ.
                // Their result therefore does not count.
                all_equal &= flags.is_empty() || equal == SEEDS.count();
                let (counters, counters_of_twin) = (counters(ours)?, counters(twin)?);
                let (flags, seeds) = (
                    if flags.is_empty() { "none".to_owned() } else { flags.join(" ") },
                    SEEDS.count(),
                );
                println!(
                    "| {} | {name} | {flags} | {last} | {counters} | {counters_of_twin} | {equal} \
                     of {seeds} | {equal_of_same} of {seeds} | {ratio:.2} |",
                    trio.ours
                );
            }
        }
    }
    Ok(all_equal)
}

fn build_all(build: fn(&str, &str) -> Result<PathBuf>, names: [&str; 3]) -> Result<[PathBuf; 3]> {
    let [ours, twin, same] = names.map(|name| build(FIXTURE, name));
    Ok([ours?, twin?, same?])
}

/// What libFuzzer prints in a run, without what differs from run to run, and what the target
/// prints.
fn transcript(binary: &Path, seed: u32, flags: &[&str]) -> Result<(Vec<String>, String)> {
    let (stderr, stdout) = off(Command::new(binary).args(flags).args([
        RUNS,
        "-print_final_stats=1",
        &format!("-seed={seed}"),
    ]))?;
    let differs = [
        "INFO: Loaded ",
        "INFO: Running with",
        "stat::average_exec_per_sec",
        "stat::peak_rss_mb",
        "Done ",
    ];
    let lines = stderr.lines().filter(|line| !differs.iter().any(|start| line.starts_with(start)));
    Ok((
        lines
            .map(|line| line.split(" exec/s: ").next().unwrap_or_default())
            .map(without_address)
            .collect(),
        stdout,
    ))
}

/// A line without what stands behind the number of a new function.
fn without_address(line: &str) -> String {
    line.split_once("]: 0x")
        .filter(|_| line.contains("NEW_FUNC["))
        .map_or(line, |(name, _)| name)
        .to_owned()
}

/// How many counters libFuzzer has.
fn counters(binary: &Path) -> Result<u64> {
    let (words, _) = off(Command::new(binary).arg("-runs=1"))?;
    let number = words
        .split_once(" inline 8-bit counters): ")
        .and_then(|(before, _)| before.rsplit('(').next()?.parse().ok());
    number.with_context(|| format!("libFuzzer does not say how many counters it has:\n{words}"))
}

fn time_beside(ours: &Path, twin: &Path) -> Result<f64> {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (times, binary) in times.iter_mut().zip([ours, twin]) {
            let began = Instant::now();
            off(Command::new(binary).args([TIMED_RUNS, "-seed=1", "-max_len=64"]))?;
            times.push(began.elapsed());
        }
    }
    let [ours, twin] = times.map(median);
    Ok(ours.as_secs_f64() / twin.as_secs_f64())
}

/// What a run with `DWINDLE=off` prints on stderr and stdout.
fn off(command: &mut Command) -> Result<(String, String)> {
    let output = command
        .env("DWINDLE", "off")
        .env("ASAN_OPTIONS", "detect_odr_violation=0")
        .output()
        .context("cannot start a target")?;
    let [stderr, stdout] =
        [&output.stderr, &output.stdout].map(|words| String::from_utf8_lossy(words).into_owned());
    ensure!(output.status.success(), "a run ended with {}:\n{stderr}", output.status);
    Ok((stderr, stdout))
}

/// Two inputs of each bug, found, minimized again and again, cleansed and replayed as `ClusterFuzz`
/// does it; whether each is one bug to it.
fn services() -> Result<bool> {
    let python = tools::install_clusterfuzz()?;
    println!(
        "\n`DWINDLE=service`, two inputs of each bug (seeds 1 and 2), AddressSanitizer, read by \
         clusterfuzz {} (PyPI):\n",
        tools::CLUSTERFUZZ_VERSION
    );
    println!(
        "| target | type | state | one type and state | minimized {MINIMIZATIONS} times and \
         cleansed | |\n| --- | --- | --- | --- | --- | --- |"
    );
    let mut all_well = true;
    for (target, way) in BUGS {
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let served = Served { target, way, binary: build::with_sanitizer(FIXTURE, target)? };
        let mut read = Vec::new();
        let (mut same_bytes, mut lengths) = (true, Vec::new());
        for seed in [1, 2] {
            let file = |name: &str| scratch.path().join(format!("{name}-{seed}"));
            let found = served.find(seed, &file("crash"))?;
            read.push(parse(&python, scratch.path(), &found)?);
            let mut last = file("crash");
            for round in 0..MINIMIZATIONS {
                let next = file(&format!("round{round}"));
                served.minimize(&last, &next)?;
                last = next;
            }
            served.cleanse(&last, &file("cleansed"))?;
            let minimized = fs::read(file("round0"))?;
            same_bytes &= minimized == fs::read(&last)? && minimized == fs::read(file("cleansed"))?;
            lengths.push(format!(
                "{} to {} bytes",
                fs::metadata(file("crash"))?.len(),
                minimized.len()
            ));
            read.push(parse(&python, scratch.path(), &served.replay(&file("cleansed"))?)?);
        }
        let is_one = read.iter().all(|one| one == &read[0] && one.0 != "None");
        all_well &= is_one && same_bytes;
        let name = way.map_or_else(|| target.to_owned(), |way| format!("{target}, {way}"));
        let (verdict, bytes) = (
            if is_one { "yes" } else { "NO" },
            if same_bytes { "byte-identical" } else { "DIFFERS" },
        );
        println!(
            "| {name} | {} | {} | {verdict} | {bytes} | {} |",
            read[0].0,
            read[0].1.trim().replace('\n', "; "),
            lengths.join(", ")
        );
    }
    Ok(all_well)
}

/// A target with one bug, run as a fuzzing service runs it.
struct Served {
    target: &'static str,
    /// The environment that leaves only one bug in the target.
    way: Option<&'static str>,
    binary: PathBuf,
}

impl Served {
    fn run(&self, arguments: &[String]) -> Result<Output> {
        let mut command = Command::new(&self.binary);
        if let Some(way) = self.way {
            command.env("DEADLY_WAY", way);
        }
        command
            .args(arguments)
            .env("DWINDLE", "service")
            .env("ASAN_OPTIONS", "detect_odr_violation=0")
            .output()
            .context("cannot start a target")
    }

    /// Fuzzes until the target fails, and writes the input. Returns what the target prints.
    fn find(&self, seed: u32, crash: &Path) -> Result<Vec<u8>> {
        let found =
            self.run(&[format!("-seed={seed}"), "-runs=5000000".to_owned(), exact(crash)])?;
        ensure!(
            crash.is_file(),
            "{} does not fail:\n{}",
            self.target,
            String::from_utf8_lossy(&found.stderr)
        );
        Ok(found.stderr)
    }

    fn minimize(&self, from: &Path, to: &Path) -> Result<()> {
        let ended = self.run(&[
            "-minimize_crash=1".to_owned(),
            "-max_total_time=30".to_owned(),
            exact(to),
            from.display().to_string(),
        ])?;
        ensure!(
            ended.status.success(),
            "{} is not minimized:\n{}",
            self.target,
            String::from_utf8_lossy(&ended.stderr)
        );
        Ok(())
    }

    fn cleanse(&self, from: &Path, to: &Path) -> Result<()> {
        self.run(&["-cleanse_crash=1".to_owned(), exact(to), from.display().to_string()]).map(drop)
    }

    /// Returns what the target prints.
    fn replay(&self, file: &Path) -> Result<Vec<u8>> {
        Ok(self.run(&[file.display().to_string()])?.stderr)
    }
}

/// libFuzzer's flag that names the file to write.
fn exact(file: &Path) -> String {
    format!("-exact_artifact_path={}", file.display())
}

/// The type and the state that `ClusterFuzz` reads in what a target printed.
fn parse(python: &Path, scratch: &Path, printed: &[u8]) -> Result<(String, String)> {
    const SCRIPT: &str = "import json, sys; from clusterfuzz import stacktraces; crash = \
                          stacktraces.StackParser(fuzz_target='target').parse(open(sys.argv[1], \
                          errors='replace').read()); print(json.dumps([crash.crash_type, \
                          crash.crash_state]))";
    let file = scratch.join("printed");
    fs::write(&file, printed)?;
    let output = Command::new(python)
        .args(["-c", SCRIPT])
        .arg(&file)
        .output()
        .context("cannot start Python")?;
    ensure!(
        output.status.success(),
        "clusterfuzz does not read this:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).context("clusterfuzz says something else")
}
