//! Targets written for libfuzzer-sys, with two lines changed: what they see, and what becomes of
//! their failures.

use std::fs;
use std::path::PathBuf;

use crate::bugs::Bug;
use crate::repro::{cargo_test, copy_fixture};
use crate::stage::{Stage, files_in, minimized_artifact, outcome};

/// The least input that makes the target of this name fail, what it is to the target, and words of
/// the message.
const TARGETS: [(&str, &[u8], &str, &str); 2] = [
    ("drop_in_bytes", b"\x02<!", "[2, 60, 33]", "a comment begins"),
    ("drop_in_value", &[1, 0x56, 0x55, 0x55, 0x55], "[Pop]", "popped an empty stack"),
];

/// Larger inputs that fail in the same way.
fn crash(target: &str) -> &'static [u8] {
    match target {
        "drop_in_bytes" => b"\x09one <!-- two --> three",
        _ => &[
            9, 1, 2, 3, 4, 5, 3, 200, 200, 200, 200, 7, 100, 100, 100, 100, 1, 100, 100, 100, 100,
            0, 9, 9,
        ],
    }
}

#[test]
fn a_run_finds_minimizes_and_replays() {
    let stage = Stage::fixture();
    for (target, minimum, value, words) in TARGETS {
        let ended = outcome(&mut stage.fuzz_run(target, &["-seed=1", "-runs=300000"]));
        ended.says("exit status: 77");
        let bug = stage.only_bug(target);
        assert_eq!(
            (fs::read(bug.input()).unwrap().as_slice(), bug.draws().as_str(), bug.status()),
            (minimum, value, "minimized"),
            "{bug:#?}"
        );
        assert!(bug.message().contains(words), "{bug:#?}");
        // Choices would say nothing: it is always one.
        assert_eq!(
            (&bug.report["original_choices"], &bug.report["minimized_choices"]),
            (&serde_json::Value::Null, &serde_json::Value::Null)
        );
        ended.says("the target was given");
        ended.says(&format!("became {} bytes in", minimum.len()));
        ended.says("bytes  status");
        let again = outcome(stage.fuzz("run", target).arg(bug.input()));
        assert_ne!(again.code, Some(0), "{again:#?}");
        again.says(&format!("draw  {value}"));
        again.says(words);
        fs::remove_dir_all(stage.path("corpus")).unwrap();
        fs::create_dir(stage.path("corpus")).unwrap();
    }
}

#[test]
fn a_crash_file_of_libfuzzer_sys_keeps_its_meaning() {
    let stage = Stage::fixture();
    for (target, minimum, value, words) in TARGETS {
        let file = stage.file("crash", crash(target));
        let replayed = outcome(stage.fuzz("run", target).arg(&file));
        assert_ne!(replayed.code, Some(0), "{replayed:#?}");
        replayed.says(words);

        let ended = outcome(stage.fuzz("tmin", target).arg(&file));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        ended.says(value);
        let written = minimized_artifact(&ended.stderr);
        assert_eq!(fs::read(&written).unwrap(), minimum);
        fs::remove_file(&written).unwrap();

        let kept = outcome(stage.dwindle("min", target).arg(&file));
        assert_eq!(kept.code, Some(1), "{kept:#?}");
        kept.says(&format!("{} bytes became {} bytes", crash(target).len(), minimum.len()));
        let bug = stage.only_bug(target);
        assert_eq!(
            (fs::read(bug.input()).unwrap().as_slice(), bug.original().as_slice()),
            (minimum, crash(target))
        );
        let shown = outcome(stage.dwindle("show", target).arg(bug.input()));
        assert_eq!(shown.code, Some(1), "{shown:#?}");
        shown.says(&format!("draw  {value}"));
        shown.says(&format!("fails on {} bytes", minimum.len()));
    }
}

#[test]
fn fmt_prints_what_libfuzzer_sys_prints() {
    let stage = Stage::fixture();
    for (target, input, printed) in [
        ("drop_in_bytes", &b"\x02<!"[..], "[2, 60, 33]\n"),
        (
            "drop_in_value",
            &[1, 0x56, 0x55, 0x55, 0x55, 1, 0, 0, 0, 0, 7],
            "[\n    Pop,\n    Push(\n        7,\n    ),\n]",
        ),
    ] {
        let ended = outcome(stage.fuzz("fmt", target).arg(stage.file("input", input)));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        ended.says(printed);
    }
}

#[test]
fn a_target_and_its_twin_on_libfuzzer_sys_get_the_same_values() {
    let stage = Stage::fixture();
    fs::create_dir(stage.path("inputs")).unwrap();
    let noise =
        |seed: usize, at: usize| (seed * 7919 + at * 104_729 + at * at * 31 + seed * at) as u8;
    let files: Vec<PathBuf> = (0..400)
        .map(|seed| {
            let input: Vec<u8> = (0..seed % 90 + seed / 350 * 300)
                .map(|at| noise(seed, at) & if seed % 3 == 0 { 3 } else { 0xFF })
                .collect();
            stage.file(&format!("inputs/{seed}"), &input)
        })
        .collect();
    for (ours, stock) in [("twin_ours", "twin_base"), ("twin_ours_bytes", "twin_base_bytes")] {
        let [ours, stock] = [ours, stock].map(|target| outcome(stage.binary(target).args(&files)));
        assert_eq!((ours.code, stock.code), (Some(0), Some(0)), "{ours:#?}");
        assert!(
            ours.stdout.lines().count() > 100 && ours.stdout == stock.stdout,
            "{}\n{}",
            ours.stdout,
            stock.stdout
        );
    }
}

#[test]
fn a_merge_keeps_inputs_with_new_coverage() {
    let stage = Stage::fixture();
    let (empty, push) = (&[0][..], &[1, 0, 0, 0, 0, 5][..]);
    stage.file("corpus/empty", empty);
    stage.file("corpus/push", push);
    stage.file("corpus/failing", &[1, 0x56, 0x55, 0x55, 0x55]);
    let merged = stage.path("merged");
    fs::create_dir(&merged).unwrap();
    let ended = outcome(
        stage
            .fuzz("run", "drop_in_value")
            .args([&merged, &stage.path("corpus")])
            .args(["--", "-merge=1"]),
    );
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let kept: Vec<Vec<u8>> = files_in(&merged).iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(
        kept.contains(&push.to_vec())
            && kept.iter().all(|input| [empty, push].contains(&input.as_slice())),
        "{kept:?}"
    );
    assert!(!stage.path("store").exists());
}

#[test]
fn address_sanitizer_finds_a_read_behind_the_input() {
    let stage = Stage::fixture();
    let ended = outcome(
        stage
            .fuzz("tmin", "drop_in_overread")
            .arg(stage.file("crash", &[1, 2, 3, 7, 5, 6, 7, 8, 9])),
    );
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    for words in ["heap-buffer-overflow", "    [7]", "9 bytes became 1 byte "] {
        ended.says(words);
    }
    fs::remove_file(minimized_artifact(&ended.stderr)).unwrap();
}

#[test]
fn the_random_engine_finds_bugs_of_drop_in_targets() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run(
        "drop_in_value",
        &["--engine", "random"],
        &["-seed=1", "-runs=20000"],
    ));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert_eq!(stage.only_bug("drop_in_value").draws(), "[Pop]");
}

#[test]
fn dwindle_off_runs_as_libfuzzer_sys_does() {
    let stage = Stage::fixture();
    let crash = stage.crash_file("drop_in_value");
    assert!(!stage.path("store").exists());
    let ended = outcome(stage.dwindle("min", "drop_in_value").arg(&crash));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert_eq!(stage.only_bug("drop_in_value").draws(), "[Pop]");
}

#[test]
fn the_bugs_own_test_fails_without_a_fuzzer() {
    let stage = Stage::fixture();
    let fuzz = stage.path("fuzz");
    copy_fixture(&fuzz);
    fs::create_dir(fuzz.join("tests")).unwrap();
    for (target, _, value, words) in TARGETS {
        let ended = outcome(stage.dwindle("min", target).arg(stage.file("crash", crash(target))));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        let bug: Bug = stage.only_bug(target);
        let name = format!("{target}_{}", bug.id());
        fs::copy(bug.dir.join("repro.rs"), fuzz.join(format!("tests/{name}.rs"))).unwrap();
        let failed = outcome(&mut cargo_test(&stage, &name));
        assert_eq!(failed.code, Some(101), "{failed:#?}");
        for words in [words, &format!("draw  {value}"), &format!("bug_{} ... FAILED", bug.id())] {
            failed.says(words);
        }
    }
}
