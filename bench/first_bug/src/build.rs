//! Building both kinds of fuzzers the way `cargo fuzz build` does, without needing it or a nightly
//! compiler.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// What a target is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuzzer {
    Dwindle,
    /// The twin as it is.
    Twin,
    /// The twin with the one flag that dwindle sets by itself.
    LongTwin,
}

impl Fuzzer {
    pub const ALL: [Fuzzer; 3] = [Fuzzer::Dwindle, Fuzzer::Twin, Fuzzer::LongTwin];

    pub fn binary(self, target: &str) -> String {
        match self {
            Fuzzer::Dwindle => target.to_owned(),
            Fuzzer::Twin | Fuzzer::LongTwin => format!("twin_{target}"),
        }
    }
}

impl fmt::Display for Fuzzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fuzzer::Dwindle => "dwindle",
            Fuzzer::Twin => "twin",
            Fuzzer::LongTwin => "twin with -len_control=0",
        })
    }
}

/// The flags of cargo-fuzz 0.13 without a sanitizer.
const RUSTFLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
                         -Cllvm-args=-sanitizer-coverage-level=4 \
                         -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                         -Cllvm-args=-sanitizer-coverage-pc-table \
                         -Cllvm-args=-sanitizer-coverage-trace-compares \
                         -Cllvm-args=-simplifycfg-branch-fold-threshold=0 -Ccodegen-units=1 \
                         -Cdebug-assertions=on -Cdebuginfo=line-tables-only";

/// Builds the targets and their twins with the same flags; gives the folder that holds them.
pub fn build() -> Result<PathBuf> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the bench folder")?;
    let fuzz = bench.parent().context("the repository")?.join("fuzz");
    let host = host()?;
    let target_dir = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| bench.join("target"), PathBuf::from)
        .join("first_bug");
    for (manifest, package) in
        [(fuzz.join("Cargo.toml"), "dwindle-fuzz"), (bench.join("Cargo.toml"), "twins")]
    {
        // With --target the flags are not those of build scripts.
        let status = Command::new("cargo")
            .args([
                "build",
                "--release",
                "--bins",
                "--package",
                package,
                "--target",
                &host,
                "--manifest-path",
            ])
            .arg(&manifest)
            .arg("--target-dir")
            .arg(&target_dir)
            .env("RUSTFLAGS", RUSTFLAGS)
            .status()
            .context("starting cargo")?;
        ensure!(status.success(), "building {package} failed");
    }
    Ok(target_dir.join(host).join("release"))
}

fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("starting rustc")?;
    let version = String::from_utf8(output.stdout).context("reading the version of rustc")?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("rustc does not name its host")?;
    Ok(host.to_owned())
}
