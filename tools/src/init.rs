//! `cargo dwindle init`: a fuzz crate where there is none, or a cargo-fuzz project converted.

mod fresh;
mod convert;
mod manifest;
mod source;

use crate::args::Init;
use crate::exit::{Exit, wrong_use};
use crate::project::is_fuzz_crate;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use manifest::has_dwindle;

pub(crate) fn init(options: &Init) -> Result<Exit> {
    let harness = Harness::of(options.dwindle.as_deref())?;
    match Place::find(options.fuzz_dir.as_deref())? {
        Place::There(dir) => convert::convert(&dir, &harness, options.yes),
        Place::New { package, dir } => fresh::make(&package, &dir, &harness),
    }
}

/// What `init` has before it.
enum Place {
    /// A fuzz crate; its folder.
    There(PathBuf),
    /// A package without one, and the folder where it will be.
    New { package: PathBuf, dir: PathBuf },
}

impl Place {
    /// From the current folder upwards: a fuzz crate, the folder `fuzz/` of one, or a package.
    fn find(fuzz_dir: Option<&Path>) -> Result<Self> {
        let current = std::env::current_dir().context("the current folder is gone")?;
        let canonical = |dir: &Path| dir.canonicalize().with_context(|| format!("cannot enter {}", dir.display()));
        if let Some(dir) = fuzz_dir.map(|dir| current.join(dir)) {
            if is_fuzz_crate(&dir) {
                return Ok(Self::There(canonical(&dir)?));
            }
        } else if let Some(dir) = current.ancestors().take_while(|folder| !is_package_above(folder, &current)).find_map(fuzz_crate_at) {
            return Ok(Self::There(canonical(&dir)?));
        }
        let package = current.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).ok_or_else(|| {
            wrong_use(format!(
                "no crate in {} or any folder above it; run this in the folder of the crate to fuzz (`cargo new --lib NAME` makes one)",
                current.display()
            ))
        })?;
        let dir = fuzz_dir.map_or_else(|| package.join("fuzz"), |dir| current.join(dir));
        Ok(Self::New { package: package.to_owned(), dir })
    }
}

/// Whether a package nearer to the current folder hides this one: its fuzz crate is not ours to convert.
fn is_package_above(folder: &Path, current: &Path) -> bool {
    current.ancestors().take_while(|nearer| *nearer != folder).any(|nearer| nearer.join("Cargo.toml").is_file())
}

fn fuzz_crate_at(folder: &Path) -> Option<PathBuf> {
    [folder.to_owned(), folder.join("fuzz")].into_iter().find(|dir| is_fuzz_crate(dir))
}

/// Where the fuzz crate gets dwindle from.
#[derive(Debug)]
enum Harness {
    /// A folder, without links; whether it was named by an absolute path.
    Path(PathBuf, bool),
    /// The version of this command, from a registry.
    Version,
}

impl Harness {
    /// An error of exit code 2 unless the folder holds the crate `dwindle`.
    fn of(asked: Option<&Path>) -> Result<Self> {
        let Some(path) = asked else { return Ok(Self::Version) };
        let is_harness = |dir: &Path| package_name(dir).as_deref() == Some("dwindle");
        if !is_harness(path) {
            let below = path.join("harness");
            let hint = if is_harness(&below) {
                format!("; say --dwindle {}", below.display())
            } else {
                ": it is the folder `harness` of dwindle's repository".to_owned()
            };
            return Err(wrong_use(format!("{} does not hold the crate `dwindle`{hint}", path.display())));
        }
        let folder = path.canonicalize().with_context(|| format!("cannot enter {}", path.display()))?;
        Ok(Self::Path(folder, path.is_absolute()))
    }

    /// The key of a dependency that says it, and its value, for a manifest in `dir`.
    fn source(&self, dir: &Path) -> Result<(&'static str, String)> {
        let path = match self {
            Self::Version => return Ok(("version", env!("CARGO_PKG_VERSION").to_owned())),
            Self::Path(path, true) => path.clone(),
            Self::Path(path, false) => pathdiff::diff_paths(path, dir).unwrap_or_else(|| path.clone()),
        };
        let path = path.to_str().ok_or_else(|| wrong_use(format!("{} is not UTF-8, which Cargo.toml is written in", path.display())))?;
        Ok(("path", path.to_owned()))
    }

    /// What must be known of a harness that is not on this machine.
    fn warning(&self) -> Option<String> {
        let version = env!("CARGO_PKG_VERSION");
        let words = format!("it depends on dwindle {version} from crates.io; to use a checkout instead, name its folder `harness` with --dwindle");
        matches!(self, Self::Version).then_some(words)
    }
}

fn package_name(dir: &Path) -> Option<String> {
    let manifest: toml::Table = fs::read_to_string(dir.join("Cargo.toml")).ok()?.parse().ok()?;
    Some(manifest.get("package")?.get("name")?.as_str()?.to_owned())
}
