//! `init` and `add`: what is made, and what is left alone.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;

use crate::place::{CARGO_FUZZ, LIBRARY, Place, harness};

#[test]
fn a_crate_without_a_fuzz_folder_gets_one() {
    let place = Place::new(LIBRARY);
    let harness = harness();
    // Also from below the crate's folder.
    let mut init = place.dwindle(&["init", "--dwindle", harness.to_str().unwrap()]);
    init.current_dir(place.path("src")).assert().code(0).stdout(
        contains("fuzz_target_1.rs").and(contains("next: cargo dwindle run fuzz_target_1")),
    );
    assert_eq!(
        place.read("fuzz/Cargo.toml"),
        format!(
            "\
[package]
name = \"my-parser-fuzz\"
version = \"0.0.0\"
edition = \"2024\"
publish = false

[package.metadata]
cargo-fuzz = true

[features]
default = [\"libfuzzer\"]
# The engine that the targets are linked with.
libfuzzer = [\"dwindle/libfuzzer\"]
afl = [\"dwindle/afl\"]

[dependencies]
dwindle = {{ path = \"{}\", default-features = false }}
my-parser = {{ path = \"..\" }}

# A separate workspace, because targets are built with other flags.
[workspace]

[profile.release]
debug = \"line-tables-only\"

[[bin]]
name = \"fuzz_target_1\"
path = \"fuzz_targets/fuzz_target_1.rs\"
test = false
doc = false
bench = false
",
            harness.canonicalize().unwrap().display()
        )
    );
    assert_eq!(place.read("fuzz/.gitignore"), "target\ncorpus\nartifacts\ncoverage\nafl\n");
    assert!(place.read("fuzz/fuzz_targets/fuzz_target_1.rs").contains("use my_parser as _;"));
    place.dwindle(&["list"]).assert().code(0).stdout("fuzz_target_1\n");
    let before = place.everything();
    place.dwindle(&["init"]).assert().code(0).stdout("nothing to do: fuzz uses dwindle\n");
    assert_eq!(place.everything(), before);
}

#[test]
fn without_a_path_init_uses_the_clone_in_which_the_command_was_built() {
    let place = Place::new(LIBRARY);
    place
        .dwindle(&["init", "--fuzz-dir", "tests/fuzzing"])
        .assert()
        .code(0)
        .stderr(contains("because this command was built there").and(contains("--dwindle")));
    let manifest = place.read("tests/fuzzing/Cargo.toml");
    assert!(
        manifest.contains(&format!(
            "dwindle = {{ path = \"{}\", default-features = false }}",
            harness().canonicalize().unwrap().display()
        )),
        "{manifest}"
    );
    assert!(manifest.contains("my-parser = { path = \"../..\" }"), "{manifest}");
}

#[test]
fn existing_files_are_never_overwritten() {
    let place = Place::new(LIBRARY);
    place.write("fuzz/notes.txt", "mine");
    let before = place.everything();
    place.dwindle(&["init"]).assert().code(2).stderr(
        contains("exists, but it is not a fuzz crate; nothing was written")
            .and(contains("--fuzz-dir")),
    );
    assert_eq!(place.everything(), before);
    fs::remove_file(place.path("fuzz/notes.txt")).unwrap();
    place.dwindle(&["init"]).assert().code(0);
}

/// Properties with `store = "fuzz/crashes"` keep bugs before there is a fuzz crate.
#[test]
fn a_store_of_properties_stays_when_the_fuzz_crate_is_made() {
    let place = Place::new(LIBRARY);
    place.write("fuzz/crashes/parses/0123456789abcdef/input", "kept");
    place.dwindle(&["init"]).assert().code(0);
    assert_eq!(place.read("fuzz/crashes/parses/0123456789abcdef/input"), "kept");
    assert_eq!(place.read("fuzz/.gitignore"), "target\ncorpus\nartifacts\ncoverage\nafl\n");
    place.dwindle(&["list"]).assert().code(0).stdout(contains("fuzz_target_1\n"));
    let left: Vec<_> = fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap()).collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().starts_with(".fuzz-")));
}

#[test]
fn init_says_why_a_crate_cannot_be_fuzzed() {
    for (files, words) in [
        (&[("README", "")][..], "no crate in "),
        (
            &[("Cargo.toml", "[package]\nname = \"x\"\n"), ("src/main.rs", "fn main() {}")],
            "has no library",
        ),
        (
            &[
                ("Cargo.toml", "[workspace]\nmembers = [\"inner\"]\n"),
                ("inner/Cargo.toml", "[package]\nname = \"inner\"\n"),
                ("inner/src/lib.rs", ""),
            ],
            "is a workspace without a package; run the command in the folder of the crate to \
             fuzz:\n\n  inner",
        ),
    ] {
        let place = Place::new(files);
        let before = place.everything();
        place.dwindle(&["init"]).assert().code(2).stderr(contains(words));
        assert_eq!(place.everything(), before);
    }
    let place = Place::new(&[("Cargo.toml", "not a manifest")]);
    place.dwindle(&["init"]).assert().code(3).stderr(contains("cargo cannot read"));
}

#[test]
fn a_workspace_with_the_fuzz_crate_as_a_member_gets_a_warning() {
    let place = Place::new(LIBRARY);
    place.write(
        "Cargo.toml",
        "[package]\nname = \"my-parser\"\n[workspace]\nmembers = [\"*\"]\nexclude = [\"src\"]\n",
    );
    place.dwindle(&["init"]).assert().code(0).stderr(contains("exclude = [\"fuzz\"]"));
}

#[test]
fn a_path_that_is_not_dwindle_is_refused() {
    let place = Place::new(LIBRARY);
    let repository = harness().parent().unwrap().to_owned();
    place
        .dwindle(&["init", "--dwindle", "nowhere"])
        .assert()
        .code(2)
        .stderr(contains("nowhere does not hold the crate `dwindle`"));
    place
        .dwindle(&["init", "--dwindle", repository.to_str().unwrap()])
        .assert()
        .code(2)
        .stderr(contains("/harness"));
    assert!(!place.path("fuzz").exists());
}

#[test]
fn a_target_is_added_with_its_file() {
    let place = Place::new(LIBRARY);
    place.dwindle(&["init"]).assert().code(0);
    place
        .dwindle(&["add", "parse"])
        .assert()
        .code(0)
        .stdout(contains("next: cargo dwindle run parse"));
    place
        .dwindle(&["add", "parse-bytes", "--arbitrary"])
        .current_dir(place.path("fuzz"))
        .assert()
        .code(0);
    place.dwindle(&["list"]).assert().code(0).stdout("fuzz_target_1\nparse\nparse-bytes\n");
    let manifest = place.read("fuzz/Cargo.toml");
    let added = "\n[[bin]]\nname = \"parse-bytes\"\npath = \"fuzz_targets/parse-bytes.rs\"\ntest = \
                 false\ndoc = false\nbench = false\n";
    assert!(manifest.ends_with(added), "{manifest}");
    assert!(place.read("fuzz/fuzz_targets/parse.rs").contains("use dwindle::prelude::*;"));
    assert!(
        place.read("fuzz/fuzz_targets/parse-bytes.rs").contains("fuzz_target!(|data: &[u8]| {")
    );
}

#[test]
fn a_target_that_cannot_be_added_changes_nothing() {
    let place = Place::new(LIBRARY);
    place.dwindle(&["add", "parse"]).assert().code(2).stderr(contains("cargo dwindle init"));
    place.dwindle(&["init"]).assert().code(0);
    place.write("fuzz/fuzz_targets/mine.rs", "mine");
    let before = place.everything();
    for (name, words) in [
        ("fuzz_target_1", "a target `fuzz_target_1` exists"),
        ("fuzz-target-1", "a target `fuzz_target_1` exists"),
        ("mine", "fuzz/fuzz_targets/mine.rs exists already"),
        ("2nd", "cannot be the name of a target"),
        ("../up", "cannot be the name of a target"),
        ("match", "Rust or cargo reserves it"),
    ] {
        place.dwindle(&["add", name]).assert().code(2).stderr(contains(words));
    }
    assert_eq!(place.everything(), before);
    let place = Place::new(CARGO_FUZZ);
    place
        .dwindle(&["add", "other"])
        .assert()
        .code(2)
        .stderr(contains("does not depend on dwindle; `cargo dwindle init` converts it"));
}

#[test]
fn a_second_fuzz_crate_is_made_only_where_the_user_says() {
    let place = Place::new(LIBRARY);
    place.write(
        "Cargo.toml",
        "[package]\nname = \"my-parser\"\n[workspace]\nmembers = [\"inner\"]\n",
    );
    place.write("inner/Cargo.toml", "[package]\nname = \"inner\"\n");
    place.write("inner/src/lib.rs", "");
    place.dwindle(&["init"]).assert().code(0);
    let before = place.everything();
    let refused = place.dwindle(&["init"]).current_dir(place.path("inner/src")).assert().code(2);
    let there = place.path("fuzz").display().to_string();
    let words = format!(
        "a fuzz crate exists already; nothing was written:\n\n  {there}\n\nTo add a target there: \
         cargo dwindle add NAME --fuzz-dir {there}\n"
    );
    refused.stderr(contains(words).and(contains("/inner/fuzz")));
    assert_eq!(place.everything(), before);
    place
        .dwindle(&["init", "--fuzz-dir", "../fuzz"])
        .current_dir(place.path("inner/src"))
        .assert()
        .code(0)
        .stdout(contains("inner/fuzz for inner:").or(contains("../fuzz for inner:")));
    assert!(place.read("inner/fuzz/Cargo.toml").contains("inner = { path = \"..\" }"));
}

#[test]
fn init_names_a_fuzz_crate_in_another_folder() {
    let marked = "[package]\nname = \"f\"\nmetadata.cargo-fuzz = true\n[dependencies]\n\
                  libfuzzer-sys = \"0.4\"\n";
    let unmarked = "[package]\nname = \"f\"\n[dependencies]\nlibfuzzer-sys = \"0.4\"\n[[bin]]\n\
                    name = \"t\"\npath = \"t.rs\"\n";
    for (name, text, is_named) in [
        ("tests/fuzzing/Cargo.toml", marked, true),
        ("crates/parser-fuzz/Cargo.toml", unmarked, true),
        ("target/package/fuzz/Cargo.toml", marked, false),
        (
            "tools/x/Cargo.toml",
            "[package]\nname = \"f\"\n[dependencies]\nlibfuzzer-sys = { version = \"0.4\", \
             optional = true }\n",
            false,
        ),
    ] {
        let place = Place::new(LIBRARY);
        place.write(name, text);
        let init = place.dwindle(&["init"]).assert();
        if is_named {
            init.code(2).stderr(contains(name.strip_suffix("/Cargo.toml").unwrap()));
            assert!(!place.path("fuzz").exists());
        } else {
            init.code(0);
        }
    }
    // Beside the crate, in one repository: only if it is for this crate.
    for (path, is_named) in [("../lib", true), ("../other", false)] {
        let place = Place::new(&[
            ("lib/Cargo.toml", LIBRARY[0].1),
            ("lib/src/lib.rs", ""),
            (".git/HEAD", ""),
        ]);
        place.write("fuzz/Cargo.toml", &format!("{marked}my-parser = {{ path = \"{path}\" }}\n"));
        place.dwindle(&["init"]).current_dir(place.path("lib")).assert().code(if is_named {
            2
        } else {
            0
        });
    }
}

#[test]
fn a_workspace_without_a_package_names_the_fuzz_crates_it_has() {
    let place = Place::new(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/a\"]\n"),
        ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("crates/a/src/lib.rs", ""),
        (
            "crates/a/fuzz/Cargo.toml",
            "[package]\nname = \"a-fuzz\"\nmetadata.cargo-fuzz = true\n[dependencies]\n\
             libfuzzer-sys = \"0.4\"\n",
        ),
    ]);
    place
        .dwindle(&["init"])
        .assert()
        .code(2)
        .stderr(contains("To convert it to dwindle: cargo dwindle init --fuzz-dir crates/a/fuzz"));
    place.dwindle(&["init", "--yes", "--fuzz-dir", "crates/a/fuzz"]).assert().code(0);
    place
        .dwindle(&["init", "--yes"])
        .current_dir(place.path("crates/a/src"))
        .assert()
        .code(0)
        .stdout(contains("nothing to do"));
}
