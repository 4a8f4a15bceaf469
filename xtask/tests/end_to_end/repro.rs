//! The test that a bug leaves fails without any fuzzer.

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::tools;

use crate::stage::{Stage, files_in, outcome};

#[test]
fn a_bugs_own_test_fails_as_the_target_does() {
    let stage = Stage::fixture();
    let ended = outcome(stage.dwindle("min", "two_bugs").arg(stage.file("crash", &[1, 7, 1, 42])));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bug = stage.only_bug("two_bugs");
    let repro = fs::read_to_string(bug.dir.join("repro.rs")).unwrap();
    assert!(repro.contains("[42]"), "{repro}");

    let name = format!("two_bugs_{}", bug.id());
    assert!(repro.contains(&format!("cargo test --test {name}")), "{repro}");
    let fuzz = stage.path("fuzz");
    copy_fixture(&fuzz);
    fs::create_dir(fuzz.join("tests")).unwrap();
    fs::write(fuzz.join(format!("tests/{name}.rs")), &repro).unwrap();
    let failed = outcome(&mut cargo_test(&stage, &name));
    assert_eq!(failed.code, Some(101), "{failed:#?}");
    for words in ["the number 42", "draw  [42]", &format!("bug_{} ... FAILED", bug.id())] {
        failed.says(words);
    }

    let target = fuzz.join("fuzz_targets/two_bugs.rs");
    let repaired = fs::read_to_string(&target).unwrap().replace("contains(&42)", "contains(&43)");
    fs::write(&target, repaired).unwrap();
    let passed = outcome(&mut cargo_test(&stage, &name));
    assert_eq!(passed.code, Some(0), "{passed:#?}");
}

pub(crate) fn cargo_test(stage: &Stage, name: &str) -> Command {
    let mut command = tools::cargo();
    command
        .args(["test", "--test", name])
        .current_dir(stage.path("fuzz"))
        .env("CARGO_TARGET_DIR", tools::fuzz_target_dir())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    command
}

/// Copies the fixture to a separate folder, where a test may change it.
pub(crate) fn copy_fixture(to: &Path) {
    let from = tools::root().join("xtask/tests/fixture");
    for folder in ["fuzz_targets", "twins"] {
        fs::create_dir_all(to.join(folder)).unwrap();
        for file in files_in(&from.join(folder)) {
            fs::copy(&file, to.join(folder).join(file.file_name().unwrap())).unwrap();
        }
    }
    fs::copy(from.join("Cargo.lock"), to.join("Cargo.lock")).unwrap();
    let manifest = fs::read_to_string(from.join("Cargo.toml")).unwrap();
    let ours = format!("path = \"{}/", tools::root().display());
    fs::write(to.join("Cargo.toml"), manifest.replace("path = \"../../../", &ours)).unwrap();
}
