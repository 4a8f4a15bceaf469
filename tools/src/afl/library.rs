//! Compiles [`mutator.rs`](super::mutator) to the library that afl-fuzz loads.

use crate::compile::Toolchain;
use crate::project::Project;
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that names the library to afl-fuzz.
pub(crate) const VARIABLE: &str = "AFL_CUSTOM_MUTATOR_LIBRARY";
/// The switch of the harness for mutations of choices.
const SWITCH: &str = "choice-mutations";
const SOURCE: &str = include_str!("mutator.rs");
const NAME: &str = "libdwindle_mutator.so";

/// The library, compiled if it is not there yet. `None` if it is not [wanted](is_wanted).
pub(crate) fn library(
    toolchain: &Toolchain,
    project: &Project,
    arguments: &[OsString],
) -> Result<Option<PathBuf>> {
    let without = std::env::var("DWINDLE_WITHOUT").unwrap_or_default();
    if !is_wanted(std::env::var_os(VARIABLE).is_some(), &without, arguments) {
        return Ok(None);
    }
    let folder = project.target_dir.join("dwindle-afl");
    let library = compiled(toolchain.rustc(), &folder).with_context(|| {
        format!(
            "cannot compile the library that mutates choices in {}; DWINDLE_WITHOUT={SWITCH} runs \
             without it",
            folder.display()
        )
    })?;
    Ok(Some(library))
}

/// Whether there is anything for the library to do. There is not if the user names another one or
/// switches mutations of choices off, or if the arguments for afl-fuzz ask for the mode that takes
/// no custom mutator (`-L`).
fn is_wanted(has_another: bool, without: &str, arguments: &[OsString]) -> bool {
    !has_another
        && !without.split(',').any(|name| name.trim() == SWITCH)
        && !arguments.iter().any(|argument| argument.to_string_lossy().starts_with("-L"))
}

fn compiled(mut rustc: Command, folder: &Path) -> Result<PathBuf> {
    let (library, source) = (folder.join(NAME), folder.join("mutator.rs"));
    if library.is_file() && fs::read_to_string(&source).is_ok_and(|source| source == SOURCE) {
        return Ok(library);
    }
    fs::create_dir_all(folder)?;
    // Another run may do the same at this time.
    let scratch = tempfile::tempdir_in(folder)?;
    let [new_source, new_library] = ["mutator.rs", NAME].map(|name| scratch.path().join(name));
    fs::write(&new_source, SOURCE)?;
    let output = rustc
        .args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name"])
        .args(["dwindle_mutator", "-Copt-level=2", "-Cpanic=abort", "-Cstrip=symbols", "-o"])
        .args([&new_library, &new_source])
        .output()
        .context("cannot start rustc")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim_end());
    fs::rename(new_library, &library)?;
    fs::rename(new_source, &source)?;
    Ok(library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_compiled_once() {
        let folder = tempfile::tempdir().unwrap();
        let library = compiled(Command::new("rustc"), folder.path()).unwrap();
        assert!(library.is_file());
        // This rustc would fail.
        assert_eq!(compiled(Command::new("false"), folder.path()).unwrap(), library);
        // The source of another version.
        fs::write(folder.path().join("mutator.rs"), "").unwrap();
        assert!(compiled(Command::new("false"), folder.path()).is_err());
        assert!(library.is_file(), "another run may use it");
    }

    #[test]
    fn what_the_user_asks_for_goes_before_the_library() {
        let arguments = |all: &[&str]| all.iter().map(OsString::from).collect::<Vec<_>>();
        assert!(is_wanted(false, "", &arguments(&["-p", "fast"])));
        assert!(is_wanted(false, "random-cases", &[]));
        assert!(!is_wanted(true, "", &[]));
        assert!(!is_wanted(false, "random-cases, choice-mutations", &[]));
        assert!(!is_wanted(false, "", &arguments(&["-L", "0"])));
    }
}
