//! How small a drop-in target's crash files get and how fast, beside `cargo fuzz tmin` on stock
//! libfuzzer-sys.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin drop_in [--only TARGET]`: minimizes
//! every file in `bench/drop_in/crashes` in both ways and prints a table. `--find` looks for such
//! files anew, with stock libFuzzer. Needs the nightly toolchain and cargo-fuzz.

mod fuzzers;
mod find;
mod tmin;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use drop_in_values::Target;

use fuzzers::Fuzzers;
use table::Row;
use tmin::{NO_SHRINK, Start, minimized};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut targets = Target::ALL.to_vec();
    let mut is_to_find = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--find" => is_to_find = true,
            "--only" => {
                let name = arguments.next().context("--only needs the name of a target")?;
                targets.retain(|target| target.name() == name);
            }
            _ => bail!("{argument} is neither --find nor --only TARGET"),
        }
    }
    let fuzzers = Fuzzers::build()?;
    if is_to_find {
        return find::find(&fuzzers, &targets, &crashes());
    }
    let mut rows = Vec::new();
    for target in targets {
        for start in Start::all(target, &crashes())? {
            let ours = minimized(&fuzzers.ours(target), &start, &[], OURS_RUNS)?;
            let no_shrink = minimized(&fuzzers.ours(target), &start, NO_SHRINK, OURS_RUNS)?;
            let stock = minimized(&fuzzers.stock(target), &start, &[], 1)?;
            let row = Row { start, ours, no_shrink, stock };
            eprintln!("{row}");
            rows.push(row);
        }
    }
    print!("{}", table::table(&rows));
    Ok(())
}

/// What takes a moment is measured more than once, and the median counts.
const OURS_RUNS: usize = 3;

/// The crash files: a folder for each target, a file for each run of stock libFuzzer.
fn crashes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crashes")
}
