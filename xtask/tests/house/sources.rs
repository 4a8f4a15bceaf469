//! The sources that the rules apply to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::Item;

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

/// The files of a crate and their items, without the files of modules that are compiled for tests
/// alone.
pub(crate) fn library_files(folder: &str) -> Vec<(syn::File, PathBuf)> {
    let files: Vec<_> =
        files(folder, &["rs"]).into_iter().map(|file| (parsed(&file), file)).collect();
    let tests: BTreeSet<_> =
        files.iter().flat_map(|(parsed, file)| test_modules(file, parsed)).collect();
    let is_of_tests =
        |file: &Path| file.with_extension("").ancestors().any(|at| tests.contains(at));
    files.into_iter().filter(|(_, file)| !is_of_tests(file)).collect()
}

/// The modules that a file declares for tests alone, as paths without `.rs` or `/mod.rs`.
fn test_modules(file: &Path, parsed: &syn::File) -> Vec<PathBuf> {
    let is_folder =
        ["mod", "lib", "main"].iter().any(|name| file.file_stem() == Some(name.as_ref()));
    let folder = if is_folder { file.with_file_name("") } else { file.with_extension("") };
    let declared = parsed.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() && is_test(&module.attrs) => {
            Some(folder.join(module.ident.to_string()))
        }
        _ => None,
    });
    declared.collect()
}

#[test]
fn files_of_tests_do_not_count() {
    let text = "mod one;\n#[cfg(test)]\nmod two;\n#[cfg(test)]\nmod tests {}\n";
    let modules =
        |file: &str| test_modules(Path::new(file), &syn::parse_file(text).expect("it is Rust"));
    assert_eq!(modules("src/lib.rs"), [Path::new("src/two")]);
    assert_eq!(modules("src/some/mod.rs"), [Path::new("src/some/two")]);
    assert_eq!(modules("src/some.rs"), [Path::new("src/some/two")]);
}
