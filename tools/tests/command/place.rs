//! A project to make a fuzz crate in, or to convert.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A project in a temporary folder; nothing in it is ever built.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path("")).unwrap();
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    /// The project stands in a separate folder, so it never lies beside the clone of dwindle.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("project").join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn dwindle(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-dwindle"));
        command.args(arguments).current_dir(self.path("")).env("CARGO", env!("CARGO"));
        for name in ["CARGO_TARGET_DIR", "DWINDLE_STORE", "RUSTFLAGS"] {
            command.env_remove(name);
        }
        command
    }

    /// All files and what they hold, sorted.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, String)> {
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

/// A library without a fuzz crate.
pub(crate) const LIBRARY: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"my-parser\"\nedition = \"2024\"\n"),
    ("src/lib.rs", "pub fn parse() {}\n"),
];

/// A project as cargo-fuzz makes one, and as its users write it.
pub(crate) const CARGO_FUZZ: &[(&str, &str)] = &[
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
pub(crate) fn harness() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("harness")
}
