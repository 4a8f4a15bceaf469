//! What cannot be done is said in plain words, with the right code.

use crate::stage::{Stage, outcome};

#[test]
fn a_target_that_does_not_exist_lists_the_nearest() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run("two_bug", &[], &[]));
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    ended.says("did you mean `two_bugs`?");
    ended.says("\n  rejects_all\n");
}

#[test]
fn a_target_that_does_not_build_shows_the_errors_of_the_compiler() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run("broken", &["--features", "broken"], &[]));
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    ended.says("mismatched types");
    ended.says("fuzz_targets/broken.rs:5");
    ended.says("`broken` does not build");
}

#[test]
fn a_missing_file_is_wrong_use() {
    let stage = Stage::fixture();
    for subcommand in ["min", "show"] {
        let ended = outcome(stage.dwindle(subcommand, "two_bugs").arg("gone"));
        assert_eq!(ended.code, Some(2), "{ended:#?}");
        ended.says("cannot read gone");
    }
}
