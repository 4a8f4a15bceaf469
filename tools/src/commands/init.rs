//! `cargo dwindle init`: makes the fuzz crate of a project without one, or converts a cargo-fuzz
//! project.

mod harness;
mod fresh;
mod elsewhere;
mod convert;
mod manifest;
mod source;
mod mentions;

use crate::args::Init;
use crate::exit::{Exit, wrong_use};
use crate::manifests::{fuzz_crates, is_marked, manifest as read_manifest, needs};
use anyhow::{Context, Result};
use harness::Harness;
use std::path::{Path, PathBuf};

pub(crate) use manifest::has_dwindle;

pub(crate) fn init(options: &Init) -> Result<Exit> {
    let harness = Harness::of(options.dwindle.as_deref())?;
    match Place::find(options.fuzz_dir.as_deref())? {
        Place::There(dir) => convert::convert(&dir, &harness, options.yes),
        Place::New { package, dir } => {
            fresh::make(&package, &dir, options.fuzz_dir.is_some(), &harness)
        }
    }
}

/// The starting point of `init`.
enum Place {
    /// A fuzz crate, or the folder of several.
    There(PathBuf),
    /// A package without a fuzz crate, and the folder of the new one.
    New { package: PathBuf, dir: PathBuf },
}

impl Place {
    /// Searches from the current folder upwards for a fuzz crate, the folder `fuzz/` of one, or a
    /// package.
    fn find(fuzz_dir: Option<&Path>) -> Result<Self> {
        let current = std::env::current_dir().context("the current folder is gone")?;
        let canonical = |dir: &Path| {
            dir.canonicalize().with_context(|| format!("cannot enter {}", dir.display()))
        };
        if let Some(dir) = fuzz_dir.map(|dir| current.join(dir)) {
            if holds_fuzz_crates(&dir) {
                return Ok(Self::There(canonical(&dir)?));
            }
        } else if let Some(dir) = current
            .ancestors()
            .take_while(|folder| !is_package_above(folder, &current))
            .find_map(fuzz_crate_at)
        {
            return Ok(Self::There(canonical(&dir)?));
        }
        let package = current
            .ancestors()
            .find(|folder| folder.join("Cargo.toml").is_file())
            .ok_or_else(|| {
                wrong_use(format!(
                    "no crate in {} or any folder above it; run the command in the folder of the \
                     crate to fuzz (`cargo new --lib NAME` makes one)",
                    current.display()
                ))
            })?;
        let dir = fuzz_dir.map_or_else(|| package.join("fuzz"), |dir| current.join(dir));
        Ok(Self::New { package: package.to_owned(), dir })
    }
}

/// Whether another package is nearer to the current folder. `init` must not convert the fuzz crate
/// of a package further up.
fn is_package_above(folder: &Path, current: &Path) -> bool {
    current
        .ancestors()
        .take_while(|nearer| *nearer != folder)
        .any(|nearer| nearer.join("Cargo.toml").is_file())
}

fn fuzz_crate_at(folder: &Path) -> Option<PathBuf> {
    // A dependency on dwindle alone is no proof: any crate may depend on it.
    let is_one = read_manifest(folder)
        .is_some_and(|manifest| is_marked(&manifest) || needs(&manifest, &["libfuzzer-sys"]));
    let is_folder_of_several =
        || folder.file_name().is_some_and(|name| name == "fuzz") && holds_fuzz_crates(folder);
    if is_one || is_folder_of_several() {
        return Some(folder.to_owned());
    }
    Some(folder.join("fuzz")).filter(|dir| holds_fuzz_crates(dir))
}

/// Whether the folder is a crate of fuzz targets or holds some.
fn holds_fuzz_crates(dir: &Path) -> bool {
    dir.is_dir() && !fuzz_crates(dir).is_empty()
}
