//! Searches for manifests: the crates below a folder, and which of them are fuzz crates.

use std::fs;
use std::path::{Path, PathBuf};

/// Large folders without files of the user.
const SKIPPED: &[&str] = &["target", "node_modules", "vendor"];

/// Folders of a fuzz crate that fuzzers write.
const OF_FUZZERS: &[&str] = &["corpus", "artifacts", "coverage", "crashes", "afl"];

/// The search stops after this many folders.
const FOLDERS_MAX: usize = 20_000;

/// The folders at and below `root`, parents before children. Leaves out hidden folders, links, and
/// the folders that cargo and fuzzers write.
///
/// With `hidden`, folders that begin with a dot are included, except those of version control.
pub(crate) fn folders(root: &Path, hidden: bool) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    let mut next = 0;
    while let Some(folder) = folders.get(next).filter(|_| folders.len() < FOLDERS_MAX) {
        let is_of_fuzzers = |name: &str| {
            OF_FUZZERS.contains(&name)
                && !folder.join(name).join("Cargo.toml").is_file()
                && is_fuzz_crate(folder)
        };
        let mut within: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_hidden = if hidden {
                    matches!(&*name, ".git" | ".hg" | ".jj" | ".svn")
                } else {
                    name.starts_with('.')
                };
                !is_hidden && !SKIPPED.contains(&&*name) && !is_of_fuzzers(&name)
            })
            .map(|entry| entry.path())
            .collect();
        within.sort();
        folders.extend(within);
        next += 1;
    }
    folders
}

/// The manifest of the folder, if there is a readable one.
pub(crate) fn manifest(dir: &Path) -> Option<toml::Table> {
    fs::read_to_string(dir.join("Cargo.toml")).ok()?.parse().ok()
}

/// Whether the manifest has cargo-fuzz's mark.
pub(crate) fn is_marked(manifest: &toml::Table) -> bool {
    let mark = manifest
        .get("package")
        .and_then(|package| package.get("metadata"))
        .and_then(|metadata| metadata.get("cargo-fuzz"));
    mark.and_then(toml::Value::as_bool) == Some(true)
}

/// Whether the manifest is that of a crate with a required dependency on one of these crates. An
/// optional dependency does not count, because such a crate may be of any kind.
pub(crate) fn needs(manifest: &toml::Table, crates: &[&str]) -> bool {
    let is_needed = |dependency: &toml::Value| {
        dependency.get("optional").and_then(toml::Value::as_bool) != Some(true)
    };
    let needs = |tables: &toml::Table| {
        let dependencies = tables.get("dependencies").and_then(toml::Value::as_table);
        dependencies.into_iter().flatten().any(|(name, dependency)| {
            let package = dependency.get("package").and_then(toml::Value::as_str).unwrap_or(name);
            crates.contains(&package) && is_needed(dependency)
        })
    };
    let platforms = manifest
        .get("target")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flat_map(toml::Table::values);
    manifest.contains_key("package")
        && (needs(manifest) || platforms.filter_map(toml::Value::as_table).any(needs))
}

/// Whether the crate in `dir` has programs.
pub(crate) fn has_binaries(manifest: &toml::Table, dir: &Path) -> bool {
    manifest.get("bin").and_then(toml::Value::as_array).is_some_and(|binaries| !binaries.is_empty())
        || dir.join("src/main.rs").is_file()
        || dir.join("src/bin").is_dir()
}

/// Whether the folder holds a fuzz crate. Such a crate has cargo-fuzz's mark, or has programs and
/// needs libfuzzer-sys or dwindle.
pub(crate) fn is_fuzz_crate(dir: &Path) -> bool {
    manifest(dir).is_some_and(|manifest| {
        is_marked(&manifest)
            || (needs(&manifest, &["libfuzzer-sys", "dwindle"]) && has_binaries(&manifest, dir))
    })
}

/// The folders of the fuzz crates in and below `root`.
pub(crate) fn fuzz_crates(root: &Path) -> Vec<PathBuf> {
    folders(root, false).into_iter().filter(|dir| is_fuzz_crate(dir)).collect()
}

/// The folder and the manifest of the workspace of the crate in `dir`. The workspace may be the
/// crate itself or above it.
pub(crate) fn workspace_of(dir: &Path) -> Option<(PathBuf, toml::Table)> {
    let named = manifest(dir)
        .and_then(|own| Some(dir.join(own.get("package")?.get("workspace")?.as_str()?)));
    let read = |folder: &Path| Some((folder.to_owned(), manifest(folder)?));
    match named {
        Some(root) => read(&root),
        None => dir
            .ancestors()
            .filter_map(read)
            .find(|(_, manifest)| manifest.contains_key("workspace")),
    }
}

/// Whether the crate in `dir` is of edition 2015, in which `use` begins at the root of the crate.
pub(crate) fn is_edition_2015(manifest: &toml::Table, dir: &Path) -> bool {
    let edition = manifest.get("package").and_then(|package| package.get("edition"));
    match edition {
        None => true,
        Some(toml::Value::String(edition)) => edition == "2015",
        Some(_) => {
            let inherited = workspace_of(dir).and_then(|(_, root)| {
                Some(root.get("workspace")?.get("package")?.get("edition")?.as_str()? == "2015")
            });
            inherited == Some(true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> toml::Table {
        text.parse().unwrap()
    }

    #[test]
    fn optional_dependencies_and_dev_dependencies_are_not_needed() {
        let needs = |text: &str| {
            needs(&table(&format!("[package]\nname = \"x\"\n{text}")), &["libfuzzer-sys"])
        };
        assert!(needs("[dependencies]\nlibfuzzer-sys = \"0.4\""));
        assert!(needs("[dependencies.libfuzzer-sys]\ngit = \"..\""));
        assert!(needs("[dependencies.engine]\npackage = \"libfuzzer-sys\""));
        assert!(needs("[target.'cfg(fuzzing)'.dependencies]\nlibfuzzer-sys = \"0.4\""));
        assert!(!needs("[dependencies]\nlibfuzzer-sys = { version = \"0.4\", optional = true }"));
        assert!(!needs("[dev-dependencies]\nlibfuzzer-sys = \"0.4\""));
    }

    #[test]
    fn an_edition_may_come_from_the_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let inherits = table("[package]\nname = \"x\"\nedition.workspace = true");
        for (edition, expected) in [("2015", true), ("2021", false)] {
            fs::write(
                dir.path().join("Cargo.toml"),
                format!("[workspace.package]\nedition = \"{edition}\""),
            )
            .unwrap();
            assert_eq!(is_edition_2015(&inherits, &dir.path().join("fuzz")), expected);
        }
        assert!(is_edition_2015(&table("[package]\nname = \"x\""), dir.path()));
        assert!(!is_edition_2015(
            &table("[package]\nname = \"x\"\nedition = \"2024\""),
            dir.path()
        ));
    }

    #[test]
    fn folders_that_cargo_and_fuzzers_write_are_not_searched() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["a/b", ".github/workflows", ".git/x", "target/x", "a/corpus/x", "corpus"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(
            dir.path().join("a/Cargo.toml"),
            "[package]\nname = \"a\"\nmetadata.cargo-fuzz = true",
        )
        .unwrap();
        let names = |hidden| -> Vec<String> {
            let relative =
                |path: PathBuf| path.strip_prefix(dir.path()).unwrap().display().to_string();
            folders(dir.path(), hidden).into_iter().map(relative).collect()
        };
        assert_eq!(names(false), ["", "a", "corpus", "a/b"]);
        assert_eq!(names(true), ["", ".github", "a", "corpus", ".github/workflows", "a/b"]);
    }
}
