//! Makes a fuzz crate for a package that has none.

use super::elsewhere::refuse_second;
use super::harness::Harness;
use super::manifest;
use crate::exit::{Exit, wrong_use};
use crate::screen::from_here;
use crate::templates;
use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use toml_edit::{InlineTable, Value};

/// The folder for bugs in a fuzz crate.
const STORE: &str = "crashes";

/// Makes the fuzz crate `dir` for the package in the folder `package`. It appears whole or not at
/// all.
///
/// `is_named` says that the user chose the place. It is needed if another fuzz crate exists
/// elsewhere.
pub(super) fn make(package: &Path, dir: &Path, is_named: bool, harness: &Harness) -> Result<Exit> {
    require_free(dir)?;
    let manifest_path = package
        .join("Cargo.toml")
        .canonicalize()
        .with_context(|| format!("cannot read {}", package.display()))?;
    let metadata = read(&manifest_path)
        .with_context(|| format!("cargo cannot read {}", manifest_path.display()))?;
    if !is_named {
        let workspace = metadata
            .workspace_root
            .canonicalize()
            .unwrap_or_else(|_| metadata.workspace_root.clone().into());
        refuse_second(&workspace, manifest_path.parent().unwrap_or(&manifest_path), dir)?;
    }
    let package = the_package(&metadata, &manifest_path)?;
    let library = library(package)?;
    // Fails here, before anything is made.
    harness.source(dir)?;

    let parent = dir.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    // Resolves links, because `..` after a link leads to another folder.
    let parent =
        parent.canonicalize().with_context(|| format!("cannot enter {}", parent.display()))?;
    let dir = parent.join(dir.file_name().ok_or_else(|| {
        wrong_use(format!("{} cannot be the name of a new folder", dir.display()))
    })?);

    let crate_dir = manifest_path.parent().unwrap_or(&manifest_path);
    let to_package = pathdiff::diff_paths(crate_dir, &dir).unwrap_or_else(|| crate_dir.to_owned());
    let mut dependency = InlineTable::new();
    dependency.insert("path", Value::from(&*to_package.to_string_lossy()));
    let text = templates::manifest(
        &package.name,
        // In edition 2015 paths have another meaning.
        if package.edition.as_str() == "2015" { "2021" } else { package.edition.as_str() },
        &format!("dwindle = {}", manifest::dependency(&harness.source(&dir)?)),
        &format!("{} = {dependency}", package.name),
    );
    let target = format!("{}/{}.rs", templates::TARGETS, templates::FIRST);
    let files = [
        ("Cargo.toml", text),
        (".gitignore", templates::GITIGNORE.to_owned()),
        (target.as_str(), templates::drawing(templates::FIRST, Some(&library))),
    ];
    write(&parent, &dir, &files)
        .with_context(|| format!("cannot make {}; nothing was written", dir.display()))?;

    println!("made {} for {}:", from_here(&dir), package.name);
    for (name, _) in &files {
        println!("  {}", from_here(&dir.join(name)));
    }
    if let Some(remark) = harness.remark() {
        eprintln!("{remark}");
    }
    if read(&manifest_path).is_err() {
        let name = dir.strip_prefix(&metadata.workspace_root).unwrap_or(&dir).display();
        eprintln!(
            "warning: the workspace in {} counts the fuzz crate as a member; add to the \
             Cargo.toml there, under [workspace]:\n\nexclude = [\"{name}\"]\n",
            metadata.workspace_root
        );
    }
    println!("next: cargo dwindle run {}", templates::FIRST);
    Ok(Exit::Clean)
}

fn read(manifest_path: &Path) -> cargo_metadata::Result<Metadata> {
    MetadataCommand::new().manifest_path(manifest_path).no_deps().exec()
}

/// Returns an error of exit code 2 unless `dir` is missing, or has at most a store, so that no file
/// is lost. Properties under `cargo test` may have kept bugs there before the fuzz crate exists.
fn require_free(dir: &Path) -> Result<()> {
    let is_store =
        |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() == STORE);
    match fs::read_dir(dir).map(|mut entries| entries.all(is_store)) {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !dir.is_symlink() => Ok(()),
        _ => Err(wrong_use(format!(
            "{} exists, but it is not a fuzz crate; nothing was written\n\nName another folder \
             with --fuzz-dir DIR. If this folder is a fuzz crate, add to its \
             Cargo.toml:\n\n[package.metadata]\ncargo-fuzz = true",
            dir.display()
        ))),
    }
}

fn the_package<'metadata>(
    metadata: &'metadata Metadata,
    manifest_path: &Path,
) -> Result<&'metadata Package> {
    metadata
        .packages
        .iter()
        .find(|package| package.manifest_path.as_std_path() == manifest_path)
        .ok_or_else(|| {
            let mut words = format!(
                "{} is a workspace without a package; run the command in the folder of the crate \
                 to fuzz:\n",
                manifest_path.display()
            );
            for package in &metadata.packages {
                if let Some(folder) = package.manifest_path.parent() {
                    words.push_str("\n  ");
                    words.push_str(&from_here(folder.as_std_path()));
                }
            }
            wrong_use(words)
        })
}

/// The name of the package's library in code.
fn library(package: &Package) -> Result<String> {
    let library = package.targets.iter().find(|target| {
        target.is_lib() || target.is_rlib() || target.is_dylib() || target.is_proc_macro()
    });
    let library = library.ok_or_else(|| {
        wrong_use(format!(
            "{} has no library, and fuzz targets call a library: move the code under test into \
             src/lib.rs, and call it from src/main.rs",
            package.name
        ))
    })?;
    Ok(library.name.replace('-', "_"))
}

/// Writes the files into a new folder beside `dir`, then renames it to `dir`. If `dir` has a store
/// already, moves the files there one by one, and Cargo.toml last: without it, `dir` is no crate.
fn write(parent: &Path, dir: &Path, files: &[(&str, String)]) -> io::Result<()> {
    // A normal folder of the user. By default `tempfile` makes folders that only their owner can
    // open.
    let folder = tempfile::Builder::new()
        .prefix(".fuzz-")
        .permissions(Permissions::from_mode(0o777))
        .tempdir_in(parent)?;
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, text)?;
    }
    if dir.join(STORE).exists() {
        let mut entries: Vec<_> = fs::read_dir(folder.path())?.collect::<io::Result<_>>()?;
        entries.sort_by_key(|entry| entry.file_name() == "Cargo.toml");
        for entry in entries {
            fs::rename(entry.path(), dir.join(entry.file_name()))?;
        }
        return Ok(());
    }
    // The rename replaces an empty folder and fails for anything else.
    fs::rename(folder.path(), dir)?;
    // The folder has its new name, so nothing is left to remove.
    let _ = folder.keep();
    Ok(())
}
