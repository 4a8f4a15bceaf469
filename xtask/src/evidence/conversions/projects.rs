//! The projects of a folder, their fuzz crates, and copies of them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::evidence::WrongUse;

/// The file in folders that can be made again, such as cargo's `target`.
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// The direct sub-folders of a folder, sorted.
pub(super) fn sub_folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = folder.display();
    if !folder.exists() {
        return Err(WrongUse::error(format!("{shown} does not exist")));
    }
    if !folder.is_dir() {
        return Err(WrongUse::error(format!("{shown} is no folder")));
    }
    let folder = folder.canonicalize().with_context(|| format!("cannot enter {shown}"))?;
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {shown}"))?;
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !is_hidden(path))
        .collect();
    folders.sort();
    Ok(folders)
}

/// The folders `fuzz` in and below a project that hold a Cargo.toml, themselves or in a direct
/// sub-folder. Folders inside of them do not count.
pub(super) fn fuzz_folders(project: &Path) -> Vec<PathBuf> {
    let holds = |folder: &Path| folder.join("Cargo.toml").is_file();
    if project.ends_with("fuzz")
        && (holds(project) || children(project).iter().any(|child| holds(child)))
    {
        return vec![project.to_owned()];
    }
    children(project).iter().flat_map(|child| fuzz_folders(child)).collect()
}

/// The crates in and below a converted folder that are marked as fuzz crates.
pub(super) fn fuzz_crates(folder: &Path) -> Vec<PathBuf> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let own = manifest.contains("cargo-fuzz = true").then(|| folder.to_owned());
    let below = children(folder).into_iter().flat_map(|child| fuzz_crates(&child));
    own.into_iter().chain(below).collect()
}

/// The commit of a project that is a git repository. Empty for others.
pub(super) fn revision(project: &Path) -> String {
    if !project.join(".git").exists() {
        return String::new();
    }
    let output =
        Command::new("git").arg("-C").arg(project).args(["rev-parse", "--short", "HEAD"]).output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

/// Copies a project, without what can be made again.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    let fail = || format!("cannot copy {}", from.display());
    fs::create_dir_all(to).with_context(fail)?;
    for entry in fs::read_dir(from).with_context(fail)? {
        let entry = entry.with_context(fail)?;
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().with_context(fail)?;
        if kind.is_symlink() {
            symlink(fs::read_link(&path).with_context(fail)?, copied).with_context(fail)?;
        } else if kind.is_dir() && !path.join(CACHE_MARK).exists() {
            copy(&path, &copied)?;
        } else if kind.is_file() {
            fs::copy(&path, copied).with_context(fail)?;
        }
    }
    Ok(())
}

/// The sub-folders that may hold sources, sorted.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut children: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .filter(|path| !is_hidden(path) && !path.join(CACHE_MARK).exists())
        .collect();
    children.sort();
    children
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files with these texts into a new folder.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn fuzz_folders_are_found_at_any_depth_and_fuzz_crates_in_them() {
        let marked = "[package.metadata]\ncargo-fuzz = true\n";
        let folder = folder(&[
            ("url/fuzz/Cargo.toml", marked),
            ("url/fuzz/fuzz/Cargo.toml", ""),
            ("several/fuzz/a/Cargo.toml", marked),
            ("several/fuzz/b/Cargo.toml", marked),
            ("several/fuzz/shared/Cargo.toml", ""),
            ("module/fuzz/mod.rs", ""),
            ("target/CACHEDIR.TAG", ""),
            ("target/fuzz/Cargo.toml", marked),
        ]);
        let found = fuzz_folders(folder.path());
        assert_eq!(found, ["several/fuzz", "url/fuzz"].map(|name| folder.path().join(name)));
        let crates = fuzz_crates(&found[0]);
        assert_eq!(crates, ["a", "b"].map(|name| found[0].join(name)));
    }

    #[test]
    fn a_copy_has_all_files_and_links_but_no_cache() {
        let folder = folder(&[
            ("from/.git/HEAD", "x"),
            ("from/src/lib.rs", "y"),
            ("from/target/CACHEDIR.TAG", ""),
        ]);
        symlink("src", folder.path().join("from/link")).unwrap();
        copy(&folder.path().join("from"), &folder.path().join("to")).unwrap();
        let to = folder.path().join("to");
        assert_eq!(fs::read_to_string(to.join(".git/HEAD")).unwrap(), "x");
        assert_eq!(fs::read_to_string(to.join("link/lib.rs")).unwrap(), "y");
        assert!(to.join("link").is_symlink() && !to.join("target").exists());
    }
}
