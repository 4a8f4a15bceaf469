//! What other programs read about the bugs of a command: SARIF, `JUnit` and annotations.
//!
//! All texts of the target are escaped before they get here or in the file of their format.

mod annotations;
mod findings;
mod junit;
mod sarif;

use crate::args::{Annotations, Reports};
use crate::exit::{Exit, wrong_use};
use anyhow::{Context, Result};
pub(crate) use findings::{Context as Origin, Findings, quoted};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Returns an error of exit code 2 unless all files can be written. The check is here because an
/// error after a long run costs time.
pub(crate) fn check(options: &Reports) -> Result<()> {
    for file in [&options.sarif, &options.junit].into_iter().flatten() {
        let folder = folder_of(file);
        if file.is_dir() || !folder.is_dir() {
            let (what, why) = if file.is_dir() {
                (file.as_path(), "is a folder")
            } else {
                (folder, "does not exist")
            };
            return Err(wrong_use(format!(
                "{} {why}; name a file in a folder that exists",
                what.display()
            )));
        }
        NamedTempFile::new_in(folder)
            .with_context(|| format!("cannot write in {}", folder.display()))?;
    }
    Ok(())
}

/// Writes what was asked for, also if the command has failed. Returns the result of the command,
/// or an error if it has none and a file cannot be written.
pub(crate) fn write(
    options: &Reports,
    is_json: bool,
    findings: &Findings,
    result: Result<Exit>,
) -> Result<Exit> {
    let written = write_all(options, is_json, findings, &result);
    let exit = result?;
    written.map(|()| exit)
}

fn write_all(
    options: &Reports,
    is_json: bool,
    findings: &Findings,
    result: &Result<Exit>,
) -> Result<()> {
    if let Some(file) = &options.sarif {
        save(file, sarif::text(findings, result)?.as_bytes())?;
    }
    if let Some(file) = &options.junit {
        save(file, junit::text(findings, result)?.as_bytes())?;
    }
    let is_on_github = || std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let is_asked_for = match options.annotations {
        None => false,
        Some(Annotations::Github) => true,
        Some(Annotations::Auto) => is_on_github(),
    };
    if is_asked_for {
        let lines = annotations::text(findings);
        // Stdout has only JSON then. GitHub reads both.
        if is_json {
            io::stderr().write_all(lines.as_bytes())?;
        } else {
            io::stdout().write_all(lines.as_bytes())?;
        }
    }
    Ok(())
}

/// Writes a file, whole or not at all.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    let save = || -> io::Result<()> {
        let mut file = NamedTempFile::new_in(folder_of(path))?;
        file.write_all(bytes)?;
        // A temporary file is for this user alone; other programs read this one.
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(permissions)?;
        file.persist(path)?;
        Ok(())
    };
    save().with_context(|| format!("cannot write {}", path.display()))
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
