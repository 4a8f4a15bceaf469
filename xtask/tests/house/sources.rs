//! The sources that the rules apply to.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose code is a library or a command.
pub(crate) const CRATES: [&str; 6] =
    ["engine/src", "engine/derive/src", "corpus/src", "harness/src", "tools/src", "xtask/src"];

/// Folders that hold what a build or a run makes.
const MADE: [&str; 5] = ["target", "crashes", "artifacts", "corpora", "afl"];

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The files in a folder of the repository, at any depth, whose names have one of the endings.
pub(crate) fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let ending = path.extension().unwrap_or_default();
            if path.is_dir() && !MADE.iter().any(|made| name == *made) {
                folders.push(path);
            } else if endings.iter().any(|wanted| ending == *wanted) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A file's path from the root of the repository.
pub(crate) fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

/// Whether an item is compiled for tests alone.
pub(crate) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// The items of a source file.
pub(crate) fn parsed(file: &Path) -> syn::File {
    let text = fs::read_to_string(file).expect("a source file");
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", shown(file)))
}
