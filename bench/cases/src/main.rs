//! How many cases of a property that holds `dwindle::check` runs in a second, random draws
//! included.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin cases` prints a table. `--min RATE`
//! makes it fail where cases of one integer are fewer a second.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, bail};
use dwindle::__private::property::Property;
use dwindle::prelude::*;
use dwindle::{Settings, check};

/// How many cases each run has, and how many runs there are: the fastest counts, as the others were
/// disturbed.
const CASES: u64 = 1_000_000;
const RUNS: usize = 5;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let min = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--min", rate] => Some(rate.parse::<f64>()?),
        _ => bail!("use: cases [--min RATE]"),
    };
    println!("| the property draws | cases a second |");
    println!("| --- | --- |");
    let one = rate(1, |tc| {
        black_box(tc.draw(any::<u32>()));
    });
    println!("| one `u32` | {one:.0} |");
    let ranged = rate(1, |tc| {
        black_box(tc.draw(g::integers(0..=1000u32)));
    });
    println!("| one `u32` of 0..=1000 | {ranged:.0} |");
    let tested = tested_rate();
    println!("| one `u32`, by `#[dwindle::test]` | {tested:.0} |");
    let list = rate(10, |tc| {
        black_box(tc.draw(any::<Vec<u32>>()));
    });
    println!("| `Vec<u32>` | {list:.0} |");
    match min {
        Some(min) if one.min(tested) < min => {
            bail!("{:.0} cases of one integer a second are fewer than {min:.0}", one.min(tested))
        }
        _ => Ok(()),
    }
}

/// Cases a second of `property`, in a run of `CASES / part` cases.
fn rate(part: u64, mut property: impl FnMut(&mut TestCase)) -> f64 {
    let cases = CASES / part;
    let once = |_| {
        let began = Instant::now();
        let passed = check(Settings::default().max_cases(cases).store(None), &mut property)
            .expect("the property holds");
        assert_eq!(passed.cases, cases);
        began.elapsed().as_secs_f64()
    };
    cases as f64 / (0..RUNS).map(once).fold(f64::INFINITY, f64::min)
}

/// The same for what `#[dwindle::test]` runs.
fn tested_rate() -> f64 {
    let property = Property {
        name: "holds",
        path: "cases::holds",
        manifest_dir: env!("CARGO_MANIFEST_DIR"),
        inputs: &[],
    };
    let once = |_| {
        let began = Instant::now();
        dwindle::__private::property::run(
            &property,
            Settings::default().max_cases(CASES).store(None),
            |tc| {
                black_box(tc.draw(any::<u32>()));
            },
        );
        began.elapsed().as_secs_f64()
    };
    CASES as f64 / (0..RUNS).map(once).fold(f64::INFINITY, f64::min)
}
