//! `init` and `add`: what is made, what is converted, and what is left alone.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A project in a temporary folder; nothing in it is ever built.
struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn dwindle(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-dwindle"));
        command.args(arguments).current_dir(self.path("")).env("CARGO", env!("CARGO"));
        for name in ["CARGO_TARGET_DIR", "DWINDLE_STORE", "RUSTFLAGS"] {
            command.env_remove(name);
        }
        command
    }

    /// All files and what they hold, sorted.
    fn everything(&self) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read_to_string(path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }
}

const LIBRARY: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"my-parser\"\nedition = \"2024\"\n"),
    ("src/lib.rs", "pub fn parse() {}\n"),
];

/// A project as cargo-fuzz makes one, and as its users write it.
const CARGO_FUZZ: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"my-parser\"\nedition = \"2021\"\n"),
    ("src/lib.rs", "pub fn parse() {}\n"),
    (
        "fuzz/Cargo.toml",
        "\
[package]
name = \"my-parser-fuzz\"
version = \"0.0.0\"
publish = false
edition = \"2021\"

[package.metadata]
cargo-fuzz = true

[dependencies]
# Kept up to date by hand.
libfuzzer-sys = { version = \"0.4\", features = [\"arbitrary-derive\"] } # the engine
my-parser = { path = \"..\" }

# One target so far.
[[bin]]
name = \"parse\"
path = \"fuzz_targets/parse.rs\"
test = false
doc = false
bench = false
",
    ),
    ("fuzz/.gitignore", "target\ncorpus\n"),
    (
        "fuzz/fuzz_targets/parse.rs",
        "\
#![no_main]

use libfuzzer_sys::{arbitrary::Arbitrary, fuzz_target, Corpus};

mod shape;

// libfuzzer_sys calls this.
fuzz_target!(|data: &[u8]| -> Corpus {
    if data.is_empty() { Corpus::Reject } else { libfuzzer_sys::Corpus::Keep }
});
",
    ),
    (
        "fuzz/fuzz_targets/shape.rs",
        "use libfuzzer_sys::arbitrary;\n\n\
                                    #[derive(arbitrary::Arbitrary)]\npub struct Shape;\n",
    ),
    ("fuzz/target/old.rs", "use libfuzzer_sys::fuzz_target;\n"),
];

/// The fuzz crate of this repository's harness, from where the tests are built.
fn harness() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("harness")
}

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

# A workspace of its own: targets are built with flags of their own.
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
fn without_a_path_dwindle_is_that_of_the_clone_that_the_command_was_built_in() {
    let place = Place::new(LIBRARY);
    place
        .dwindle(&["init", "--fuzz-dir", "tests/fuzzing"])
        .assert()
        .code(0)
        .stderr(contains("where this command was built").and(contains("--dwindle")));
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
fn what_is_there_is_never_overwritten() {
    let place = Place::new(LIBRARY);
    place.write("fuzz/notes.txt", "mine");
    let before = place.everything();
    place.dwindle(&["init"]).assert().code(2).stderr(
        contains("is there and is no fuzz crate; nothing was written").and(contains("--fuzz-dir")),
    );
    assert_eq!(place.everything(), before);
    fs::remove_file(place.path("fuzz/notes.txt")).unwrap();
    place.dwindle(&["init"]).assert().code(0);
}

#[test]
fn a_crate_that_cannot_be_fuzzed_says_why() {
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
            "is a workspace without a package of its own; run this in the folder of the crate to \
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
fn a_workspace_that_takes_the_fuzz_crate_for_a_member_is_warned_of() {
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
fn a_conversion_is_shown_and_not_made_unless_it_is_agreed_to() {
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
fn a_conversion_changes_what_names_the_crate_and_nothing_else() {
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
fn a_conversion_that_was_cut_short_is_taken_up_again() {
    let place = Place::new(CARGO_FUZZ);
    place.dwindle(&["init", "--yes"]).assert().code(0);
    place.write("fuzz/fuzz_targets/shape.rs", "use libfuzzer_sys::arbitrary;\n");
    place.dwindle(&["init", "--yes"]).assert().code(0);
    assert_eq!(place.read("fuzz/fuzz_targets/shape.rs"), "use dwindle::arbitrary::arbitrary;\n");
}

#[test]
fn a_project_that_cannot_be_converted_is_left_alone() {
    for (name, text, words) in [
        (
            "fuzz/fuzz_targets/shape.rs",
            "use libfuzzer_sys::{;\n",
            "fuzz/fuzz_targets/shape.rs names libfuzzer_sys and cannot be read as Rust",
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
            "depends neither on libfuzzer-sys",
        ),
        (
            "fuzz/Cargo.toml",
            "[package]\nname = \"f\"\nmetadata.cargo-fuzz = true\n[dependencies]\nlf = { package = \
             \"libfuzzer-sys\", version = \"0.4\" }\n",
            "renamed to `lf`",
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
        ("fuzz_target_1", "there is a target `fuzz_target_1`"),
        ("fuzz-target-1", "there is a target `fuzz_target_1`"),
        ("mine", "fuzz/fuzz_targets/mine.rs is there already"),
        ("2nd", "no name for a target"),
        ("../up", "no name for a target"),
        ("match", "a word of Rust or of cargo"),
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
        "there is a fuzz crate already; nothing was written:\n\n  {there}\n\nTo add a target \
         there: cargo dwindle add NAME --fuzz-dir {there}\n"
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
fn a_fuzz_crate_elsewhere_in_the_workspace_or_for_this_crate_in_the_repository_is_named() {
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
fn a_manifest_with_the_line_ends_of_windows_keeps_them() {
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

#[test]
fn a_fuzz_crate_that_is_not_marked_is_found_by_what_it_depends_on() {
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
fn other_files_that_name_libfuzzer_sys_are_named_and_left_alone() {
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
    let words = "These files name libfuzzer-sys too and stay as they are; see whether they have to \
                 change:\n  fuzz/build.rs:2: let target = \"use libfuzzer_sys::fuzz_target;\";\n  \
                 notes.bin:1: libfuzzer_sys\n  scripts/new.sh:3: echo 'use \
                 libfuzzer_sys::fuzz_target;' > $1 (and 1 more)\n  .github/workflows/fuzz.yml:1: \
                 run: cargo add libfuzzer-sys\n";
    place.write(".git/HEAD", "");
    place
        .dwindle(&["init", "--yes"])
        .assert()
        .code(0)
        .stdout(contains("names").or(contains("libfuzzer-sys too")));
    let again = place.dwindle(&["init"]).assert().code(0);
    let stdout = String::from_utf8(again.get_output().stdout.clone()).unwrap();
    for line in words.lines() {
        assert!(stdout.contains(line), "{line} is not in {stdout}");
    }
    assert_eq!(place.read("scripts/new.sh"), script);
}
