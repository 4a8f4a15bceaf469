//! Both kinds of fuzzers, built as `cargo fuzz` builds them: nightly, with `AddressSanitizer`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use drop_in_values::Target;

/// Where the binaries are.
pub struct Fuzzers {
    folder: PathBuf,
}

impl Fuzzers {
    pub fn build() -> Result<Fuzzers> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let bench = here.parent().context("the bench folder")?;
        let target_dir = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| bench.join("target"), PathBuf::from)
            .join("drop_in");
        // `cargo xtask ci` installs cargo-fuzz here.
        let tools = bench.parent().context("the repository")?.join("target/tools/bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::env::split_paths(&path).chain([tools]))
            .context("the search path")?;
        for package in ["stock", "ours"] {
            let status = Command::new("cargo")
                .args(["+nightly", "fuzz", "build", "--fuzz-dir", package])
                .current_dir(here)
                .env("CARGO_TARGET_DIR", &target_dir)
                .env("PATH", &path)
                .env_remove("RUSTUP_TOOLCHAIN")
                .env_remove("CARGO")
                .status()
                .context("starting cargo")?;
            ensure!(status.success(), "building {package} with `cargo +nightly fuzz build` failed");
        }
        let host = std::fs::read_dir(&target_dir)?
            .flatten()
            .map(|entry| entry.path().join("release"))
            .find(|path| path.join("stock_bound5").is_file());
        Ok(Fuzzers { folder: host.context("cargo-fuzz left no binaries")? })
    }

    pub fn ours(&self, target: Target) -> PathBuf {
        self.folder.join(format!("ours_{}", target.name()))
    }

    pub fn stock(&self, target: Target) -> PathBuf {
        self.folder.join(format!("stock_{}", target.name()))
    }
}

/// A fuzzer with what cargo-fuzz sets, that leaves everything in `folder`. The standard library
/// prints no backtrace, because that would take longer than the minimizer of dwindle.
pub fn command(fuzzer: &Path, folder: &Path) -> Command {
    let mut command = Command::new(fuzzer);
    command
        .arg(format!("-artifact_prefix={}/", folder.display()))
        .current_dir(folder)
        .env_remove("RUST_BACKTRACE")
        .env("ASAN_OPTIONS", "detect_odr_violation=0")
        .env("DWINDLE_STORE", folder.join("store"));
    command
}
