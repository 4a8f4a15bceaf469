//! What an execution under AFL++ costs with dwindle, beside afl.rs and Arbitrary on equal values.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::evidence::build::FIXTURE;
use crate::evidence::callgrind;
use crate::tools;

/// How many inputs two runs are given; what the second has more of is executions.
const INPUTS: [usize; 2] = [200, 2_000];
/// How many operations the inputs have, in turns.
const OPERATIONS: [usize; 4] = [1, 5, 20, 100];
/// At most this much of the instructions of the twin.
const GOAL: f64 = 1.1;

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_valgrind()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let feed = compile_feed(scratch.path())?;
    let [ours, stock] = ["twin_afl_ours", "twin_afl_stock"].map(|target| build(target, &feed));
    let (ours, stock) = (ours?, stock?);
    println!(
        "Instructions of an execution under AFL++'s run time (callgrind, all processes together, \
         equal values):\n"
    );
    println!(
        "| operations | with dwindle | afl.rs and Arbitrary | ratio | at most | |\n| --- | --- | \
         --- | --- | --- | --- |"
    );
    for operations in OPERATIONS {
        let [with, without] =
            [(&ours, ours_bytes as fn(usize, usize) -> Vec<u8>), (&stock, stock_bytes)]
                .map(|(binary, bytes)| for_an_execution(scratch.path(), binary, operations, bytes));
        let (with, without) = (with?, without?);
        let ratio = with / without;
        println!(
            "| {operations} | {with:.0} | {without:.0} | {ratio:.3} | {GOAL} | {} |",
            if ratio <= GOAL { "met" } else { "MISSED" }
        );
    }
    Ok(())
}

/// What stands in for afl-fuzz, as an object to link.
fn compile_feed(scratch: &Path) -> Result<PathBuf> {
    let object = scratch.join("feed.o");
    let status = Command::new("cc")
        .args(["-O2", "-c", "-o"])
        .arg(&object)
        .arg(tools::root().join("xtask/src/evidence/feed.c"))
        .status();
    ensure!(status.context("cannot start cc")?.success(), "feed.c does not compile");
    Ok(object)
}

fn build(target: &str, feed: &Path) -> Result<PathBuf> {
    let platform = host()?;
    let folder = tools::root().join(FIXTURE).join("target/feed");
    let wrap = ["__afl_manual_init", "__afl_persistent_loop"]
        .map(|name| format!(" -Clink-arg=-Wl,--wrap={name}"))
        .concat();
    let mut command = tools::cargo();
    command.args([
        "afl",
        "build",
        "--release",
        "--no-default-features",
        "--features",
        "afl",
        "--bin",
        target,
        "--target",
        &platform,
    ]);
    command
        .arg("--manifest-path")
        .arg(tools::root().join(FIXTURE).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder);
    // Valgrind does not know every instruction that this machine may have.
    command.env("RUSTFLAGS", format!("-Ctarget-cpu=generic -Clink-arg={}{wrap}", feed.display()));
    let status = tools::with_cargo_afl(&mut command)?.status().context("cannot start cargo")?;
    ensure!(status.success(), "the target {target} does not build");
    Ok(folder.join(platform).join("release").join(target))
}

fn host() -> Result<String> {
    let output = tools::cargo().arg("-vV").output().context("cannot start cargo")?;
    let words = String::from_utf8_lossy(&output.stdout);
    words
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .context("cargo does not name its platform")
}

/// Instructions of an execution, from the difference of two runs.
fn for_an_execution(
    scratch: &Path,
    binary: &Path,
    operations: usize,
    bytes: fn(usize, usize) -> Vec<u8>,
) -> Result<f64> {
    let [few, many] = INPUTS;
    let count = |inputs| instructions(scratch, binary, inputs, operations, bytes);
    Ok((count(many)? - count(few)?) as f64 / (many - few) as f64)
}

fn instructions(
    scratch: &Path,
    binary: &Path,
    inputs: usize,
    operations: usize,
    bytes: fn(usize, usize) -> Vec<u8>,
) -> Result<u64> {
    let (out, file) = (scratch.join("out"), scratch.join("inputs"));
    fs::create_dir_all(&out).context("cannot make a temporary folder")?;
    let feed = (0..inputs).flat_map(|input| {
        let bytes = bytes(input, operations);
        [&(bytes.len() as u32).to_le_bytes()[..], &bytes].concat()
    });
    fs::write(&file, feed.collect::<Vec<u8>>())?;
    let (mut command, counts) = callgrind::counting(binary, scratch)?;
    command
        .env("FEED_INPUTS", &file)
        .env("__AFL_OUT_DIR", &out)
        .env("DWINDLE_STORE", scratch.join("store"))
        .env_remove("DWINDLE");
    let output = command.output().context("cannot start valgrind")?;
    ensure!(
        output.status.success(),
        "{} ended with {}:\n{}",
        binary.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    callgrind::counted(&counts)
}

/// An operation: which variant, and its fields as both formats have them.
fn operation(input: usize, index: usize) -> (u8, Vec<u8>) {
    let key = (input * 7 + index) as u8;
    match (input + index) % 4 {
        0 => (2, [&[key][..], &(index as u32 * 1_000_003).to_le_bytes()].concat()),
        1 => (3, vec![key.wrapping_sub(1), key ^ 0x55]),
        2 => (1, vec![key]),
        // Rare, or the map would be empty all the time.
        _ if index % 16 == 15 => (0, vec![]),
        _ => (2, vec![key, 1, 0, 0, 0]),
    }
}

/// As dwindle reads it: a byte that says both "go on" and which variant, then the fields; 0 at the
/// end.
fn ours_bytes(input: usize, operations: usize) -> Vec<u8> {
    let operations = (0..operations).map(|index| operation(input, index));
    operations
        .flat_map(|(variant, fields)| [&[variant + 1][..], &fields].concat())
        .chain([0])
        .collect()
}

/// As `derive(Arbitrary)` reads it: a continue byte, four bytes for the variant, which is (raw * 4)
/// >> 32, then the fields; 0 at the end.
fn stock_bytes(input: usize, operations: usize) -> Vec<u8> {
    let operations = (0..operations).map(|index| operation(input, index));
    operations
        .flat_map(|(variant, fields)| {
            [&[1][..], &(u32::from(variant) << 30).to_le_bytes(), &fields].concat()
        })
        .chain([0])
        .collect()
}
