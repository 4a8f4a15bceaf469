//! What is kept fails again in new processes, by the command that the report prints.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::stage::{Stage, outcome};

/// Ways of the target `ends` by their numbers, the kind of each, and its number at the start.
const WAYS: [(u8, &str, u32); 10] = [
    (4, "panic", 77_777),
    (5, "abort", 77_777),
    (6, "segv", 77_777),
    (12, "oom", 77_777),
    (13, "segv", 77_777),
    (14, "exit", 77_777),
    (16, "exit", 77_777),
    (17, "stack-overflow", 900_000),
    (18, "stack-overflow", 900_000),
    (19, "stack-overflow", 900_000),
];

fn input(way: u8, number: u32) -> Vec<u8> {
    [&[way][..], &number.to_le_bytes()].concat()
}

/// The input that a minimizer says to reproduce the failure with, and the arguments that follow it.
fn printed(stage: &Stage, words: &str) -> (PathBuf, Vec<String>) {
    let line =
        words.lines().find_map(|line| line.trim_start().strip_prefix("reproduce: ")).expect(words);
    let (command, arguments) = line.split_once(" -- ").unwrap_or((line, ""));
    (
        stage.path(command.rsplit(' ').next().unwrap()),
        arguments.split_whitespace().map(str::to_owned).collect(),
    )
}

fn end(command: &mut Command) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
}

#[test]
fn the_printed_command_reproduces_every_kind_of_death() {
    let stage = Stage::fixture();
    for target in ["ends", "ends_bytes"] {
        drop(stage.binary(target));
        for (way, kind, number) in WAYS {
            let file = stage.file("crash", &input(way, number));
            let ended = outcome(stage.binary(target).arg(&file).env("DWINDLE_MODE", "min"));
            assert_eq!(ended.code, Some(1), "{ended:#?}");
            ended.says(&format!(": {kind} at "));
            ended.says(": minimized");
            let (kept, arguments) = printed(&stage, &format!("{}{}", ended.stdout, ended.stderr));
            for environment in ["", &"x".repeat(64 << 10)] {
                let again =
                    end(stage.binary(target).arg(&kept).args(&arguments).env("LARGE", environment));
                assert!(!again.status.success(), "{target} {way}: {again:?}");
            }
            let report: serde_json::Value =
                serde_json::from_slice(&fs::read(kept.with_file_name("report.json")).unwrap())
                    .unwrap();
            let shown = outcome(stage.binary(target).arg(&kept).env("DWINDLE_MODE", "show"));
            shown.says(&format!("bug {}", report["bug_id"].as_str().unwrap()));
        }
    }
}

#[test]
fn a_stack_overflow_is_minimized_close_to_the_least_depth() {
    let stage = Stage::fixture();
    for way in [17, 18, 19] {
        let file = stage.file("crash", &input(way, 900_000));
        let ended = outcome(stage.binary("ends").arg(&file).env("DWINDLE_MODE", "min"));
        let (kept, _) = printed(&stage, &format!("{}{}", ended.stdout, ended.stderr));
        let kept = fs::read(kept).unwrap();
        let depth = u32::from_le_bytes(kept[1..5].try_into().unwrap());
        // A process with three hundredths less does not overflow its stack: there was nothing left
        // to gain.
        let file = stage.file("shallower", &input(way, depth - depth * 3 / 100));
        assert!(end(stage.binary("ends").arg(&file)).status.success(), "{way}: {depth}");
    }
}

#[test]
fn a_run_that_hangs_is_kept_with_the_limit_that_ends_it() {
    let stage = Stage::fixture();
    let file = stage.file("crash", &input(27, 77_777));
    let ended = outcome(stage.binary("ends").arg(&file).env("DWINDLE_MODE", "min"));
    let (kept, arguments) = printed(&stage, &format!("{}{}", ended.stdout, ended.stderr));
    assert_eq!(arguments, ["-timeout=2"], "{ended:#?}");
    let again = end(stage.binary("ends").arg(&kept).args(&arguments));
    assert_eq!(again.status.code(), Some(70), "{again:?}");
}

#[test]
fn a_debug_that_fails_is_not_a_failure_of_the_target() {
    let stage = Stage::fixture();
    // The last one is as deep as the stack.
    for (how, values) in [
        ("panics", [999u16, 999]),
        ("ends the process by signal 6", [1000, 700]),
        ("ends the process by signal 11", [1001, 701]),
    ] {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| [1, value.to_le_bytes()[0], value.to_le_bytes()[1]])
            .chain([0])
            .collect();
        let file = stage.file("crash", &bytes);
        let shown = outcome(stage.binary("loud_debug").arg(&file).env("DWINDLE_MODE", "show"));
        let words = format!("<its Debug {how}> [Loud(");
        shown.says(&words);
        shown.says(": panic at fuzz_targets/loud_debug.rs");
        // The file on its own fails as the target does, not as its Debug.
        let run = outcome(stage.binary("loud_debug").arg(&file));
        run.says("too much");
        run.says(&words);
    }
    let file = stage.file("crash", &[1, 0xE7, 3, 1, 0xE7, 3, 0]);
    let ended = outcome(stage.binary("loud_debug").arg(&file).env("DWINDLE_MODE", "min"));
    ended.says(": minimized");
    let bugs = stage.bugs("loud_debug");
    assert!(bugs.len() == 1 && bugs[0].status() == "minimized", "{bugs:#?}");
}
