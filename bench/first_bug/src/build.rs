//! Building the targets and their twins with the same flags, the way `cargo fuzz build` does,
//! without needing it or a nightly compiler.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::arm::{Arm, Engine};
use crate::target::{Home, Target};

/// The flags of cargo-fuzz 0.13 without a sanitizer.
const RUSTFLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
                         -Cllvm-args=-sanitizer-coverage-level=4 \
                         -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                         -Cllvm-args=-sanitizer-coverage-pc-table \
                         -Cllvm-args=-sanitizer-coverage-trace-compares \
                         -Cllvm-args=-simplifycfg-branch-fold-threshold=0 -Ccodegen-units=1 \
                         -Cdebug-assertions=on -Cdebuginfo=line-tables-only";
/// What `cargo dwindle run --engine afl` adds to the flags of cargo-afl for the edges of dwindle.
const AFL_RUSTFLAGS: &str = "-Cllvm-args=-sanitizer-coverage-pc-table";

/// The tested version of cargo-afl, which brings AFL++.
const CARGO_AFL: &str = "0.18.2";

/// What is built.
pub struct Built {
    libfuzzer: PathBuf,
    afl: Option<Afl>,
}

/// What is built for AFL++.
struct Afl {
    targets: PathBuf,
    /// afl-fuzz.
    program: PathBuf,
    /// The library that mutates choices.
    mutator: PathBuf,
}

impl Built {
    /// The executable of a target.
    pub fn binary(&self, target: Target, arm: &Arm) -> Result<PathBuf> {
        let folder = match arm.engine {
            Engine::Libfuzzer => &self.libfuzzer,
            Engine::Afl => &self.afl()?.targets,
        };
        let prefix = match arm.engine {
            _ if arm.is_dwindle() => "",
            Engine::Libfuzzer => "twin_",
            Engine::Afl => "afl_",
        };
        Ok(folder.join(format!("{prefix}{}", target.name)))
    }

    /// The executable of afl-fuzz.
    pub fn afl_fuzz(&self) -> Result<&Path> {
        Ok(&self.afl()?.program)
    }

    /// The library with which afl-fuzz mutates choices.
    pub fn mutator(&self) -> Result<&Path> {
        Ok(&self.afl()?.mutator)
    }

    fn afl(&self) -> Result<&Afl> {
        self.afl.as_ref().context("nothing is built for AFL++")
    }
}

/// Builds what the arms need of the packages that hold the targets.
pub fn build(targets: &[Target], arms: &[Arm]) -> Result<Built> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the bench folder")?;
    let fuzz = bench.parent().context("the repository")?.join("fuzz/Cargo.toml");
    let known = bench.join("known/Cargo.toml");
    let large = bench.join("large/Cargo.toml");
    let host = rustc("host: ")?;
    let target_dir = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| bench.join("target"), PathBuf::from)
        .join("first_bug");
    let has = |home| targets.iter().any(|target| target.home == home);
    let needs = |engine, is_dwindle| {
        arms.iter().any(|arm| arm.engine == engine && arm.is_dwindle() == is_dwindle)
    };
    let packages = [
        (Home::Fuzz, true, &fuzz, "dwindle-fuzz"),
        (Home::Known, true, &known, "known_ours"),
        (Home::Large, true, &large, "large_ours"),
        (Home::Fuzz, false, &bench.join("Cargo.toml"), "twins"),
        (Home::Known, false, &known, "known_stock"),
        (Home::Large, false, &large, "large_stock"),
    ];
    for (home, is_dwindle, manifest, package) in packages {
        if has(home) && needs(Engine::Libfuzzer, is_dwindle) {
            let mut command = Command::new("cargo");
            command.arg("build").env("RUSTFLAGS", RUSTFLAGS);
            finish(command, manifest, package, &host, &target_dir)?;
        }
    }
    let afl = if arms.iter().any(|arm| arm.engine == Engine::Afl) {
        let packages = [
            (has(Home::Fuzz) && needs(Engine::Afl, true), &fuzz, "dwindle-fuzz", true),
            (has(Home::Known) && needs(Engine::Afl, true), &known, "known_ours", true),
            (needs(Engine::Afl, false), &known, "known_afl", false),
        ];
        let target_dir = target_dir.join("afl");
        for (is_needed, manifest, package, has_engine) in packages {
            if is_needed {
                let mut command = Command::new("cargo");
                command.args(["afl", "build"]).env("PATH", path_with_tools(bench)?);
                if has_engine {
                    command.args(["--no-default-features", "--features", "afl"]);
                    command.env("RUSTFLAGS", AFL_RUSTFLAGS);
                }
                finish(command, manifest, package, &host, &target_dir)?;
            }
        }
        let mutator = mutator(bench, &target_dir)?;
        Some(Afl { targets: target_dir.join(&host).join("release"), program: afl_fuzz()?, mutator })
    } else {
        None
    };
    Ok(Built { libfuzzer: target_dir.join(host).join("release"), afl })
}

/// Adds what all builds have in common, and builds.
fn finish(
    mut command: Command,
    manifest: &Path,
    package: &str,
    host: &str,
    target_dir: &Path,
) -> Result<()> {
    // With --target the flags are not those of build scripts.
    let status = command
        .args(["--locked", "--release", "--bins", "--package", package, "--target", host])
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(target_dir)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "building {package} failed");
    Ok(())
}

/// Where `cargo xtask` installs cargo-afl comes first.
fn path_with_tools(bench: &Path) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let tools = bench.join("../target/tools/bin");
    Ok(std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&path)))?)
}

/// Compiles the library as `cargo dwindle run` does.
fn mutator(bench: &Path, target_dir: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(target_dir)?;
    let library = target_dir.join("libdwindle_mutator.so");
    let status = Command::new("rustc")
        .args(["--edition", "2024", "--crate-type", "cdylib", "-Copt-level=2", "-Cpanic=abort"])
        .arg(bench.join("../tools/src/afl/mutator.rs"))
        .arg("-o")
        .arg(&library)
        .status()
        .context("cannot start rustc")?;
    ensure!(status.success(), "compiling the mutator of AFL++ failed");
    Ok(library)
}

/// The afl-fuzz that cargo-afl has built for this compiler.
fn afl_fuzz() -> Result<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").filter(|value| !value.is_empty());
    let data = data.map_or_else(
        || std::env::home_dir().unwrap_or_default().join(".local/share"),
        PathBuf::from,
    );
    let commit = rustc("commit-hash: ")?;
    let compiler = format!("rustc-{}-{}", rustc("release: ")?, commit.get(..7).unwrap_or(&commit));
    let program = data
        .join("afl.rs")
        .join(compiler)
        .join(format!("afl.rs-{CARGO_AFL}"))
        .join("afl/bin/afl-fuzz");
    ensure!(
        program.is_file(),
        "AFL++ is not built: `cargo install cargo-afl --version {CARGO_AFL} --locked`, then `cargo \
         afl config --build`"
    );
    Ok(program)
}

/// What the compiler says of itself.
fn rustc(label: &str) -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let version = String::from_utf8(output.stdout).context("the version of rustc")?;
    let value = version.lines().find_map(|line| line.strip_prefix(label));
    Ok(value.with_context(|| format!("rustc does not say its {label}"))?.to_owned())
}
