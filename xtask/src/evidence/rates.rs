//! How many candidates a minimizer runs in a second, and how many of them may kill the process.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::evidence::build::{self, FIXTURE};
use crate::tools;

/// Inputs of the target `deadly`: a panic, and an abort.
const INPUTS: [(&str, &[u8]); 2] = [("panic", &[2, 10, 0]), ("abort", &[6, 10, 0])];

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    println!(
        "| build | the target ends by | candidates a second | microseconds of the worker for each \
         | round trips a second that run nothing |"
    );
    println!("| --- | --- | --- | --- | --- |");
    for (build, binary) in [
        ("plain", build::plain(FIXTURE, "deadly")?),
        ("AddressSanitizer", build::with_sanitizer(FIXTURE, "deadly")?),
    ] {
        for (way, input) in INPUTS {
            let file = scratch.path().join(way);
            fs::write(&file, input)?;
            let output = Command::new(&binary)
                .arg(&file)
                .env("DWINDLE_MODE", "rate")
                .env("ASAN_OPTIONS", "detect_odr_violation=0")
                .output()?;
            let words = String::from_utf8_lossy(&output.stderr);
            let numbers: Vec<&str> = words
                .split(|c: char| !c.is_ascii_digit() && c != '.')
                .filter(|number| number.parse::<f64>().is_ok())
                .collect();
            ensure!(
                output.status.success() && words.contains("fails") && numbers.len() == 3,
                "{} said {words}",
                binary.display()
            );
            println!("| {build} | {way} | {} | {} | {} |", numbers[0], numbers[1], numbers[2]);
        }
    }
    Ok(())
}
