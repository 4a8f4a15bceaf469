//! Files that are no crash files, or odd ones: each gets its words and its code.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;

use crate::bugs::Bug;
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
fn a_path_that_is_not_an_input_is_refused_by_the_command_and_the_target() {
    let stage = Stage::fixture();
    let huge = stage.path("huge");
    File::create(&huge).unwrap().set_len(1 << 30).unwrap();
    for (file, words) in [
        (
            huge,
            "has 1073741824 bytes, but an input has at most 67108864; name another file, or cut \
             it",
        ),
        (stage.path("corpus"), "folder"),
        (stage.path("gone"), "gone"),
    ] {
        for subcommand in ["min", "show"] {
            let ended = outcome(stage.dwindle(subcommand, "two_bugs").arg(&file));
            assert_eq!(ended.code, Some(2), "{ended:#?}");
            ended.says(words);
            let alone =
                outcome(stage.binary("two_bugs").arg(&file).env("DWINDLE_MODE", subcommand));
            assert_eq!(alone.code, Some(2), "{alone:#?}");
            alone.says(words);
        }
        let ended = outcome(stage.fuzz("tmin", "two_bugs").arg(&file));
        assert_ne!(ended.code, Some(0), "{ended:#?}");
        ended.says(words);
    }
    assert!(!stage.path("store").exists());
}

#[test]
fn every_input_of_a_folder_is_minimized_and_other_files_are_skipped() {
    let stage = Stage::fixture();
    let afl = stage.path("afl/main");
    for folder in ["crashes", "hangs", "queue"] {
        fs::create_dir_all(afl.join(folder)).unwrap();
    }
    fs::write(afl.join("crashes/README.txt"), "Command line used to find this crash").unwrap();
    fs::write(afl.join("crashes/id:000000,sig:06"), [1, 5, 1, 42]).unwrap();
    fs::write(afl.join("queue/id:000000"), [1, 200]).unwrap();
    let nested = stage.path("old/nested");
    fs::create_dir_all(&nested).unwrap();
    fs::write(stage.path("old/harmless"), [1, 5]).unwrap();
    fs::write(nested.join(OsStr::from_bytes(b"crash-\xff")), [1, 7, 1, 200, 1, 9]).unwrap();
    File::create(nested.join("huge")).unwrap().set_len(1 << 31).unwrap();
    std::os::unix::fs::symlink(stage.path("old"), nested.join("circle")).unwrap();

    let ended =
        outcome(stage.dwindle("min", "two_bugs").args([stage.path("afl"), stage.path("old")]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    for words in ["harmless does not fail", "has 2147483648 bytes", "dwindle skips it"] {
        ended.says(words);
    }
    let mut draws: Vec<String> = stage.bugs("two_bugs").iter().map(Bug::draws).collect();
    draws.sort();
    assert_eq!(draws, ["[0, 0, 0]", "[42]"], "{ended:#?}");
}
