//! What shows that the crates can be published. Nothing here publishes.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::tools;

/// The version of cargo-semver-checks that everything here is tried with.
const SEMVER_CHECKS_VERSION: &str = "0.51.0";

/// The libraries whose interface has a version, and the features that they are compared with. The
/// features `libfuzzer` and `afl` of dwindle exclude each other. The tool cannot read macros.
const LIBRARIES: [(&str, &str); 3] = [
    ("dwindle-engine", "chrono,uuid,fuzzing"),
    ("dwindle-corpus", "fuzzing"),
    ("dwindle", "libfuzzer,arbitrary-derive,chrono,uuid"),
];

/// Packages all crates as they would be published, and builds each package from its own files and
/// the packages before it.
///
/// # Errors
/// A crate cannot be packaged, or its package does not build.
pub fn package() -> Result<()> {
    tools::require_cpp_compiler()?;
    let mut command = package_command();
    let status = command.status().context("cannot start cargo")?;
    ensure!(status.success(), "the crates cannot be published as they are, see above");
    eprintln!("\npackage: all crates are ready to publish, in target/package");
    Ok(())
}

/// `cargo package` of all crates that are published, in the order of their dependencies.
pub(crate) fn package_command() -> Command {
    let mut command = tools::cargo();
    command.args(["package", "--locked", "--workspace", "--exclude", "xtask", "--allow-dirty"]);
    command
}

/// How a comparison with the last release ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semver {
    /// The versions are right for the changes.
    Right,
    /// There is no tag to compare with.
    NoTag,
}

/// Compares the interfaces with those of the last tag.
///
/// # Errors
/// A change needs a larger version, or a command cannot run.
pub fn semver() -> Result<Semver> {
    let Some(tag) = last_tag()? else {
        eprintln!(
            "there is no tag to compare with: give the last release one, for example `git tag \
             v0.1.0 COMMIT`, or fetch the tags with `git fetch --tags`"
        );
        return Ok(Semver::NoTag);
    };
    let executable = install_semver_checks()?;
    let mut failed = Vec::new();
    for (library, features) in LIBRARIES {
        eprintln!("\n=== {library}, beside {tag}");
        let mut command = Command::new(&executable);
        command.current_dir(tools::root());
        command.args(["semver-checks", "--package", library, "--baseline-rev", &tag]);
        command.args(["--only-explicit-features", "--features", features]);
        let status = command.status().context("cannot start cargo-semver-checks")?;
        failed.extend((!status.success()).then_some(library));
    }
    ensure!(
        failed.is_empty(),
        "{} changed more since {tag} than the version says, or cannot be compared; see above",
        failed.join(", ")
    );
    Ok(Semver::Right)
}

/// The last tag before this commit.
fn last_tag() -> Result<Option<String>> {
    let mut command = Command::new("git");
    command.args(["describe", "--tags", "--abbrev=0"]).current_dir(tools::root());
    let output = command.output().context("cannot start git")?;
    let tag = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !tag.is_empty()).then_some(tag))
}

/// Installs cargo-semver-checks under `target/tools`, unless that version is there.
fn install_semver_checks() -> Result<PathBuf> {
    let folder = tools::root().join("target/tools");
    let executable = folder.join("bin/cargo-semver-checks");
    let version = Command::new(&executable).args(["semver-checks", "--version"]).output();
    let wanted = format!("cargo-semver-checks {SEMVER_CHECKS_VERSION}");
    if version.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim() == wanted) {
        return Ok(executable);
    }
    eprintln!("installing {wanted} into {}", folder.display());
    let mut install = tools::cargo();
    install.args(["install", "cargo-semver-checks", "--version", SEMVER_CHECKS_VERSION]);
    install.args(["--locked", "--force", "--root"]).arg(&folder).env_remove("CARGO_TARGET_DIR");
    let status = install.status().context("cannot start cargo")?;
    ensure!(status.success(), "{wanted} cannot be installed");
    Ok(executable)
}
