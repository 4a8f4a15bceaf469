//! The fuzz crate: its place, its targets and its folders.

mod features;

use crate::exit::wrong_use;
use crate::manifests;
use crate::screen::from_here;
use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;
pub(crate) use features::Features;
use std::path::{Path, PathBuf};

/// A fuzz crate in cargo-fuzz's layout.
#[derive(Debug)]
pub(crate) struct Project {
    /// The folder of the fuzz crate, absolute.
    pub(crate) dir: PathBuf,
    /// The names of its binaries, sorted.
    pub(crate) targets: Vec<String>,
    pub(crate) features: Features,
    /// The folder in which cargo builds it by default.
    pub(crate) target_dir: PathBuf,
}

impl Project {
    /// Finds the fuzz crate: `fuzz_dir` if given, else the nearest one at or above the current
    /// folder.
    ///
    /// In each of these folders the search looks for a crate marked `cargo-fuzz = true`: first in
    /// `fuzz/`, then in the folder itself. Otherwise it takes the only such crate below `fuzz/`.
    ///
    /// An error of exit code 2 if there is no fuzz crate, of exit code 3 if its manifest cannot be
    /// read.
    pub(crate) fn find(fuzz_dir: Option<&Path>) -> Result<Self> {
        let current = std::env::current_dir().context("the current folder is gone")?;
        let dir = match fuzz_dir {
            Some(dir) => {
                let dir = current.join(dir);
                if !dir.join("Cargo.toml").is_file() {
                    return Err(wrong_use(format!(
                        "{} is not a fuzz crate: it holds no Cargo.toml",
                        dir.display()
                    )));
                }
                if !is_fuzz_crate(&dir) {
                    return Err(wrong_use(format!(
                        "{} is not marked as a fuzz crate; add to its Cargo.toml:\n\n\
                         [package.metadata]\ncargo-fuzz = true",
                        dir.display()
                    )));
                }
                dir
            }
            None => nearest(&current)?.ok_or_else(|| {
                wrong_use(format!(
                    "no fuzz crate in {} or any folder above it\n\nA fuzz crate is a folder \
                     `fuzz/` (`cargo dwindle init` makes one) whose Cargo.toml \
                     says:\n\n[package.metadata]\ncargo-fuzz = true\n\nIf the fuzz crate is in \
                     another folder, name it with --fuzz-dir DIR.",
                    current.display()
                ))
            })?,
        };
        let dir = dir.canonicalize().with_context(|| format!("cannot enter {}", dir.display()))?;
        Self::read(dir)
    }

    /// Returns an error of exit code 2 if there is no such target. The error names the nearest
    /// targets and all targets.
    pub(crate) fn require(&self, target: &str) -> Result<()> {
        if self.targets.iter().any(|known| known == target) {
            return Ok(());
        }
        let mut words = format!("no target named `{target}` in {}", self.dir.display());
        if self.targets.is_empty() {
            words.push_str(
                "\n\nThe fuzz crate has no binaries; `cargo dwindle add NAME` makes one.",
            );
            return Err(wrong_use(words));
        }
        let near: Vec<_> = nearest_names(target, &self.targets)
            .into_iter()
            .map(|name| format!("`{name}`"))
            .collect();
        if !near.is_empty() {
            words.push_str("; did you mean ");
            words.push_str(&near.join(" or "));
            words.push('?');
        }
        words.push_str("\n\nIts targets:");
        for name in &self.targets {
            words.push_str("\n  ");
            words.push_str(name);
        }
        Err(wrong_use(words))
    }

    /// The store's folder: `asked` if given, else `DWINDLE_STORE`, else the fuzz crate's `crashes`.
    /// It holds one folder of bugs for each target.
    pub(crate) fn store(&self, asked: Option<&Path>) -> Result<PathBuf> {
        let from_environment =
            || std::env::var_os("DWINDLE_STORE").filter(|path| !path.is_empty()).map(PathBuf::from);
        let store = asked
            .map(Path::to_owned)
            .or_else(from_environment)
            .unwrap_or_else(|| self.dir.join("crashes"));
        std::path::absolute(&store)
            .with_context(|| format!("{} is not a path for a store", store.display()))
    }

    pub(crate) fn corpus(&self, target: &str) -> PathBuf {
        self.dir.join("corpus").join(target)
    }

    /// The folder that holds the folders of AFL++'s instances.
    pub(crate) fn campaign(&self, target: &str) -> PathBuf {
        self.dir.join("afl").join(target)
    }

    pub(crate) fn artifacts(&self, target: &str) -> PathBuf {
        self.dir.join("artifacts").join(target)
    }

    /// Reads the fuzz crate in `dir`, which is an absolute path without links.
    pub(crate) fn read(dir: PathBuf) -> Result<Self> {
        let manifest = dir.join("Cargo.toml");
        let metadata = MetadataCommand::new()
            .manifest_path(&manifest)
            .no_deps()
            .exec()
            .with_context(|| format!("cargo cannot read {}", manifest.display()))?;
        let package = metadata
            .packages
            .iter()
            .find(|package| package.manifest_path.as_std_path() == manifest)
            .with_context(|| format!("{} is not a package", manifest.display()))?;
        let mut targets: Vec<_> = package
            .targets
            .iter()
            .filter(|target| target.is_bin())
            .map(|target| target.name.clone())
            .collect();
        targets.sort();
        let features = Features::of(package);
        Ok(Self { targets, features, target_dir: metadata.target_directory.clone().into(), dir })
    }
}

/// The nearest fuzz crate. An error of exit code 2 if the nearest folder has several.
fn nearest(start: &Path) -> Result<Option<PathBuf>> {
    for folder in start.ancestors() {
        let fuzz = folder.join("fuzz");
        if let Some(dir) = [&fuzz, folder].into_iter().find(|dir| is_fuzz_crate(dir)) {
            return Ok(Some(dir.to_owned()));
        }
        let is_named_so = folder.file_name().is_some_and(|name| name == "fuzz");
        let several = if is_named_so { folder } else { &fuzz };
        let mut crates = if several.is_dir() { marked_below(several) } else { Vec::new() };
        match crates.len() {
            0 => {}
            1 => return Ok(crates.pop()),
            _ => {
                let mut words = format!(
                    "{} holds several fuzz crates; name one of them with --fuzz-dir:\n",
                    from_here(several)
                );
                for dir in &crates {
                    words.push_str("\n  ");
                    words.push_str(&from_here(dir));
                }
                return Err(wrong_use(words));
            }
        }
    }
    Ok(None)
}

fn marked_below(folder: &Path) -> Vec<PathBuf> {
    manifests::folders(folder, false).into_iter().filter(|dir| is_fuzz_crate(dir)).collect()
}

/// Whether the folder's manifest has cargo-fuzz's mark. An unreadable manifest counts as unmarked,
/// because one far above must not stop the search.
pub(crate) fn is_fuzz_crate(dir: &Path) -> bool {
    manifests::manifest(dir).is_some_and(|manifest| manifests::is_marked(&manifest))
}

/// At most three names that the user may have meant, nearest first.
fn nearest_names<'names>(wanted: &str, names: &'names [String]) -> Vec<&'names str> {
    let mut near: Vec<_> = names
        .iter()
        .map(|name| (strsim::jaro_winkler(wanted, name), name.as_str()))
        .filter(|(likeness, _)| *likeness > 0.8)
        .collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_typing_error_finds_the_name_and_another_word_finds_none() {
        let names = ["decimal_expr", "roaring_remove", "url_setters"].map(str::to_owned);
        assert_eq!(nearest_names("roaring_remov", &names), ["roaring_remove"]);
        assert_eq!(nearest_names("url_seters", &names), ["url_setters"]);
        assert_eq!(nearest_names("qqqqq", &names), [""; 0]);
    }

    #[test]
    fn only_the_mark_of_cargo_fuzz_makes_a_fuzz_crate() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = dir.path().join("Cargo.toml");
        for (text, expected) in [
            ("[package]\nname = \"x\"\n[package.metadata]\ncargo-fuzz = true", true),
            ("[package]\nname = \"x\"\nmetadata.cargo-fuzz = true", true),
            ("[package]\nname = \"x\"\n[package.metadata]\ncargo-fuzz = false", false),
            ("[package]\nname = \"x\"", false),
            ("not a manifest", false),
        ] {
            fs::write(&manifest, text).unwrap();
            assert_eq!(is_fuzz_crate(dir.path()), expected, "{text}");
        }
    }
}
