//! What the switchboard relies on in libFuzzer and LLVM. A test that fails here after an upgrade
//! names the mechanism to mend.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use xtask::tools;

use crate::processes::{Running, wait_until};
use crate::stage::{Outcome, Stage, files_in, names_in, outcome};

/// The number in front of some words; none where they are not said.
fn before(text: &str, words: &str) -> Option<usize> {
    text[..text.find(words)?].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A number of the last line of libFuzzer's status, for example behind `cov: `.
#[track_caller]
fn at_the_end(ended: &Outcome, word: &str) -> usize {
    let line = ended
        .stderr
        .lines()
        .find(|line| line.contains("DONE"))
        .unwrap_or_else(|| panic!("no last line in {ended:#?}"));
    let number = line
        .split_once(word)
        .map_or("0", |(_, rest)| rest.split([' ', '/']).next().unwrap_or_default());
    number.parse().unwrap_or_else(|_| panic!("no number behind {word} in {line}"))
}

#[test]
fn libfuzzer_takes_tables_of_counters_one_by_one() {
    let stage = Stage::fixture();
    let lazy =
        outcome(stage.binary("sound").args(["-runs=3000", "-seed=1"]).arg(stage.path("corpus")));
    let all = before(&lazy.stderr, " inline 8-bit counters; libFuzzer gets them")
        .expect("the target says how many counters it has");
    let given = before(&lazy.stderr, " inline 8-bit counters): ")
        .expect("libFuzzer no longer says how many counters it has");
    assert!(
        given * 20 < all,
        "lazy-counters: libFuzzer has {given} of {all} counters at the start; it no longer ignores \
         a table that begins where its last one begins"
    );
    let first = lazy
        .stderr
        .lines()
        .find(|line| line.contains("INITED"))
        .expect("libFuzzer no longer says INITED");
    let first =
        before(first.split_once("cov: ").map_or("0 ", |(_, rest)| rest), " ft: ").unwrap_or(0);
    assert!(
        first < at_the_end(&lazy, "cov: "),
        "lazy-counters: coverage never grew; libFuzzer no longer looks at tables it gets after the \
         first execution: {lazy:#?}"
    );
    let mut without = stage.binary("sound");
    without.env("DWINDLE_WITHOUT", "lazy-counters");
    let without = outcome(without.args(["-runs=3000", "-seed=1"]).arg(stage.path("corpus")));
    let given = before(&without.stderr, " inline 8-bit counters): ");
    let own = before(&lazy.stderr, " counters of dwindle's own code are left out")
        .expect("the target says how many counters are dwindle's");
    assert!(
        all < own,
        "lazy-counters: {own} of dwindle's counters are known; the symbols of object files are no \
         longer named after their crates"
    );
    assert_eq!(
        given,
        Some(all + own),
        "lazy-counters: without it libFuzzer has all counters at the start"
    );
}

#[test]
fn libfuzzer_has_room_for_as_many_tables_as_it_may_get() {
    let manifest = tools::root().join("xtask/tests/fixture/Cargo.toml");
    let output = tools::cargo()
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
            "--manifest-path",
        ])
        .arg(manifest)
        .output()
        .unwrap();
    let metadata: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let packages = metadata["packages"].as_array().unwrap();
    let libfuzzer = packages
        .iter()
        .find(|package| package["name"] == "libfuzzer-sys")
        .expect("the fixture uses libfuzzer-sys");
    let folder =
        Path::new(libfuzzer["manifest_path"].as_str().unwrap()).with_file_name("libfuzzer");
    let header = fs::read_to_string(folder.join("FuzzerTracePC.h")).unwrap();
    for room in ["Modules[4096]", "ModulePCTable[4096]"] {
        assert!(
            header.contains(room),
            "lazy-counters: libFuzzer has no longer {room}; see BLOCKS_MAX in coverage/blocks.rs"
        );
    }
}

#[test]
fn libfuzzer_fuzzes_in_one_thread() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("sound");
    let run =
        Running::start(binary.args(["-max_total_time=6", "-seed=1"]).arg(stage.path("corpus")));
    let snapshot = || stage.processes().into_iter().find(|process| process.is("snap"));
    wait_until("snapshots: the fuzzer makes a copy of itself", || snapshot().is_some());
    for process in stage.processes() {
        let threads =
            fs::read_dir(format!("/proc/{}/task", process.pid)).map_or(1, Iterator::count);
        assert_eq!(
            threads, 1,
            "snapshots: libFuzzer has a thread of its own, which a copy would be without: \
             {process:?}"
        );
    }
    assert_eq!(run.end().code, Some(0));
    stage.leaves_no_process();
}

#[test]
fn libfuzzer_ignores_the_counters_of_rejected_inputs() {
    let stage = Stage::fixture();
    let ended = outcome(
        stage.binary("rejects_all").args(["-runs=3000", "-seed=1"]).arg(stage.path("corpus")),
    );
    assert_eq!(
        at_the_end(&ended, "cov: "),
        0,
        "prescreen: libFuzzer looks at counters of inputs for which -1 was returned: {ended:#?}"
    );
    assert!(
        names_in(&stage.path("corpus")).is_empty(),
        "prescreen: libFuzzer keeps inputs for which -1 was returned: {ended:#?}"
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_constants_of_the_target_are_in_the_dictionary() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("twenty");
    let run = Running::start(
        binary
            .args(["-max_total_time=5", "-seed=1"])
            .arg(stage.path("corpus"))
            .env("TMPDIR", stage.path("artifacts"))
            .env("DWINDLE_WITHOUT", "choice-mutations"),
    );
    let words = || {
        let files = files_in(&stage.path("artifacts"))
            .into_iter()
            .filter(|path| path.to_string_lossy().contains("dwindle-dictionary"));
        files.filter_map(|path| fs::read_to_string(path).ok()).collect::<String>()
    };
    wait_until(
        "dictionary: there is one; LLVM no longer marks comparisons as dictionary.rs reads them",
        || !words().is_empty(),
    );
    let words = words();
    for constant in [77_u16, 300, 999, 1000, 4242] {
        let [low, high] = constant.to_le_bytes();
        let word = format!("\"\\x{low:02x}\\x{high:02x}\"");
        assert!(
            words.contains(&word),
            "dictionary: {constant} is missing; LLVM passes constants otherwise than dictionary.rs \
             reads them: {words}"
        );
    }
    let ended = run.end();
    let count = words.lines().count();
    assert!(
        ended.stderr.contains(&format!("Dictionary: {count} entries")),
        "dictionary: libFuzzer does not read all {count} words: {ended:#?}"
    );
}

#[test]
fn choices_are_mutated() {
    let stage = Stage::fixture();
    let run = |target: &str, without: &str| {
        let mut binary = stage.binary(target);
        outcome(binary.args(["-runs=20000", "-seed=1"]).env("DWINDLE_WITHOUT", without))
    };
    // After each new input, libFuzzer lists the mutations that made it, for example
    // `MS: 2 Custom-Custom-`.
    let rows = |ended: &Outcome, name: &str| -> Vec<usize> {
        let lists = ended.stderr.lines().filter_map(|line| line.split_once(" MS: "));
        lists.map(|(_, list)| list.matches(name).count()).filter(|count| *count > 0).collect()
    };
    let with = run("sound", "");
    assert_eq!(
        rows(&with, "Custom-").into_iter().max(),
        Some(5),
        "choice-mutations: libFuzzer does not ask for inputs five times in a row; it has another \
         table of functions, or another default of -mutate_depth: {with:#?}"
    );
    let without = run("sound", "choice-mutations");
    assert!(rows(&without, "Custom-").is_empty(), "{without:#?}");
    let drop_in = run("drop_in_value", "");
    assert!(rows(&drop_in, "Custom-").is_empty(), "a drop-in target has no choices: {drop_in:#?}");
}

#[test]
fn choices_that_do_not_repeat_are_told_once_and_not_mutated() {
    let stage = Stage::fixture();
    let words = "equal bytes become different choices";
    let ended = outcome(&mut stage.run("unsteady", &[], &["-runs=20000", "-seed=1"]));
    assert_eq!((ended.code, ended.stderr.matches(words).count()), (Some(0), 1), "{ended:#?}");
    let steady = outcome(&mut stage.run("sound", &[], &["-runs=20000", "-seed=1"]));
    assert_eq!((steady.code, steady.stderr.matches(words).count()), (Some(0), 0), "{steady:#?}");
}

#[test]
fn scores_are_features() {
    let stage = Stage::fixture();
    let kept = |without: &str| {
        let mut binary = stage.binary("maze");
        let ended =
            outcome(binary.args(["-runs=50000", "-seed=1"]).env("DWINDLE_WITHOUT", without));
        at_the_end(&ended, "corp: ")
    };
    let (with, without) = (kept(""), kept("scores"));
    assert!(
        with > 2 * without,
        "scores: {with} inputs are kept with scores, {without} without; libFuzzer does not see \
         their table"
    );
}

/// The target `gate`, which fails unless the gate of comparison tracing is as it is to be.
fn gate(stage: &Stage, mut command: Command, expected: &str) -> Outcome {
    stage.file("input", b"12345678");
    outcome(command.env("FIXTURE_GATE", expected))
}

#[test]
fn the_gate_is_open_where_libfuzzer_fuzzes_and_closed_in_workers() {
    let stage = Stage::fixture();
    let why = "silenced-tracing: a build of `cargo dwindle` has no `__sancov_should_track` any \
               more, or it is not set as traces.rs means to";
    let ended = gate(&stage, stage.run("gate", &[], &["-runs=200"]), "open");
    assert_eq!(ended.code, Some(0), "{why}, in a fuzzer: {ended:#?}");
    let shown = || {
        let mut command = stage.dwindle("show", "gate");
        command.arg(stage.path("input"));
        command
    };
    let ended = gate(&stage, shown(), "closed");
    assert_eq!(ended.code, Some(0), "{why}, in a worker: {ended:#?}");
    let mut without = shown();
    without.env("DWINDLE_WITHOUT", "silenced-tracing");
    let ended = gate(&stage, without, "open");
    assert_eq!(ended.code, Some(0), "{why}, in a worker without the switch: {ended:#?}");
    let mut off = stage.binary("gate");
    off.args(["-runs=200"]).env("DWINDLE", "off");
    let ended = gate(&stage, off, "open");
    assert_eq!(ended.code, Some(0), "{why}, with DWINDLE=off: {ended:#?}");
    let ended = gate(&stage, shown(), "open");
    assert_eq!(ended.code, Some(1), "the target does not notice a closed gate: {ended:#?}");
}

#[test]
fn the_gate_lets_libfuzzer_find_constants_of_eight_bytes() {
    let stage = Stage::fixture();
    let ended =
        outcome(&mut stage.run("gate", &["--stop-on-first"], &["-runs=2000000", "-seed=1"]));
    assert_eq!(
        ended.code,
        Some(1),
        "silenced-tracing: comparisons are not traced in a fuzzer, or libFuzzer no longer tries \
         their operands: {ended:#?}"
    );
}
