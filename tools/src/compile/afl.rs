//! Finds AFL++ and builds targets for it, with cargo-afl.

use crate::args::Build;
use crate::compile::Toolchain;
use crate::exit::wrong_use;
use crate::project::Project;
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// The tested version of cargo-afl.
const CARGO_AFL_VERSION: &str = "0.18.2";

/// The command for afl-fuzz, as `cargo afl fuzz` would start it.
///
/// It starts the program directly, from cargo-afl's folder. A process in between could die without
/// ending afl-fuzz.
pub(crate) fn find(options: &Build) -> Result<Command> {
    let toolchain = Toolchain::choose(options)?;
    let version = cargo_afl(&toolchain)?;
    let program = data_folder().map(|data| {
        data.join("afl.rs")
            .join(rustc_version(&toolchain))
            .join(format!("afl.rs-{version}"))
            .join("afl/bin/afl-fuzz")
    });
    match program {
        Some(program) if program.is_file() => {
            let mut command = Command::new(program);
            command.arg("-c0");
            Ok(command)
        }
        _ => bail!(
            "AFL++ is not built for this toolchain: run `{} afl config --build`",
            toolchain.as_typed()
        ),
    }
}

/// The version of the installed cargo-afl.
fn cargo_afl(toolchain: &Toolchain) -> Result<String> {
    let words = toolchain
        .cargo()
        .args(["afl", "--version"])
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    match words.split_whitespace().nth(1) {
        Some(version) if words.starts_with("cargo-afl") => Ok(version.to_owned()),
        _ => bail!(
            "AFL++ is not installed: run `cargo install cargo-afl --version {CARGO_AFL_VERSION} \
             --locked`, then `{} afl config --build`",
            toolchain.as_typed()
        ),
    }
}

/// Release and commit of the compiler, as cargo-afl names its folders: `rustc-1.95.0-5980761`.
fn rustc_version(toolchain: &Toolchain) -> String {
    let words = toolchain
        .rustc()
        .arg("-vV")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    let field = |name| words.lines().find_map(|line| line.strip_prefix(name));
    let commit =
        field("commit-hash: ").and_then(|hash| hash.get(..7)).map(|hash| format!("-{hash}"));
    format!("rustc-{}{}", field("release: ").unwrap_or_default(), commit.unwrap_or_default())
}

fn data_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")))
}

/// `cargo afl build`, with the engine's feature in place of the default one.
///
/// An error of exit code 2 if the fuzz crate does not have this feature.
pub(crate) fn build_command(toolchain: &Toolchain, project: &Project) -> Result<Command> {
    if !project.features.contains("afl") {
        return Err(wrong_use(format!(
            "{} has no feature `afl`; it needs\n\n[features]\ndefault = \
             [\"libfuzzer\"]\nlibfuzzer = [\"dwindle/libfuzzer\"]\nafl = [\"dwindle/afl\"]\n\nand \
             `default-features = false` in its dependency on dwindle",
            project.dir.join("Cargo.toml").display()
        )));
    }
    cargo_afl(toolchain)?;
    let mut command = toolchain.cargo();
    command.args(["afl", "build", "--no-default-features", "--features", "afl"]);
    Ok(command)
}
