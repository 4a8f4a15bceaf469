//! A crate of one's own: made ready for fuzzing, fuzzed, and its bug seen through to the fix.

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use xtask::tools;

use crate::stage::{Outcome, Stage, files_in, outcome};

const MANIFEST: &str = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// All tests build into one folder, where two projects of the same names would take each other's
/// executables.
pub(crate) fn one_at_a_time() -> MutexGuard<'static, ()> {
    static DEMO: Mutex<()> = Mutex::new(());
    DEMO.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The library under test. Its function does `first`, then, from the fifth line on, the rest.
fn library(first: &str, rest: &str) -> String {
    format!(
        "//! A demo.\n\n/// Takes a number.\npub fn take(number: u32) {{{first}\n    {rest}\n}}\n"
    )
}

/// The target, which draws a number so.
fn target(draw: &str) -> String {
    format!(
        "#![no_main]\n\nuse dwindle::prelude::*;\n\n\
         dwindle::fuzz_target!(|tc: &mut TestCase| {{\n    demo::take(tc.draw({draw}));\n}});\n"
    )
}

const BUG: &str = "assert!(number < 77, \"the number {number}\");";
const BYTES: &str = "g::integers(0..=255u32)";

/// The crate `demo` with a fuzz crate and the target `take`, of which one bug is stored.
pub(crate) fn demo() -> Stage {
    let stage = Stage::project();
    fs::create_dir_all(stage.path("demo/src")).unwrap();
    stage.file("demo/Cargo.toml", MANIFEST.as_bytes());
    stage.file("demo/src/lib.rs", library("", BUG).as_bytes());
    let harness = tools::root().join("harness");
    succeeds(&outcome(&mut stage.dwindle_in_demo(&[
        "init",
        "--dwindle",
        harness.to_str().unwrap(),
    ])));
    tools::share_builds(&stage.path("demo/fuzz")).unwrap();
    succeeds(&outcome(&mut stage.dwindle_in_demo(&["add", "take"])));
    stage
}

#[track_caller]
fn succeeds(ended: &Outcome) {
    assert_eq!(ended.code, Some(0), "{ended:#?}");
}

/// `cargo dwindle check`, which has to say this of the only bug.
#[track_caller]
fn check(stage: &Stage, code: i32, verdict: &str) -> Outcome {
    let before = store(stage);
    let ended = outcome(&mut stage.dwindle_in_demo(&["check"]));
    assert_eq!(ended.code, Some(code), "{ended:#?}");
    let bug = stage.only_bug("take");
    assert!(
        ended.stdout.starts_with(&format!("{verdict:<13}  {}", bug.id())),
        "{verdict} is not said in {ended:#?}"
    );
    assert_eq!(store(stage), before, "a check has changed the store");
    ended
}

/// Every file of the store, and what it holds.
fn store(stage: &Stage) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut paths = vec![stage.path("store")];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(files_in(&path));
        } else {
            files.push((path.display().to_string(), fs::read(path).unwrap()));
        }
    }
    files
}

#[test]
fn a_bug_is_found_in_a_new_project_and_checked_until_it_is_fixed() {
    let _turn = one_at_a_time();
    let stage = demo();
    succeeds(&outcome(&mut stage.dwindle_in_demo(&["run", "fuzz_target_1", "--", "-runs=1000"])));
    succeeds(&outcome(&mut stage.run("take", &[], &["-runs=10"])));
    stage.file("demo/fuzz/fuzz_targets/take.rs", target(BYTES).as_bytes());
    let found = outcome(&mut stage.run("take", &["--stop-on-first"], &["-runs=1000000"]));
    assert_eq!(found.code, Some(1), "{found:#?}");
    let listed = outcome(&mut stage.dwindle_in_demo(&["list"]));
    assert_eq!(listed.stdout, "fuzz_target_1\ntake           1 bug\n");

    let failing = check(&stage, 1, "still failing");
    failing.says("the number 77");
    failing.says("reproduce: cargo dwindle show take ");

    // Another place in the same code.
    stage.file(
        "demo/src/lib.rs",
        library("", "\n    assert!(number < 70, \"another limit than {number}\");").as_bytes(),
    );
    let changed = check(&stage, 1, "changed");
    changed.says("another limit than 77");
    changed.says("that bug is not in the store; to keep it: cargo dwindle min take ");

    // The first execution fails, the second does not, and so on.
    let coin = stage.file("coin", b"").display().to_string();
    let toss = format!(
        "let tosses = std::fs::read(r\"{coin}\").unwrap().len(); std::fs::write(r\"{coin}\", \
         vec![0; tosses + 1]).unwrap();"
    );
    stage.file(
        "demo/src/lib.rs",
        library(&toss, &BUG.replace("number < 77", "number < 77 || tosses % 2 == 1")).as_bytes(),
    );
    check(&stage, 1, "flaky").says("failed in 2 of 3 runs");

    stage.file("demo/src/lib.rs", library("", "let _ = number;").as_bytes());
    let fixed = check(&stage, 0, "fixed");
    fixed.says("remove its folder, or keep it as a regression test");
    fixed.says("take: 1 bug checked, 1 fixed");

    stage.file("demo/fuzz/fuzz_targets/take.rs", target("g::integers(0..=10_000u32)").as_bytes());
    check(&stage, 0, "stale").says("the generator now reads the bytes as other choices");
    stage.file(
        "demo/fuzz/fuzz_targets/take.rs",
        target("g::integers(0..=255u32).map(|number| number + 1)").as_bytes(),
    );
    check(&stage, 0, "stale")
        .says("the target now draws 78 from the input, and earlier it drew 77");

    let json = outcome(&mut stage.dwindle_in_demo(&["check", "take", "--json"]));
    assert_eq!(json.events("checked")[0]["verdict"], "stale");
    assert_eq!(json.events("end")[0]["stale"], 1);
}

const CARGO_FUZZ: &str = "\
[package]
name = \"demo-fuzz\"
version = \"0.0.0\"
publish = false
edition = \"2021\"

[package.metadata]
cargo-fuzz = true

[dependencies]
libfuzzer-sys = { version = \"0.4\", features = [\"arbitrary-derive\"] }

[dependencies.demo]
path = \"..\"

[workspace]

[[bin]]
name = \"take\"
path = \"fuzz_targets/take.rs\"
test = false
doc = false
bench = false
";

const CARGO_FUZZ_TARGET: &str = "\
#![no_main]

use libfuzzer_sys::{arbitrary, fuzz_target, Corpus};

#[derive(arbitrary::Arbitrary, Debug)]
struct Number(u8);

fuzz_target!(|number: Number| -> Corpus {
    if number.0 == 3 {
        return libfuzzer_sys::Corpus::Reject;
    }
    demo::take(u32::from(number.0));
    Corpus::Keep
});
";

#[test]
fn a_converted_project_builds_and_keeps_its_bugs() {
    let _turn = one_at_a_time();
    let stage = Stage::project();
    fs::create_dir_all(stage.path("demo/src")).unwrap();
    fs::create_dir_all(stage.path("demo/fuzz/fuzz_targets")).unwrap();
    stage.file("demo/Cargo.toml", MANIFEST.as_bytes());
    stage.file("demo/src/lib.rs", library("", BUG).as_bytes());
    stage.file("demo/fuzz/Cargo.toml", CARGO_FUZZ.as_bytes());
    stage.file("demo/fuzz/fuzz_targets/take.rs", CARGO_FUZZ_TARGET.as_bytes());
    let harness = tools::root().join("harness");
    succeeds(&outcome(&mut stage.dwindle_in_demo(&[
        "init",
        "--yes",
        "--dwindle",
        harness.to_str().unwrap(),
    ])));
    tools::share_builds(&stage.path("demo/fuzz")).unwrap();
    let found = outcome(&mut stage.run("take", &["--stop-on-first"], &["-runs=1000000"]));
    assert_eq!(found.code, Some(1), "{found:#?}");
    assert_eq!(stage.only_bug("take").draws(), "Number(77)");
    check(&stage, 1, "still failing");
    stage.file("demo/src/lib.rs", library("", "let _ = number;").as_bytes());
    check(&stage, 0, "fixed");
}

#[test]
fn all_targets_of_a_project_share_a_time() {
    let _turn = one_at_a_time();
    let stage = demo();
    stage.file("demo/fuzz/fuzz_targets/take.rs", target(BYTES).as_bytes());
    let all = ["run", "--all", "--max-time", "14"];
    let ended = outcome(&mut stage.dwindle_in_demo(&all));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("target  fuzz_target_1, 6 s");
    ended.says("target  take, 6 s");
    ended.says("all targets in ");
    let bug = stage.only_bug("take");
    assert_eq!((bug.status(), &*bug.draws()), ("minimized", "77"));
    assert!(stage.path("store/fuzz_target_1.turns.json").is_file());

    // The next time known bugs and corpora come first, and a target that does not build is left
    // out.
    stage.file("demo/fuzz/fuzz_targets/fuzz_target_1.rs", b"no Rust");
    let ended = outcome(&mut stage.dwindle_in_demo(&["run", "--all", "--max-time", "3"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("target `fuzz_target_1` is left out: ");
    ended.says("still failing");
    ended.says("target  take, the corpus");
    stage.leaves_no_process();
}
