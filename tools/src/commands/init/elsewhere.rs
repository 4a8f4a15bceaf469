//! Finds fuzz crates that exist elsewhere than in the place for the new one.

use crate::exit::wrong_use;
use crate::manifests::{fuzz_crates, manifest, needs};
use crate::screen::from_here;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Returns an error of exit code 2 that names the existing fuzz crates. They are those of the
/// workspace, and those of the repository that depend on the package in `package`.
///
/// All paths are absolute and without links. `dir` is the place for the new fuzz crate.
pub(super) fn refuse_second(workspace: &Path, package: &Path, dir: &Path) -> Result<()> {
    let there = there(workspace, package);
    let Some(first) = there.first() else { return Ok(()) };
    let mut words = "a fuzz crate exists already; nothing was written:\n".to_owned();
    for place in &there {
        words.push_str("\n  ");
        words.push_str(&from_here(place));
    }
    let uses_dwindle = manifest(first).is_some_and(|manifest| needs(&manifest, &["dwindle"]));
    let first = from_here(first);
    let what_to_do = if uses_dwindle {
        format!("To add a target there: cargo dwindle add NAME --fuzz-dir {first}")
    } else {
        format!("To convert it to dwindle: cargo dwindle init --fuzz-dir {first}")
    };
    Err(wrong_use(format!(
        "{words}\n\n{what_to_do}\nTo make another one anyway: cargo dwindle init --fuzz-dir {}",
        from_here(dir)
    )))
}

fn there(workspace: &Path, package: &Path) -> Vec<PathBuf> {
    let repository = package
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .filter(|root| workspace.starts_with(root))
        .unwrap_or(workspace);
    // Outside the workspace a fuzz crate may be for another package, so it counts only if it
    // depends on this one.
    let is_another =
        |dir: &PathBuf| dir != package && (dir.starts_with(workspace) || depends_on(dir, package));
    fuzz_crates(repository).into_iter().filter(is_another).collect()
}

fn depends_on(dir: &Path, package: &Path) -> bool {
    let manifest = manifest(dir).unwrap_or_default();
    let dependencies = manifest
        .get("dependencies")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flat_map(toml::Table::values);
    let mut paths = dependencies.filter_map(|dependency| dependency.get("path")?.as_str());
    paths.any(|path| dir.join(path).canonicalize().is_ok_and(|path| path == package))
}
