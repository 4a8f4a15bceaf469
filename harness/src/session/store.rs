//! Where the bug store of a target is.

use std::path::{Path, PathBuf};

use dwindle_corpus::{BugStore, StoreError};

use crate::environment;
use crate::target::Target;

/// Opens the store of `target`. The first of these places that applies is used:
/// - The folder in `DWINDLE_STORE`.
/// - The folder beside an artifact folder that ends in `artifacts/<target>/`.
/// - The fuzz crate, at its path at build time.
/// - The current directory.
pub(crate) fn open(target: &Target, artifact_prefix: Option<&str>) -> Result<BugStore, StoreError> {
    BugStore::open(&root(target, artifact_prefix), &target.name())
}

/// Opens the same store for reading only, if it exists.
pub(crate) fn open_existing(target: &Target) -> Result<BugStore, StoreError> {
    BugStore::open_existing(&root(target, None), &target.name())
}

fn root(target: &Target, artifact_prefix: Option<&str>) -> PathBuf {
    if let Some(root) = environment::store() {
        return root;
    }
    if let Some(fuzz) = artifact_prefix.and_then(|prefix| fuzz_folder(prefix, &target.name())) {
        return fuzz.join("crashes");
    }
    if target.manifest_dir().join("Cargo.toml").exists() {
        target.manifest_dir().join("crashes")
    } else {
        PathBuf::from("crashes")
    }
}

/// `X` of an artifact prefix `X/artifacts/<target>/`.
fn fuzz_folder(prefix: &str, target: &str) -> Option<PathBuf> {
    let artifacts = Path::new(prefix.strip_suffix('/')?);
    let parent = artifacts.parent()?;
    (artifacts.file_name()? == target && parent.file_name()? == "artifacts")
        .then(|| parent.parent().unwrap_or(Path::new("")).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_lies_beside_the_artifacts() {
        assert_eq!(
            fuzz_folder("/p/fuzz/artifacts/parse/", "parse"),
            Some(PathBuf::from("/p/fuzz"))
        );
        assert_eq!(fuzz_folder("artifacts/parse/", "parse"), Some(PathBuf::from("")));
        assert_eq!(fuzz_folder("/p/fuzz/artifacts/parse/", "other"), None);
        assert_eq!(fuzz_folder("/p/fuzz/artifacts/parse/x-", "parse"), None);
        assert_eq!(fuzz_folder("./", "parse"), None);
    }
}
