//! What each switch buys: the same measurement with everything on and with one mechanism off, in
//! turns.

mod runs;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};

use self::runs::{Fuzz, bugs_at_once, candidates, large_candidates, worker_candidates};
use crate::evidence::build::{self, FIXTURE};
use crate::evidence::median::median;
use crate::tools;

/// What a switch has to buy on one of its rows.
const GOAL: f64 = 1.10;
/// How often each side of a row is measured.
const ROUNDS: usize = 3;
/// The twenty planted bugs: seeds, and the seconds of each run.
const SEEDS: u64 = 5;
const SECONDS: u64 = 10;
/// How many executions may go into looking for the end of the maze.
const MAZE_MAX: u64 = 3_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    Plain,
    Asan,
}

impl Build {
    fn name(self) -> &'static str {
        match self {
            Build::Plain => "plain",
            Build::Asan => "AddressSanitizer",
        }
    }

    /// The executable of a target, built now.
    fn executable(self, target: &str) -> Result<PathBuf> {
        let fuzz_dir = if target == "url_setters" { "fuzz" } else { FIXTURE };
        match self {
            Build::Plain => build::plain(fuzz_dir, target),
            Build::Asan => build::with_sanitizer(fuzz_dir, target),
        }
    }
}

/// Measures one side: with this switch off, or with nothing off.
type Side = fn(&Path, &str) -> Result<f64>;

enum How {
    /// One side after the other, several times; the medians count.
    InTurns(Side),
    /// Both sides at once, on a core each, with several seeds; the sums count.
    AtOnce,
}

struct Row {
    switch: &'static str,
    build: Build,
    target: &'static str,
    what: &'static str,
    less_is_better: bool,
    how: How,
}

const fn row(
    switch: &'static str,
    build: Build,
    target: &'static str,
    what: &'static str,
    side: Side,
) -> Row {
    Row { switch, build, target, what, less_is_better: false, how: How::InTurns(side) }
}

const EXECUTIONS: &str = "executions a second of the processor";
const DEATHS: &str = "deaths a second, one input in 20 kills";
const SELDOM: &str = "executions a second, one input in 1,000 kills";
const CANDIDATES: &str = "candidates a second that panic";
const OF_THE_WORKER: &str = "candidates that panic, a second of the worker's processor";
const LARGE: &str = "candidates of up to 8,003 choices, a second of the processor";
const DYING: &str = "candidates a second that abort";
const PLANTED: &str = "of the twenty planted bugs, by five seeds in 10 s each";

fn rows() -> Vec<Row> {
    use Build::{Asan, Plain};
    let executions: Side =
        |binary, without| Fuzz::of(binary, without).runs(200_000).executions_of_the_processor();
    let few: Side =
        |binary, without| Fuzz::of(binary, without).runs(10_000).executions_of_the_processor();
    // `energy` waits for the first 10,000.
    let many: Side =
        |binary, without| Fuzz::of(binary, without).runs(40_000).executions_of_the_processor();
    let deaths: Side = |binary, without| Fuzz::of(binary, without).dies(20).seconds(3).deaths();
    let seldom: Side =
        |binary, without| Fuzz::of(binary, without).dies(1_000).seconds(3).executions();
    let maze: Side =
        |binary, without| Fuzz::of(binary, without).runs(MAZE_MAX).until_the_first_bug();
    let panics: Side = |binary, without| candidates(binary, without, "panic");
    let worker: Side = worker_candidates;
    let aborts: Side = |binary, without| candidates(binary, without, "abort");
    let mut rows = vec![
        row("lazy-counters", Plain, "sound", EXECUTIONS, executions),
        row("lazy-counters", Asan, "sound", EXECUTIONS, executions),
        row("lazy-counters", Plain, "url_setters", EXECUTIONS, few),
        row("energy", Plain, "url_setters", EXECUTIONS, many),
        row("snapshots", Plain, "rarely_dies", SELDOM, seldom),
        row("snapshots", Asan, "rarely_dies", SELDOM, seldom),
        row("snapshots", Plain, "rarely_dies", DEATHS, deaths),
        row("snapshots", Asan, "rarely_dies", DEATHS, deaths),
        row("prescreen", Plain, "rarely_dies", DEATHS, deaths),
        row("prescreen", Asan, "rarely_dies", DEATHS, deaths),
        row("silenced-tracing", Plain, "deadly", CANDIDATES, panics),
        row("silenced-tracing", Plain, "deadly", OF_THE_WORKER, worker),
        row("silenced-tracing", Asan, "deadly", CANDIDATES, panics),
        row("silenced-tracing", Asan, "deadly", OF_THE_WORKER, worker),
        row("silenced-tracing", Plain, "deadly", LARGE, large_candidates),
        row("silenced-tracing", Asan, "deadly", LARGE, large_candidates),
        row("spinning", Plain, "deadly", CANDIDATES, panics),
        row("spinning", Asan, "deadly", CANDIDATES, panics),
        row("spare-worker", Plain, "deadly", DYING, aborts),
        row("spare-worker", Asan, "deadly", DYING, aborts),
        row("unwatched-frames", Asan, "deadly", CANDIDATES, panics),
        Row {
            less_is_better: true,
            ..row(
                "scores",
                Plain,
                "maze",
                "executions to the end of a maze, 3,000,000 at most",
                maze,
            )
        },
    ];
    let of_runs = [
        "dictionary",
        "lazy-counters",
        "snapshots",
        "prescreen",
        "choice-mutations",
        "random-cases",
        "energy",
        "short-rows",
        "late-files",
        "huge-pages",
    ];
    for switch in of_runs {
        rows.push(Row { how: How::AtOnce, ..row(switch, Plain, "twenty", PLANTED, executions) });
    }
    rows
}

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    // A row that another machine is to repeat need not wait for the others.
    let only = std::env::var("ABLATION_ONLY").unwrap_or_default();
    let is_wanted = |switch: &str| only.is_empty() || only.split(',').any(|name| name == switch);
    let rows: Vec<Row> = rows().into_iter().filter(|row| is_wanted(row.switch)).collect();
    ensure!(!rows.is_empty(), "ABLATION_ONLY={only} names no switch");
    let binaries = rows
        .iter()
        .map(|row| row.build.executable(row.target))
        .collect::<Result<Vec<PathBuf>>>()?;
    println!(
        "Each switch off alone, beside everything on, in turns; medians of {ROUNDS}. A switch pays \
         if it buys {GOAL} on one of its rows.\n"
    );
    println!(
        "| switch | build | target | what | on | off | ratio | |\n| --- | --- | --- | --- | --- | \
         --- | --- | --- |"
    );
    let mut best: Vec<(&str, f64)> = Vec::new();
    for (row, binary) in rows.iter().zip(&binaries) {
        let [on, off] = match &row.how {
            How::InTurns(side) => in_turns(*side, binary, row.switch)?,
            How::AtOnce => bugs_at_once(binary, row.switch, SEEDS, Duration::from_secs(SECONDS))?,
        };
        let ratio = if row.less_is_better { off / on } else { on / off };
        let verdict = if ratio >= GOAL { "pays" } else { "" };
        println!(
            "| {} | {} | {} | {} | {on:.0} | {off:.0} | {ratio:.2} | {verdict} |",
            row.switch,
            row.build.name(),
            row.target,
            row.what
        );
        match best.iter_mut().find(|(switch, _)| *switch == row.switch) {
            Some((_, best)) => *best = best.max(ratio),
            None => best.push((row.switch, ratio)),
        }
    }
    let idle: Vec<&str> =
        best.iter().filter(|(_, ratio)| *ratio < GOAL).map(|(switch, _)| *switch).collect();
    match idle[..] {
        [] => println!("\nmet: every switch pays on one of its rows"),
        _ => println!("\nMISSED: {} pays on none of its rows", idle.join(", ")),
    }
    Ok(())
}

/// The medians of both sides.
fn in_turns(side: Side, binary: &Path, switch: &str) -> Result<[f64; 2]> {
    let mut sides = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        // The first of a pair is now the one, now the other.
        let mut order = [(0, ""), (1, switch)];
        order.rotate_left(round % 2);
        for (index, without) in order {
            sides[index].push(side(binary, without)?);
        }
    }
    Ok(sides.map(median))
}
