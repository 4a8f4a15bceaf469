//! What decides whether a change lands, quick checks first.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::steps::{self, Step};
use crate::{publish, tools};

/// Runs every check and every test. What a bare machine lacks it installs, or says how to; nothing
/// is left out because something is missing.
///
/// # Errors
/// What failed, and the command that repeats it.
pub fn run() -> Result<()> {
    // What cannot be installed is asked for before anything is built.
    tools::require_nightly()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    steps::run(
        "ci",
        vec![
            formatting(),
            Step::new(
                "rules of the house",
                [cargo("test --locked --package xtask --test docs --test house")],
            )
            .gate(),
            lints(),
            tests(),
            Step::new("what processes share, under Miri", [miri()]).needs(tools::require_miri),
            Step::new("the harness under AddressSanitizer", [with_sanitizer()])
                .needs(tools::require_nightly),
            Step::new("documentation", [documentation()]),
            Step::new("what would be published", [without_building(publish::package_command())]),
            Step::new(
                "true minima of the fuzz targets",
                [cargo("test --locked --manifest-path fuzz/Cargo.toml")],
            ),
            Step::new("the fuzz targets build and start", start_targets(scratch.path())?),
            Step::new(
                "end-to-end tests with real fuzzers",
                [cargo("test --locked --package xtask --test end_to_end")],
            )
            .needs(tools::require_nightly)
            .needs(|| tools::install_cargo_fuzz().map(drop))
            .needs(|| tools::install_cargo_afl().map(drop))
            .needs(tools::require_llvm_tools)
            .needs(tools::require_chromium),
            benches(),
        ],
    )
}

fn formatting() -> Step {
    Step::new(
        "formatting",
        [
            cargo("fmt --all --check"),
            cargo("fmt --check --manifest-path fuzz/Cargo.toml"),
            cargo("fmt --all --check --manifest-path bench/Cargo.toml"),
            cargo("fmt --all --check --manifest-path bench/known/Cargo.toml"),
            cargo("fmt --all --check --manifest-path bench/large/Cargo.toml"),
            cargo("fmt --check --manifest-path xtask/tests/fixture/Cargo.toml"),
        ],
    )
    .gate()
}

fn lints() -> Step {
    Step::new(
        "lints",
        [
            cargo("clippy --locked --workspace --all-targets -- -D warnings"),
            cargo(
                "clippy --locked --package dwindle-engine --all-features --all-targets -- \
                 -D warnings",
            ),
            // The build for property tests alone, which is the one for other systems, and the one
            // with the random engine.
            cargo(
                "clippy --locked --package dwindle --package dwindle-corpus --no-default-features \
                 --lib --tests -- -D warnings",
            ),
            cargo(
                "clippy --locked --package dwindle --no-default-features --features fuzzing -- -D \
                 warnings",
            ),
            cargo(
                "clippy --locked --package dwindle --no-default-features --features afl -- \
                 -D warnings",
            ),
            cargo(
                "clippy --locked --all-targets --manifest-path fuzz/Cargo.toml -- -D \
                 warnings",
            ),
        ],
    )
    .needs(tools::require_cpp_compiler)
    .gate()
}

fn tests() -> Step {
    Step::new(
        "tests of the libraries and the command line",
        [
            cargo("test --locked --workspace --exclude xtask --no-fail-fast"),
            cargo(
                "test --locked --package dwindle-engine --all-features --test \
                 std_and_crates",
            ),
            // Without the feature `fuzzing`, nothing of Linux is left. The skipped tests are about
            // code that does not depend on the feature, and take a minute.
            cargo(
                "test --locked --package dwindle --package dwindle-corpus --no-default-features \
                 --lib --test property -- --skip health:: --skip several:: --skip causes:: --skip \
                 borrowed:: --skip futures::",
            ),
            cargo("test --locked --package xtask --lib --bins --test mistakes"),
        ],
    )
}

fn benches() -> Step {
    Step::new(
        "the benches",
        [
            cargo(
                "clippy --locked --all-targets --manifest-path bench/Cargo.toml -- -D \
                 warnings",
            ),
            // Workspaces of fuzz targets, which share what they build. The measurement builds them.
            cargo(
                "clippy --locked --all-targets --manifest-path bench/known/Cargo.toml -- -D \
                 warnings",
            ),
            cargo(
                "clippy --locked --all-targets --manifest-path bench/large/Cargo.toml \
                 --target-dir bench/known/target -- -D warnings",
            ),
            // What is excluded is fuzz targets, which have no tests.
            cargo(
                "test --locked --manifest-path bench/Cargo.toml --workspace --exclude \
                 twins --exclude drop_in_ours --exclude drop_in_stock",
            ),
        ],
    )
    .needs(tools::require_valgrind)
}

/// `cargo xtask package` builds the packages too.
fn without_building(mut package: Command) -> Command {
    package.arg("--no-verify");
    package
}

/// A command of cargo. Spaces separate its arguments.
fn cargo(arguments: &str) -> Command {
    let mut command = tools::cargo();
    command.args(arguments.split(' '));
    command
}

/// The messages between processes, the memory that they lie in, and the numbers that processes wait
/// for.
fn miri() -> Command {
    let mut command = tools::cargo_nightly();
    command.args([
        "miri",
        "test",
        "--locked",
        "--package",
        "dwindle",
        "--no-default-features",
        "--features",
        "fuzzing",
        "--lib",
        "--",
    ]);
    command.args([
        "isolation::wire",
        "isolation::shared",
        "isolation::bell",
        "isolation::record",
        "isolation::note",
    ]);
    // What processes share stays to their end.
    command.env("MIRIFLAGS", "-Zmiri-ignore-leaks");
    command
}

/// The harness' own tests. Shared memory stays to the end of a process, which counts as a leak. One
/// test at a time: they fork, and a lock that another thread holds would stay locked in the child.
fn with_sanitizer() -> Command {
    let mut command = tools::cargo_nightly();
    command.args([
        "test",
        "--locked",
        "--package",
        "dwindle",
        "--no-default-features",
        "--features",
        "fuzzing",
        "--lib",
        "--target",
        "x86_64-unknown-linux-gnu",
    ]);
    // These two are about what damaged memory makes of a run without a sanitizer; they run in the
    // step before.
    command.args([
        "--",
        "--test-threads=1",
        "--skip",
        "damage_is_distinguished_from_other_failures",
        "--skip",
        "the_first_damage_has_its_own_id_and_later_damage_shares_one_id",
    ]);
    command.env("RUSTFLAGS", "-Zsanitizer=address").env("ASAN_OPTIONS", "detect_leaks=0");
    command
}

fn documentation() -> Command {
    let mut command = cargo("doc --locked --workspace --no-deps");
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// One execution of each target, of the empty input, on which none of them fails.
fn start_targets(scratch: &Path) -> Result<Vec<Command>> {
    let corpus = scratch.join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let targets = fuzz_targets()?;
    Ok(targets
        .iter()
        .map(|target| {
            let mut command = cargo(&format!("dwindle run {target}"));
            command.arg(&corpus).arg("--store").arg(scratch.join("store")).args(["--", "-runs=1"]);
            command
        })
        .collect())
}

/// The targets of `fuzz/`, sorted.
fn fuzz_targets() -> Result<Vec<String>> {
    let output =
        cargo("metadata --locked --no-deps --format-version 1 --manifest-path fuzz/Cargo.toml")
            .output()
            .context("cannot start cargo")?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("cargo cannot read fuzz/Cargo.toml")?;
    let targets = metadata["packages"][0]["targets"].as_array().into_iter().flatten();
    let mut names: Vec<String> = targets
        .filter(|target| target["kind"][0] == "bin")
        .filter_map(|target| Some(target["name"].as_str()?.to_owned()))
        .collect();
    ensure!(!names.is_empty(), "fuzz/Cargo.toml has no targets");
    names.sort();
    Ok(names)
}
