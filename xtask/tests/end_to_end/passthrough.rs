//! `DWINDLE=off`, which is libFuzzer as libfuzzer-sys has it, and `DWINDLE=service`, for fuzzing
//! services.

use std::fs;
use std::path::Path;

use crate::stage::{Outcome, Stage, minimized_artifact, outcome};

/// What libFuzzer prints without what differs from run to run: addresses, times, memory.
fn transcript(run: &Outcome) -> Vec<String> {
    let differs = [
        "INFO: Loaded ",
        "INFO: Running with",
        "stat::average_exec_per_sec",
        "stat::peak_rss_mb",
        "Done ",
    ];
    let lines =
        run.stderr.lines().filter(|line| !differs.iter().any(|start| line.starts_with(start)));
    let lines = lines.map(|line| line.split(" exec/s: ").next().unwrap_or_default());
    lines
        .map(|line| {
            line.split_once("]: 0x")
                .filter(|_| line.contains("NEW_FUNC["))
                .map_or(line, |(name, _)| name)
                .to_owned()
        })
        .collect()
}

/// What the first 10,000 executions of a target print with `DWINDLE=off`, for each of these seeds.
fn transcripts(
    stage: &Stage,
    target: &str,
    flags: &[&str],
    seeds: &[&str],
) -> Vec<(Vec<String>, String)> {
    let run = |seed: &&str| {
        let run = outcome(
            stage
                .binary(target)
                .args(flags)
                .args([seed, "-runs=10000", "-print_final_stats=1"])
                .env("DWINDLE", "off"),
        );
        assert_eq!(run.code, Some(0), "{run:#?}");
        assert!(
            run.stderr.contains("DONE   cov: ")
                && run.stderr.contains("stat::number_of_executed_units: 10000"),
            "{run:#?}"
        );
        (transcript(&run), run.stdout)
    };
    seeds.iter().map(run).collect()
}

/// A target and its twin on libfuzzer-sys do the same 10,000 executions: the same inputs, counters
/// and features.
fn is_its_twin(ours: &str, twin: &str, flags: &[&str]) {
    let stage = Stage::fixture();
    let seeds = ["-seed=7", "-seed=8", "-seed=9"];
    assert_eq!(transcripts(&stage, ours, flags, &seeds), transcripts(&stage, twin, flags, &seeds));
}

// The compiler sorts instances of one function by a hash, which differs between the twins. So
// features have other numbers, and libFuzzer's entropic power schedule depends on these. And where
// code compares addresses, which libFuzzer sees, two runs of one twin differ.

#[test]
fn a_target_on_bytes_with_dwindle_off_equals_its_twin() {
    is_its_twin("twin_ours_bytes", "twin_base_bytes", &["-entropic=0"]);
}

#[test]
fn a_target_on_choices_with_dwindle_off_equals_a_twin_that_decodes() {
    is_its_twin("twin_ours_choices", "twin_base_choices", &["-entropic=0", "-use_cmp=0"]);
}

#[test]
fn a_target_on_values_with_dwindle_off_equals_its_twin() {
    is_its_twin("twin_ours", "twin_base", &["-entropic=0", "-use_cmp=0"]);
}

#[test]
fn with_all_defaults_and_dwindle_off_a_target_differs_as_twins_do() {
    let stage = Stage::fixture();
    let seeds =
        ["-seed=1", "-seed=2", "-seed=3", "-seed=4", "-seed=5", "-seed=6", "-seed=7", "-seed=8"];
    let [ours, twin, same] = ["twin_ours_bytes", "twin_base_bytes", "twin_same_bytes"]
        .map(|target| transcripts(&stage, target, &[], &seeds));
    // A difference in what libFuzzer sees would show with every seed.
    for (one, other, pair) in [
        (&twin, &same, "twin and twin"),
        (&ours, &twin, "ours and twin"),
        (&ours, &same, "ours and the other twin"),
    ] {
        let equal: Vec<&str> = seeds
            .iter()
            .zip(one.iter().zip(other))
            .filter(|(_, (a, b))| a == b)
            .map(|(seed, _)| *seed)
            .collect();
        assert!(
            equal.len() >= seeds.len() / 2,
            "{pair} are equal only with {equal:?} of {seeds:?}"
        );
    }
}

#[test]
fn off_minimizes_as_libfuzzer_does() {
    let stage = Stage::fixture();
    let crash = stage.file("crash", b"\x09one <!-- two --> three");
    let ended = outcome(
        stage
            .binary("drop_in_bytes")
            .args(["-minimize_crash=1", "-runs=100"])
            .arg(&crash)
            .env("DWINDLE", "off"),
    );
    ended.says("CRASH_MIN: minimizing crash input");
    assert!(!ended.stderr.contains("became"), "{ended:#?}");
}

/// Runs a target as a fuzzing service does.
fn serve(stage: &Stage, target: &str, arguments: &[&str], files: &[&Path]) -> Outcome {
    outcome(stage.binary(target).args(arguments).args(files).env("DWINDLE", "service"))
}

fn exact(path: &Path) -> String {
    format!("-exact_artifact_path={}", path.display())
}

#[test]
fn the_first_failure_ends_the_process_of_a_service() {
    let stage = Stage::fixture();
    let ended = serve(&stage, "two_bugs", &["-seed=1", "-runs=1000000"], &[]);
    assert_eq!(ended.code, Some(77), "{ended:#?}");
    assert_eq!(ended.stderr.matches("Test unit written to").count(), 1, "{ended:#?}");
    // Today's words, and in one line those that ClusterFuzz reads: its expression is
    // `thread\s.*\spanicked at '([^']*)`.
    ended.says("panicked at fuzz_targets/two_bugs.rs:");
    ended.says("thread '<unnamed>' panicked at 'fuzz_targets/two_bugs.rs:");
    assert!(!ended.stderr.contains("dwindle: ") && !stage.path("store").exists(), "{ended:#?}");
    assert_eq!(stage.artifacts().len(), 1);
}

#[test]
fn a_service_minimizes_in_one_round_and_cleansing_copies() {
    for (target, crash) in [
        ("two_bugs", &[9, 8, 9, 7, 9, 6, 9, 5, 0][..]),
        ("drop_in_bytes", b"\x09one <!-- two --> three"),
    ] {
        let stage = Stage::fixture();
        let crash = stage.file("crash", crash);
        let rounds: Vec<_> = (0..3).map(|round| stage.path(&format!("round{round}"))).collect();
        let mut last = crash.as_path();
        for round in &rounds {
            let ended = serve(
                &stage,
                target,
                &["-minimize_crash=1", "-max_total_time=20", "-runs=100", &exact(round)],
                &[last],
            );
            assert_eq!(ended.code, Some(0), "{ended:#?}");
            last = round;
        }
        let cleansed = stage.path("cleansed");
        let ended = serve(&stage, target, &["-cleanse_crash=1", &exact(&cleansed)], &[last]);
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        let minimized = fs::read(&rounds[0]).unwrap();
        assert!(minimized.len() < fs::read(&crash).unwrap().len());
        for other in [&rounds[1], &rounds[2], &cleansed] {
            assert_eq!(fs::read(other).unwrap(), minimized);
        }
        let replayed = serve(&stage, target, &[], &[&cleansed]);
        assert_eq!(replayed.code, Some(77), "{replayed:#?}");
        replayed.says("panicked at '");
        assert!(!stage.path("store").exists());
    }
}

#[test]
fn a_target_built_for_a_service_runs_as_one_by_default() {
    let stage = Stage::fixture();
    let run = |mode: Option<&str>| {
        let mut command = stage.run("served", &[], &["-seed=1", "-runs=100000"]);
        command.env("DWINDLE_DEFAULT", "service").envs(mode.map(|mode| ("DWINDLE", mode)));
        outcome(&mut command)
    };
    let served = run(None);
    served.says("libFuzzer: deadly signal");
    served.says("panicked at 'fuzz_targets/served.rs:4:");
    assert!(!stage.path("store").exists());
    let ours = run(Some("on"));
    assert_eq!(ours.code, Some(1), "{ours:#?}");
    assert_eq!(stage.only_bug("served").draws(), "1000");
    // What `cargo dwindle` asks is answered too.
    let shown = outcome(
        stage
            .dwindle("show", "served")
            .arg(stage.only_bug("served").input())
            .env("DWINDLE_DEFAULT", "service"),
    );
    shown.says("draw  1000");
}

#[test]
fn an_unknown_mode_is_refused() {
    let stage = Stage::fixture();
    let ended = outcome(stage.binary("two_bugs").arg("-runs=1").env("DWINDLE", "of"));
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    ended.says("DWINDLE=of is not a mode");
}

#[test]
fn cargo_fuzz_tmin_of_a_service_uses_dwindle() {
    let stage = Stage::fixture();
    let crash = stage.file("crash", b"\x09one <!-- two --> three");
    let ended = outcome(stage.fuzz("tmin", "drop_in_bytes").arg(&crash).env("DWINDLE", "service"));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let written = minimized_artifact(&ended.stderr);
    assert_eq!(fs::read(&written).unwrap(), b"\x02<!");
    fs::remove_file(written).unwrap();
}
