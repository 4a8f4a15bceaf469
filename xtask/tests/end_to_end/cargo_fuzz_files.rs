//! What cargo-fuzz does with files: `tmin`, `fmt`, merging.

use std::fs;

use crate::stage::{Stage, files_in, minimized_artifact, outcome};

#[test]
fn tmin_finds_the_minimum_of_a_run() {
    let stage = Stage::ours();
    let crash = stage.crash_file("graphmap_remove_node");
    let minimized = outcome(stage.dwindle("min", "graphmap_remove_node").arg(&crash));
    assert_eq!(minimized.code, Some(1), "{minimized:#?}");
    let expected = stage.only_bug("graphmap_remove_node");

    let ended = outcome(stage.fuzz("tmin", "graphmap_remove_node").arg(&crash));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("[AddEdge(0, 1), RemoveNode(1)]");
    let written = minimized_artifact(&ended.stderr);
    let bytes = fs::read(&written).unwrap();
    fs::remove_file(&written).unwrap();
    assert_eq!(bytes, fs::read(expected.input()).unwrap());
}

#[test]
fn tmin_of_an_input_that_does_not_fail_says_so() {
    let stage = Stage::fixture();
    let ended = outcome(stage.fuzz("tmin", "two_bugs").arg(stage.file("harmless", &[1, 5])));
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    ended.says("does not fail");
}

#[test]
fn fmt_prints_the_draws_for_every_outcome() {
    let stage = Stage::fixture();
    for (input, draws) in [(&[1, 42][..], "[\n    42,\n]"), (&[1, 5], "[\n    5,\n]")] {
        let ended = outcome(stage.fuzz("fmt", "two_bugs").arg(stage.file("input", input)));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        ended.says(draws);
    }
}

#[test]
fn a_merge_drops_a_failing_input_and_completes() {
    let stage = Stage::fixture();
    stage.file("corpus/harmless", &[1, 5]);
    let failing = stage.file("corpus/failing", &[1, 42]);
    let merged = stage.path("merged");
    fs::create_dir(&merged).unwrap();
    let ended = outcome(
        stage
            .fuzz("run", "two_bugs")
            .args([&merged, &stage.path("corpus")])
            .args(["--", "-merge=1"]),
    );
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let kept: Vec<_> = files_in(&merged).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(kept, [[1, 5]]);
    assert!(failing.exists() && !stage.path("store").exists());
}
