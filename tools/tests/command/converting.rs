//! `init` in a project of cargo-fuzz: what is converted, and what is left alone.

use predicates::prelude::*;
use predicates::str::contains;

use crate::place::{CARGO_FUZZ, Place, harness};

#[test]
fn a_conversion_is_shown_and_made_only_after_a_yes() {
    let place = Place::new(CARGO_FUZZ);
    let before = place.everything();
    place
        .dwindle(&["init"])
        .assert()
        .code(2)
        .stdout(
            contains("+++ b/fuzz/Cargo.toml")
                .and(contains("-use libfuzzer_sys::{arbitrary::Arbitrary, fuzz_target, Corpus};")),
        )
        .stderr(contains("nothing was changed").and(contains("--yes")));
    assert_eq!(place.everything(), before);
}

#[test]
fn a_conversion_changes_only_code_that_names_the_crate() {
    let place = Place::new(CARGO_FUZZ);
    place.dwindle(&["init", "--yes"]).assert().code(0).stdout(contains("converted fuzz"));
    let path = harness().canonicalize().unwrap().display().to_string();
    let expected = CARGO_FUZZ[2]
        .1
        .replace(
            "libfuzzer-sys = { version = \"0.4\", features",
            &format!("dwindle = {{ path = \"{path}\", default-features = false, features"),
        )
        .replace(
            "\n[dependencies]",
            "\n[features]\ndefault = [\"libfuzzer\"]\nlibfuzzer = [\"dwindle/libfuzzer\"]\nafl = \
             [\"dwindle/afl\"]\n\n\
             [dependencies]",
        );
    assert_eq!(place.read("fuzz/Cargo.toml"), expected);
    assert_eq!(
        place.read("fuzz/fuzz_targets/parse.rs"),
        "\
#![no_main]

use dwindle::arbitrary::{arbitrary::Arbitrary, fuzz_target, Corpus};

mod shape;

// libfuzzer_sys calls this.
fuzz_target!(|data: &[u8]| -> Corpus {
    if data.is_empty() { Corpus::Reject } else { dwindle::arbitrary::Corpus::Keep }
});
"
    );
    assert!(
        place
            .read("fuzz/fuzz_targets/shape.rs")
            .starts_with("use dwindle::arbitrary::arbitrary;\n")
    );
    for (name, text) in [CARGO_FUZZ[0], CARGO_FUZZ[1], CARGO_FUZZ[3], CARGO_FUZZ[6]] {
        assert_eq!(place.read(name), text, "{name}");
    }
    place.dwindle(&["list"]).assert().code(0).stdout("parse\n");
    let before = place.everything();
    place.dwindle(&["init", "--yes"]).assert().code(0).stdout("nothing to do: fuzz uses dwindle\n");
    assert_eq!(place.everything(), before);
}

#[test]
fn an_interrupted_conversion_can_be_completed() {
    let place = Place::new(CARGO_FUZZ);
    place.dwindle(&["init", "--yes"]).assert().code(0);
    place.write("fuzz/fuzz_targets/shape.rs", "use libfuzzer_sys::arbitrary;\n");
    place.dwindle(&["init", "--yes"]).assert().code(0);
    assert_eq!(place.read("fuzz/fuzz_targets/shape.rs"), "use dwindle::arbitrary::arbitrary;\n");
}

#[test]
fn a_project_that_cannot_be_converted_does_not_change() {
    for (name, text, words) in [
        (
            "fuzz/fuzz_targets/shape.rs",
            "use libfuzzer_sys::{;\n",
            "fuzz/fuzz_targets/shape.rs names libfuzzer_sys, but it is not valid Rust",
        ),
        (
            "fuzz/fuzz_targets/shape.rs",
            "extern crate libfuzzer_sys;\n#[export_name = \"rust_fuzzer_test_input\"]\npub extern \
             fn go(data: &[u8]) {}\n",
            "fuzz/fuzz_targets/shape.rs:2 defines `rust_fuzzer_test_input` itself",
        ),
        (
            "fuzz/Cargo.toml",
            "[package]\nname = \"f\"\nmetadata.cargo-fuzz = true\n[dependencies]\nhonggfuzz = \
             \"1\"\n",
            "depends on neither libfuzzer-sys",
        ),
    ] {
        let place = Place::new(CARGO_FUZZ);
        place.write(name, text);
        let before = place.everything();
        place.dwindle(&["init", "--yes"]).assert().code(2).stderr(contains(words));
        assert_eq!(place.everything(), before);
    }
}

#[test]
fn a_project_that_names_libfuzzer_sys_otherwise_is_converted() {
    let place = Place::new(CARGO_FUZZ);
    let manifest = "[package]\nname = \"f\"\nmetadata.cargo-fuzz = true\n[dependencies]\nlf = { \
                    package = \"libfuzzer-sys\", version = \"0.4\" }\n";
    place.write("fuzz/Cargo.toml", manifest);
    place.write("fuzz/fuzz_targets/shape.rs", "lf::fuzz_target!(|lf: &[u8]| { f(lf) });\n");
    place.dwindle(&["init", "--yes"]).assert().code(0);
    let source = place.read("fuzz/fuzz_targets/shape.rs");
    assert_eq!(source, "dwindle::arbitrary::fuzz_target!(|lf: &[u8]| { f(lf) });\n");
    assert!(place.read("fuzz/Cargo.toml").contains("\ndwindle = { path = "));
}

#[test]
fn a_manifest_keeps_its_windows_line_ends() {
    let place = Place::new(CARGO_FUZZ);
    for name in ["fuzz/Cargo.toml", "fuzz/fuzz_targets/parse.rs"] {
        place.write(name, &place.read(name).replace('\n', "\r\n"));
    }
    place.dwindle(&["init", "--yes"]).assert().code(0);
    for name in ["fuzz/Cargo.toml", "fuzz/fuzz_targets/parse.rs"] {
        let text = place.read(name);
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    }
}

#[test]
fn an_unmarked_fuzz_crate_is_found_by_its_dependencies() {
    let place = Place::new(CARGO_FUZZ);
    place.write(
        "fuzz/Cargo.toml",
        &place.read("fuzz/Cargo.toml").replace("[package.metadata]\ncargo-fuzz = true\n\n", ""),
    );
    place.dwindle(&["init", "--yes"]).assert().code(0);
    assert!(
        place.read("fuzz/Cargo.toml").contains(
            "edition = \"2021\"\n\n[package.metadata]\ncargo-fuzz = true\n\n[features]\n"
        )
    );
    place.dwindle(&["list"]).assert().code(0).stdout("parse\n");
}

#[test]
fn other_files_that_name_libfuzzer_sys_are_listed_and_stay() {
    let place = Place::new(CARGO_FUZZ);
    let script = "#!/bin/sh\n# a target\necho 'use libfuzzer_sys::fuzz_target;' > $1\ncargo add \
                  libfuzzer-sys\n";
    place.write("scripts/new.sh", script);
    place.write(".github/workflows/fuzz.yml", "run: cargo add libfuzzer-sys\n");
    place.write(
        "fuzz/build.rs",
        "fn main() {\n    let target = \"use libfuzzer_sys::fuzz_target;\";\n}\n",
    );
    place.write("notes.bin", "libfuzzer_sys \u{0}");
    place.write("Cargo.lock", "name = \"libfuzzer-sys\"\n");
    let words = "These files also name libfuzzer-sys. They stay as they are; check whether you \
                 must change them:\n  fuzz/build.rs:2: let target = \"use \
                 libfuzzer_sys::fuzz_target;\";\n  notes.bin:1: libfuzzer_sys\n  \
                 scripts/new.sh:3: echo 'use libfuzzer_sys::fuzz_target;' > $1 (and 1 more)\n  \
                 .github/workflows/fuzz.yml:1: run: cargo add libfuzzer-sys\n";
    place.write(".git/HEAD", "");
    place
        .dwindle(&["init", "--yes"])
        .assert()
        .code(0)
        .stdout(contains("names").or(contains("also name libfuzzer-sys")));
    let again = place.dwindle(&["init"]).assert().code(0);
    let stdout = String::from_utf8(again.get_output().stdout.clone()).unwrap();
    for line in words.lines() {
        assert!(stdout.contains(line), "{line} is not in {stdout}");
    }
    assert_eq!(place.read("scripts/new.sh"), script);
}
