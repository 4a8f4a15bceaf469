//! Fuzz projects as they lie about, converted and run: the first edition, a workspace of fuzz
//! crates, what they share, mutators.

use std::fs;

use xtask::tools;

use crate::stage::{Outcome, Stage, names_in, outcome};

const LIBRARY: &str =
    "pub fn take(data: &[u8]) {\n    assert!(!data.contains(&7), \"a seven\");\n}\n";

/// Two fuzz crates and what they share, in a workspace `fuzz/`; one of the first edition, not
/// marked, with its target in a folder of both.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("src/lib.rs", LIBRARY),
    ("new-target.sh", "echo 'use libfuzzer_sys::fuzz_target;' > fuzz/targets/$1.rs\n"),
    (
        "fuzz/Cargo.toml",
        "\
[workspace]
resolver = \"2\"
members = [\"old\", \"shapes\", \"typed\"]

[workspace.dependencies]
sample = { path = \"..\" }
libfuzzer-sys = { version = \"0.4\", features = [\"arbitrary-derive\"] }

[profile.release]
panic = \"abort\"
debug = true
",
    ),
    (
        "fuzz/old/Cargo.toml",
        "\
[package]
name = \"sample-old\"
version = \"0.0.1\"
authors = [\"Automatically generated\"]

[dependencies.sample]
path = \"../..\"
[dependencies.libfuzzer-sys]
git = \"https://github.com/rust-fuzz/libfuzzer-sys.git\"
features = [\"arbitrary-derive\"]

[[bin]]
name = \"sample_old\"
path = \"../targets/old.rs\"
",
    ),
    (
        "fuzz/targets/old.rs",
        "\
#![no_main]
#[macro_use] extern crate libfuzzer_sys;
extern crate sample;

fuzz_target!(|data| {
    sample::take(data)
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, _seed: u32| {
    ::libfuzzer_sys::fuzzer_mutate(data, size, max_size)
});
",
    ),
    (
        "fuzz/shapes/Cargo.toml",
        "[package]\nname = \"sample-shapes\"\nversion = \"0.0.1\"\nedition = \"2018\"\n\n\
         [dependencies]\nlibfuzzer-sys.workspace = true\n",
    ),
    (
        "fuzz/shapes/src/lib.rs",
        "\
pub use libfuzzer_sys;
use libfuzzer_sys::arbitrary::{self, Arbitrary};

#[derive(Arbitrary, Debug)]
pub struct Shape {
    pub bytes: Vec<u8>,
}

#[macro_export]
macro_rules! target {
    ($($words:tt)*) => { $crate::libfuzzer_sys::fuzz_target!($($words)*); };
}
",
    ),
    (
        "fuzz/typed/Cargo.toml",
        "\
[package]
name = \"sample-typed\"
version = \"0.0.1\"
edition = \"2024\"

[package.metadata]
cargo-fuzz = true

[dependencies]
sample.workspace = true
sample-shapes = { path = \"../shapes\" }

[target.'cfg(fuzzing)'.dependencies]
libfuzzer-sys.workspace = true

[[bin]]
name = \"sample_typed\"
path = \"typed.rs\"
",
    ),
    (
        "fuzz/typed/typed.rs",
        "\
#![no_main]
use libfuzzer_sys::Corpus;

sample_shapes::target!(|shape: sample_shapes::Shape| -> Corpus {
    sample::take(&shape.bytes);
    Corpus::Keep
});
",
    ),
];

#[track_caller]
fn ends(ended: &Outcome, code: i32) {
    assert_eq!(ended.code, Some(code), "{ended:#?}");
}

#[test]
fn a_workspace_of_fuzz_crates_is_converted_and_each_finds_its_bug() {
    let stage = Stage::project();
    for (name, text) in FILES {
        let path = stage.path("demo").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let converted = outcome(&mut stage.dwindle_in_demo(&["init", "--yes"]));
    ends(&converted, 0);
    converted.says("new-target.sh:1: echo 'use libfuzzer_sys::fuzz_target;'");
    converted.says("because this command was built there");
    ends(&outcome(&mut stage.dwindle_in_demo(&["init"])), 0);
    tools::share_builds(&stage.path("demo/fuzz")).unwrap();

    let several = outcome(&mut stage.dwindle_in_demo(&["list"]));
    ends(&several, 2);
    several.says(
        "fuzz holds several fuzz crates; name one of them with --fuzz-dir:\n\n  fuzz/old\n  \
         fuzz/typed",
    );
    for (dir, target) in [("fuzz/old", "sample_old"), ("fuzz/typed", "sample_typed")] {
        let found = outcome(&mut stage.dwindle_in_demo(&[
            "run",
            target,
            "--fuzz-dir",
            dir,
            "--stop-on-first",
            "--",
            "-seed=1",
            "-runs=100000",
        ]));
        ends(&found, 1);
        found.says("a seven");
        assert_eq!(names_in(&stage.path("store").join(target)).len(), 1, "{found:#?}");
    }
    // A new target is of the edition of its crate.
    for (name, form) in [("sample_drawing", None), ("sample_bytes", Some("--arbitrary"))] {
        ends(
            &outcome(stage.dwindle_in_demo(&["add", name, "--fuzz-dir", "fuzz/old"]).args(form)),
            0,
        );
        ends(
            &outcome(&mut stage.dwindle_in_demo(&[
                "run",
                name,
                "--fuzz-dir",
                "fuzz/old",
                "--",
                "-runs=10",
            ])),
            0,
        );
    }
}
