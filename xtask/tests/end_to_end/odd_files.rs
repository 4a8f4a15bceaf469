//! Files that are no crash files, or odd ones: each gets its words and its code.

use std::fs::File;

use crate::stage::{Stage, outcome};

#[test]
fn an_empty_file_is_the_simplest_test_case() {
    let stage = Stage::fixture();
    let empty = stage.file("empty", b"");
    let shown = outcome(stage.dwindle("show", "two_bugs").arg(&empty));
    assert_eq!(shown.code, Some(0), "{shown:#?}");
    assert!(shown.stdout.contains("[]"), "{shown:#?}");
    let minimized = outcome(stage.dwindle("min", "two_bugs").arg(&empty));
    assert_eq!(minimized.code, Some(0), "{minimized:#?}");
    minimized.says("does not fail: the target passes");
    let ended = outcome(stage.fuzz("tmin", "two_bugs").arg(&empty));
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    ended.says("does not fail");
}

#[test]
fn what_is_no_input_is_refused_by_the_command_and_by_the_target_itself() {
    let stage = Stage::fixture();
    let huge = stage.path("huge");
    File::create(&huge).unwrap().set_len(1 << 30).unwrap();
    for (file, words) in [
        (huge, "has 1073741824 bytes, and an input has at most 67108864; name another file, or cut it"),
        (stage.path("corpus"), "is a folder; name"),
        (stage.path("gone"), "gone"),
    ] {
        for subcommand in ["min", "show"] {
            let ended = outcome(stage.dwindle(subcommand, "two_bugs").arg(&file));
            assert_eq!(ended.code, Some(2), "{ended:#?}");
            ended.says(words);
            let alone = outcome(stage.binary("two_bugs").arg(&file).env("DWINDLE_MODE", subcommand));
            assert_eq!(alone.code, Some(2), "{alone:#?}");
            alone.says(words);
        }
        let ended = outcome(stage.fuzz("tmin", "two_bugs").arg(&file));
        assert_ne!(ended.code, Some(0), "{ended:#?}");
        ended.says(words);
    }
    assert!(!stage.path("store").exists());
}
