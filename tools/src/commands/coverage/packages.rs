//! Which source files are under test.

use crate::exit::wrong_use;
use crate::project::Project;
use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders of packages.
#[derive(Debug)]
pub(super) struct Packages {
    /// Those whose files count.
    under_test: Vec<PathBuf>,
    /// All others. A file belongs to the innermost folder that holds it.
    others: Vec<PathBuf>,
}

impl Packages {
    /// The packages with these names. Without names, those under test.
    ///
    /// An error of exit code 2 if the fuzz crate does not depend on a package of such a name.
    pub(super) fn choose(project: &Project, names: &[String]) -> Result<Self> {
        let manifest = project.dir.join("Cargo.toml");
        let metadata = MetadataCommand::new()
            .manifest_path(&manifest)
            .exec()
            .with_context(|| format!("cargo cannot read {}", manifest.display()))?;
        for name in names {
            if !metadata.packages.iter().any(|package| package.name.as_str() == name) {
                return Err(wrong_use(format!(
                    "the fuzz crate does not depend on a package `{name}`; `cargo tree \
                     --manifest-path {}` lists all",
                    manifest.display()
                )));
            }
        }
        let chosen: BTreeSet<&str> = if names.is_empty() {
            under_test(&metadata, &manifest)
        } else {
            names.iter().map(String::as_str).collect()
        };
        let (under_test, others): (Vec<_>, Vec<_>) =
            metadata.packages.iter().partition(|package| chosen.contains(package.name.as_str()));
        let folder = |package: &Package| {
            let folder =
                package.manifest_path.parent().map(|folder| folder.as_std_path().to_owned());
            folder.unwrap_or_default()
        };
        Ok(Self {
            under_test: under_test.into_iter().map(folder).collect(),
            others: others.into_iter().map(folder).collect(),
        })
    }

    /// Whether a file belongs to a package under test.
    pub(super) fn has(&self, file: &Path) -> bool {
        let depth = |folders: &[PathBuf]| {
            let holding = folders.iter().filter(|folder| file.starts_with(folder));
            holding.map(|folder| folder.components().count()).max()
        };
        depth(&self.under_test) > depth(&self.others)
    }

    /// The file as people name it: from the folder of its package, behind the name of the folder.
    pub(super) fn short(&self, file: &Path) -> PathBuf {
        let package = self.under_test.iter().filter(|folder| file.starts_with(folder));
        let package = package.max_by_key(|folder| folder.components().count());
        let above = package.and_then(|folder| folder.parent());
        above.and_then(|above| file.strip_prefix(above).ok()).unwrap_or(file).to_owned()
    }
}

/// The names of the local packages that the fuzz crate depends on. If there are none, those of its
/// direct dependencies, or its own.
fn under_test<'a>(metadata: &'a Metadata, manifest: &Path) -> BTreeSet<&'a str> {
    let is_fuzz_crate = |package: &&Package| package.manifest_path.as_std_path() == manifest;
    let Some(fuzz) = metadata.packages.iter().find(is_fuzz_crate) else { return BTreeSet::new() };
    let known = |name: &str| metadata.packages.iter().any(|package| package.name.as_str() == name);
    let direct: BTreeSet<&str> = fuzz
        .dependencies
        .iter()
        .map(|dependency| dependency.name.as_str())
        .filter(|name| known(name) && !is_tool(name))
        .collect();
    let local: BTreeSet<&str> = metadata
        .packages
        .iter()
        .filter(|package| package.source.is_none() && package.id != fuzz.id)
        .map(|package| package.name.as_str())
        .filter(|name| !is_tool(name))
        .collect();
    if !local.is_empty() {
        local
    } else if !direct.is_empty() {
        direct
    } else {
        [fuzz.name.as_str()].into()
    }
}

/// Whether a package belongs to the fuzzing itself.
fn is_tool(name: &str) -> bool {
    name == "dwindle"
        || name.starts_with("dwindle-")
        || ["libfuzzer-sys", "arbitrary", "afl", "libc"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_innermost_package() {
        let packages = Packages {
            under_test: vec!["/code/demo".into()],
            others: vec!["/code/demo/fuzz".into(), "/code/demonstration".into()],
        };
        for (file, expected) in [
            ("/code/demo/src/lib.rs", true),
            ("/code/demo/fuzz/fuzz_targets/t.rs", false),
            ("/code/demonstration/src/lib.rs", false),
            ("/rustc/0123/library/core/src/option.rs", false),
        ] {
            assert_eq!(packages.has(Path::new(file)), expected, "{file}");
        }
        assert_eq!(
            packages.short(Path::new("/code/demo/src/lib.rs")),
            Path::new("demo/src/lib.rs")
        );
    }
}
