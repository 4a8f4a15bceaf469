//! Finds the crate `dwindle` for a new or converted fuzz crate.

use crate::exit::wrong_use;
use crate::manifests;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The folder `tools` of the repository that this command was built in. It may no longer exist.
const BUILT_IN: &str = env!("CARGO_MANIFEST_DIR");

/// The place of the crate `dwindle`.
#[derive(Debug)]
pub(super) enum Harness {
    /// Named by the user: the path without links, and whether the user gave an absolute path.
    Named(PathBuf, bool),
    /// In the clone of the repository that this command was built in.
    OfThisClone(PathBuf),
    /// Unknown: dwindle is in no registry, and the clone no longer exists.
    Nowhere,
}

impl Harness {
    /// Finds the crate. An error of exit code 2 if the named folder does not hold the crate
    /// `dwindle`.
    pub(super) fn of(asked: Option<&Path>) -> Result<Self> {
        let Some(path) = asked else { return Ok(Self::beside(Path::new(BUILT_IN))) };
        if !is_harness(path) {
            let below = path.join("harness");
            let hint = if is_harness(&below) {
                format!("; use --dwindle {}", below.display())
            } else {
                ": it is the folder `harness` of dwindle's repository".to_owned()
            };
            return Err(wrong_use(format!(
                "{} does not hold the crate `dwindle`{hint}",
                path.display()
            )));
        }
        let folder =
            path.canonicalize().with_context(|| format!("cannot enter {}", path.display()))?;
        Ok(Self::Named(folder, path.is_absolute()))
    }

    /// The harness beside the sources of this command. Cargo's own checkouts do not count, because
    /// cargo removes them.
    fn beside(tools: &Path) -> Self {
        let is_cargos = tools.to_string_lossy().contains("/git/checkouts/");
        let folder = tools
            .parent()
            .map(|root| root.join("harness"))
            .filter(|folder| !is_cargos && is_harness(folder));
        folder
            .and_then(|folder| folder.canonicalize().ok())
            .map_or(Self::Nowhere, Self::OfThisClone)
    }

    /// The key and the value of a dependency on this crate, for a manifest in `dir`.
    pub(super) fn source(&self, dir: &Path) -> Result<(&'static str, String)> {
        let relative =
            |path: &Path| pathdiff::diff_paths(path, dir).unwrap_or_else(|| path.to_owned());
        let path = match self {
            Self::Nowhere => {
                return Err(wrong_use(format!(
                    "dwindle {} is not in a registry of crates: clone its repository, and name \
                     its folder `harness` with --dwindle PATH; nothing was changed",
                    env!("CARGO_PKG_VERSION")
                )));
            }
            Self::Named(path, false) => relative(path),
            // A fuzz crate in the clone moves with it, so a relative path stays valid. A job that
            // checks out a crate beside the clone has it there, too.
            Self::OfThisClone(path) if is_in_or_beside(path.parent(), dir) => relative(path),
            Self::Named(path, true) | Self::OfThisClone(path) => path.clone(),
        };
        let path = path.to_str().ok_or_else(|| {
            wrong_use(format!("{} is not UTF-8, so Cargo.toml cannot hold it", path.display()))
        })?;
        Ok(("path", path.to_owned()))
    }

    /// A remark for the user about a harness that the user has not named.
    pub(super) fn remark(&self) -> Option<String> {
        let Self::OfThisClone(path) = self else { return None };
        Some(format!(
            "it depends on dwindle in {}, because this command was built there; to use another \
             clone, name its folder `harness` with --dwindle",
            path.display()
        ))
    }
}

/// Whether a fuzz crate lies in the clone, or its crate is in the folder that holds the clone.
fn is_in_or_beside(clone: Option<&Path>, dir: &Path) -> bool {
    let Some(clone) = clone else { return false };
    let holder = dir.parent().and_then(Path::parent);
    dir.starts_with(clone) || holder.is_some_and(|holder| clone.parent() == Some(holder))
}

fn is_harness(dir: &Path) -> bool {
    let name = manifests::manifest(dir)
        .and_then(|manifest| Some(manifest.get("package")?.get("name")?.as_str()? == "dwindle"));
    name == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;
    use std::fs;

    #[test]
    fn a_missing_clone_and_a_checkout_of_cargo_are_not_used() {
        let dir = tempfile::tempdir().unwrap();
        for (root, is_there) in
            [("clone", true), ("gone", false), ("git/checkouts/dwindle-1/2", true)]
        {
            let root = dir.path().join(root);
            if is_there {
                fs::create_dir_all(root.join("harness")).unwrap();
                fs::write(root.join("harness/Cargo.toml"), "[package]\nname = \"dwindle\"\n")
                    .unwrap();
            }
        }
        let source = |root: &str, fuzz: &str| {
            Harness::beside(&dir.path().join(root).join("tools"))
                .source(&dir.path().canonicalize().unwrap().join(fuzz))
        };
        let harness =
            dir.path().canonicalize().unwrap().join("clone/harness").display().to_string();
        assert_eq!(source("clone", "far/mine/fuzz").unwrap(), ("path", harness));
        assert_eq!(
            source("clone", "mine/fuzz").unwrap(),
            ("path", "../../clone/harness".to_owned())
        );
        assert_eq!(
            source("clone", "clone/example/fuzz").unwrap(),
            ("path", "../../harness".to_owned())
        );
        for root in ["gone", "git/checkouts/dwindle-1/2"] {
            let error = source(root, "mine/fuzz").unwrap_err();
            assert_eq!(Exit::of(&error), Exit::WrongUse);
            assert!(error.to_string().contains("--dwindle PATH"), "{error}");
        }
    }
}
