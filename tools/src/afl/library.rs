//! Compiles [`mutator.rs`](super::mutator) to the library that afl-fuzz loads.

use crate::compile::Toolchain;
use crate::project::Project;
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// The variable that names the library to afl-fuzz.
pub(crate) const VARIABLE: &str = "AFL_CUSTOM_MUTATOR_LIBRARY";
/// The switch of the harness for mutations of choices.
const SWITCH: &str = "choice-mutations";
const SOURCE: &str = include_str!("mutator.rs");
const NAME: &str = "libdwindle_mutator.so";

/// The library, compiled if it is not there yet. `None` if there is nothing for it to do: the user
/// names another one or switches mutations of choices off, or the arguments for afl-fuzz ask for
/// the mode that takes no custom mutator (`-L`).
pub(crate) fn library(
    toolchain: &Toolchain,
    project: &Project,
    arguments: &[OsString],
) -> Result<Option<PathBuf>> {
    let without = std::env::var("DWINDLE_WITHOUT").unwrap_or_default();
    if std::env::var_os(VARIABLE).is_some()
        || without.split(',').any(|name| name.trim() == SWITCH)
        || arguments.iter().any(|argument| argument.to_string_lossy().starts_with("-L"))
    {
        return Ok(None);
    }
    let folder = project.target_dir.join("dwindle-afl");
    let (library, source) = (folder.join(NAME), folder.join("mutator.rs"));
    if library.is_file() && fs::read_to_string(&source).is_ok_and(|source| source == SOURCE) {
        return Ok(Some(library));
    }
    let made = || -> Result<()> {
        fs::create_dir_all(&folder)?;
        // Another run may do the same at this time.
        let scratch = tempfile::tempdir_in(&folder)?;
        let [new_source, new_library] = ["mutator.rs", NAME].map(|name| scratch.path().join(name));
        fs::write(&new_source, SOURCE)?;
        let output = toolchain
            .rustc()
            .args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name"])
            .args(["dwindle_mutator", "-Copt-level=2", "-Cpanic=abort", "-Cstrip=symbols", "-o"])
            .args([&new_library, &new_source])
            .output()
            .context("cannot start rustc")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim_end());
        fs::rename(new_library, &library)?;
        fs::rename(new_source, &source)?;
        Ok(())
    };
    made().with_context(|| {
        format!(
            "cannot compile the library that mutates choices in {}; DWINDLE_WITHOUT={SWITCH} runs \
             without it",
            folder.display()
        )
    })?;
    Ok(Some(library))
}
