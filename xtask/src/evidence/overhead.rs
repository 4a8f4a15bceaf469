//! What supervising and recording cost while nothing fails, and what a known panic costs that one
//! input in ten has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::evidence::build::{self, FIXTURE};
use crate::evidence::callgrind;
use crate::evidence::median::median;
use crate::tools;

/// Targets in which nothing fails: one that does next to nothing, and one that decodes, encodes and
/// compares.
const SOUND: [(&str, &str); 2] = [(FIXTURE, "sound"), ("fuzz", "byte_format")];
/// How many files two runs read and execute; what the second has more of is executions. Nothing is
/// mutated: fuzzers with one seed soon go different ways.
const FILES: [u64; 2] = [200, 1_000];
const FILE_MAX: u64 = 128;
/// At most this much of the instructions of the same run with `DWINDLE=off`.
const GOAL: f64 = 1.03;
/// What fuzzer and supervisor do within these is done by the clock, and under valgrind that would
/// be a hundred times as often.
const BY_THE_CLOCK: [&str; 2] = [
    "dwindle::fuzzers::libfuzzer::fuzzer::Fuzzer::copy*",
    "dwindle::fuzzers::libfuzzer::supervisor::Supervisor::watch*",
];
/// How long a run is in which that is measured.
const BY_THE_CLOCK_SECONDS: u64 = 60;

/// How often each rate is measured, in turns, and in how many executions.
const ROUNDS: usize = 5;
const RUNS_OF_A_ROUND: u64 = 300_000;

/// `FIXTURE_PANICS` of the target `one_in_ten`, and whether further causes are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panics {
    None,
    OneInTen,
    Unexplained,
}

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_valgrind()?;
    tools::require_nightly()?;
    println!(
        "Instructions of an execution, of all processes together (callgrind, plain build, the same \
         inputs, libFuzzer's own included), without what is done"
    );
    println!(
        "by the clock; that in hundredths of the processor time of a run of {BY_THE_CLOCK_SECONDS} \
         seconds; and both together to a run without:\n"
    );
    println!(
        "| target | supervised | DWINDLE=off | by the clock | ratio | at most | |\n| --- | --- | \
         --- | --- | --- | --- | --- |"
    );
    for (fuzz_dir, target) in SOUND {
        let binary = build::plain(fuzz_dir, target)?;
        let (supervised, off) =
            (for_an_execution(&binary, false)?, for_an_execution(&binary, true)?);
        let by_the_clock = by_the_clock(&binary)?;
        let ratio = supervised / off * (1.0 + by_the_clock);
        let verdict = if ratio <= GOAL { "met" } else { "MISSED" };
        println!(
            "| {target} | {supervised:.0} | {off:.0} | {:.2} | {ratio:.4} | {GOAL} | {verdict} |",
            by_the_clock * 100.0
        );
    }
    println!(
        "\nWith a known panic (target one_in_ten; medians of {ROUNDS} rounds of {RUNS_OF_A_ROUND} \
         executions, in turns):\n"
    );
    println!(
        "| build | executions a second of the processor | with the panic | ratio | with \
         DWINDLE_EXPLAIN=off | ratio | inputs that panic |\n| --- | --- | --- | --- | --- | --- | \
         --- |"
    );
    for (build, binary) in [
        ("plain", build::plain(FIXTURE, "one_in_ten")?),
        ("AddressSanitizer", build::with_sanitizer(FIXTURE, "one_in_ten")?),
    ] {
        with_panics(build, &binary)?;
    }
    Ok(())
}

/// Instructions of an execution, from the difference of two runs.
fn for_an_execution(binary: &Path, is_off: bool) -> Result<f64> {
    let [few, many] = FILES;
    Ok((instructions(binary, is_off, many)? - instructions(binary, is_off, few)?) as f64
        / (many - few) as f64)
}

/// Instructions of all processes of a run over `files` files.
fn instructions(binary: &Path, is_off: bool, files: u64) -> Result<u64> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let (command, counts) = callgrind::counting_outside(&BY_THE_CLOCK, binary, scratch.path())?;
    let mut command = free(command);
    if is_off {
        command.env("DWINDLE", "off");
    }
    let corpus = empty_corpus(scratch.path())?;
    let mut numbers = std::iter::successors(Some(1_u64), |number| {
        Some(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    });
    for file in 0..files {
        let bytes: Vec<u8> = numbers
            .by_ref()
            .take((1 + file % FILE_MAX) as usize)
            .map(|number| (number >> 56) as u8)
            .collect();
        fs::write(corpus.join(format!("{file:04}")), bytes)?;
    }
    fuzz(&mut command, scratch.path(), 0)?;
    callgrind::counted(&counts)
}

/// What is done by the clock, to all that a fuzzer does: the supervisor's time, and what the system
/// does for its fuzzer, making copies of it above all, more than for one without.
fn by_the_clock(binary: &Path) -> Result<f64> {
    let (supervisor, fuzzer, system) = in_a_minute(binary, false)?;
    let (_, without, system_without) = in_a_minute(binary, true)?;
    Ok((supervisor + system) / (fuzzer - system) - system_without / (without - system_without))
}

/// Seconds of the processor in a run: the supervisor's; its fuzzer's, and of these those within the
/// system. Without a supervisor there are only those of the fuzzer.
fn in_a_minute(binary: &Path, is_off: bool) -> Result<(f64, f64, f64)> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut command = free(Command::new(binary));
    if is_off {
        command.env("DWINDLE", "off");
    }
    let corpus = empty_corpus(scratch.path())?;
    command.arg(corpus).args([
        "-seed=1",
        "-len_control=0",
        &format!("-max_total_time={BY_THE_CLOCK_SECONDS}"),
    ]);
    command
        .env("DWINDLE_STORE", scratch.path().join("store"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", binary.display()))?;
    std::thread::sleep(Duration::from_secs(BY_THE_CLOCK_SECONDS - 1));
    let measured = if is_off {
        times_of(child.id()).map(|(all, system)| (0.0, all, system))
    } else {
        times_with_fuzzer(child.id())
    };
    let status = child.wait()?;
    ensure!(status.success(), "a run of {} ended with {status}", binary.display());
    measured
}

/// Those of a supervisor and its fuzzer.
fn times_with_fuzzer(supervisor: u32) -> Result<(f64, f64, f64)> {
    let children = fs::read_to_string(format!("/proc/{supervisor}/task/{supervisor}/children"))
        .context("the system does not name child processes")?;
    let children = children.split_whitespace().map(|child| times_of(child.parse()?));
    // What else there is, for minimizing, has nothing to do.
    let fuzzer = children
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .context("the supervisor has no fuzzer")?;
    Ok((times_of(supervisor)?.0, fuzzer.0, fuzzer.1))
}

/// Seconds of the processor that a process took so far, and of these those within the system.
fn times_of(process: u32) -> Result<(f64, f64)> {
    let read = |file: &str| {
        fs::read_to_string(format!("/proc/{process}/{file}"))
            .context("the system does not tell processor times")
    };
    let nanoseconds = read("schedstat")?
        .split(' ')
        .next()
        .unwrap_or_default()
        .parse::<u64>()
        .context("the system does not tell processor times")?;
    Ok((nanoseconds as f64 / 1e9, ticks(&read("stat")?, 12..13)?))
}

fn with_panics(build: &str, binary: &Path) -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let run = |panics: Panics, runs: u64| -> Result<f64> {
        let mut command = free(Command::new(binary));
        if panics != Panics::None {
            command.env("FIXTURE_PANICS", "1");
        }
        if panics == Panics::Unexplained {
            command.env("DWINDLE_EXPLAIN", "off");
        }
        empty_corpus(scratch.path())?;
        let before = children_seconds()?;
        fuzz(&mut command, scratch.path(), runs)?;
        Ok(children_seconds()? - before)
    };
    // The bug becomes known, and is minimized.
    run(Panics::OneInTen, 1_000)?;
    let before = hits(scratch.path())?;
    let mut rates = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (rates, panics) in
            rates.iter_mut().zip([Panics::None, Panics::OneInTen, Panics::Unexplained])
        {
            // Without the start of the processes.
            let seconds = run(panics, RUNS_OF_A_ROUND)? - run(panics, 1)?;
            rates.push(RUNS_OF_A_ROUND as f64 / seconds);
        }
    }
    let executions = 2.0 * RUNS_OF_A_ROUND as f64 * ROUNDS as f64;
    let share = (hits(scratch.path())? - before) as f64 / executions;
    let [without, with, unexplained] = rates.map(median);
    println!(
        "| {build} | {without:.0} | {with:.0} | {:.2} | {unexplained:.0} | {:.2} | {:.1} % |",
        with / without,
        unexplained / without,
        share * 100.0
    );
    Ok(())
}

fn empty_corpus(scratch: &Path) -> Result<PathBuf> {
    let corpus = scratch.join("corpus");
    let _ = fs::remove_dir_all(&corpus);
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    Ok(corpus)
}

/// Fuzzes with one seed; the store is kept from run to run.
fn fuzz(command: &mut Command, scratch: &Path, runs: u64) -> Result<()> {
    command.arg(scratch.join("corpus")).args([
        "-seed=1",
        "-len_control=0",
        &format!("-runs={runs}"),
        &format!("-artifact_prefix={}/", scratch.display()),
    ]);
    command
        .env("DWINDLE_STORE", scratch.join("store"))
        .env("ASAN_OPTIONS", "detect_odr_violation=0");
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(
        matches!(output.status.code(), Some(0 | 77)) && words.contains("Done "),
        "a run ended with {}:\n{words}",
        output.status
    );
    Ok(())
}

/// The command without what the caller's environment would change in a measurement: settings of
/// dwindle, and the backtraces of the standard library, which take longer than many runs.
pub(super) fn free(mut command: Command) -> Command {
    tools::free_of_dwindle(&mut command);
    command.env_remove("RUST_BACKTRACE");
    command
}

/// Processor time of all the processes that were started here and have ended, and of theirs: unlike
/// the clock it does not count who else wanted the processor.
pub(super) fn children_seconds() -> Result<f64> {
    ticks(&fs::read_to_string("/proc/self/stat")?, 13..15)
}

/// The sum of some of the fields behind a process's name, in seconds.
fn ticks(stat: &str, which: std::ops::Range<usize>) -> Result<f64> {
    // The name may hold anything; the system's ticks are hundredths of a second.
    let fields = stat.rsplit_once(") ").context("the system does not tell processor times")?.1;
    let ticks: u64 = fields
        .split(' ')
        .skip(which.start)
        .take(which.len())
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    Ok(ticks as f64 / 100.0)
}

/// How often the bugs of the store were seen, by all writers.
fn hits(scratch: &Path) -> Result<u64> {
    let mut total = 0;
    for bug in
        fs::read_dir(scratch.join("store/one_in_ten")).context("the run made no store")?.flatten()
    {
        for writer in fs::read_dir(bug.path().join("sightings")).into_iter().flatten().flatten() {
            total += fs::read_to_string(writer.path())?.trim().parse::<u64>().unwrap_or(0);
        }
    }
    Ok(total)
}
