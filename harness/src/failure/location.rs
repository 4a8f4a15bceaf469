//! Places in source code, in a form that is the same on every machine.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// A place as `crate-version/path:line:column`, the same on every machine. It needs no heap memory,
/// unless the path has the backslashes of Windows.
///
/// Files of a registry or of a git checkout lose the path to it. Files of the standard library
/// begin with `rust/`. Files of the fuzzed project are relative to the folder of the fuzz crate, or
/// to the folder around it.
#[derive(Clone, Debug)]
pub(crate) struct PortablePlace<'a> {
    file: Cow<'a, str>,
    line: u32,
    column: u32,
    manifest_dir: &'a Path,
}

impl<'a> PortablePlace<'a> {
    pub(crate) fn new(
        file: &'a str,
        line: u32,
        column: u32,
        manifest_dir: &'a Path,
    ) -> PortablePlace<'a> {
        PortablePlace { file: with_slashes(file), line, column, manifest_dir }
    }
}

impl fmt::Display for PortablePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.is_empty() {
            return f.write_str("unknown");
        }
        for part in parts(&self.file, self.manifest_dir) {
            f.write_str(part)?;
        }
        write!(f, ":{}:{}", self.line, self.column)
    }
}

/// The path alone, see [`PortablePlace`].
pub(crate) fn portable_path(file: &str, manifest_dir: &Path) -> String {
    parts(&with_slashes(file), manifest_dir).concat()
}

fn with_slashes(file: &str) -> Cow<'_, str> {
    if file.contains('\\') { Cow::Owned(file.replace('\\', "/")) } else { Cow::Borrowed(file) }
}

/// The parts of a portable path.
fn parts<'a>(file: &'a str, manifest_dir: &Path) -> [&'a str; 3] {
    let whole = |path: &'a str| [path, "", ""];
    if let Some((_, rest)) = file.split_once("/registry/src/") {
        return whole(behind_first(rest));
    }
    if let Some((_, rest)) = file.split_once("/git/checkouts/") {
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let name = name.rsplit_once('-').map_or(name, |(name, _)| name);
        return [name, "-", rest];
    }
    if let Some((before, rest)) = file.split_once("/out/")
        && let Some((_, package)) = before.rsplit_once("/build/")
    {
        // A file from a build script. The folder is named by the package and a hash of the build.
        return [package.rsplit_once('-').map_or(package, |(name, _)| name), "/out/", rest];
    }
    if let Some((_, rest)) = file
        .split_once("/lib/rustlib/src/rust/")
        .or_else(|| file.strip_prefix("/rustc/").map(|rest| ("", behind_first(rest))))
    {
        return ["rust/", rest, ""];
    }
    if !file.starts_with('/') {
        return whole(file);
    }
    for root in [Some(manifest_dir), manifest_dir.parent()].into_iter().flatten() {
        if let Some(relative) = Path::new(file).strip_prefix(root).ok().and_then(Path::to_str) {
            return whole(relative);
        }
    }
    // A path dependency from another folder: the folder's name and the path inside it.
    let start = file.rfind("/src/").and_then(|src| file[..src].rfind('/'));
    whole(&file[start.map_or(0, |slash| slash + 1)..])
}

fn behind_first(path: &str) -> &str {
    path.split_once('/').map_or(path, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_paths_leave_out_the_machine() {
        let manifest = Path::new("/home/me/project/fuzz");
        for (file, portable) in [
            (
                "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/petgraph-0.5.1/src/graphmap.rs",
                "petgraph-0.5.1/src/graphmap.rs",
            ),
            (
                "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/option.rs",
                "rust/library/core/src/option.rs",
            ),
            (
                "/home/me/.rustup/toolchains/stable-x86_64/lib/rustlib/src/rust/library/alloc/src/vec/mod.rs",
                "rust/library/alloc/src/vec/mod.rs",
            ),
            (
                "/home/me/.cargo/git/checkouts/widget-0a1b2c3d/f00ba4/src/lib.rs",
                "widget-f00ba4/src/lib.rs",
            ),
            ("fuzz_targets/one.rs", "fuzz_targets/one.rs"),
            ("/home/me/project/fuzz/fuzz_targets/one.rs", "fuzz_targets/one.rs"),
            ("/home/me/project/src/lib.rs", "src/lib.rs"),
            ("/srv/elsewhere/widget/src/deep/x.rs", "widget/src/deep/x.rs"),
            ("/home/me/src/repo/crates/bar/src/lib.rs", "bar/src/lib.rs"),
            (
                "/p/fuzz/target/dwindle/x86_64/release/build/grammar-0123abcd/out/parser.rs",
                "grammar/out/parser.rs",
            ),
        ] {
            assert_eq!(portable_path(file, manifest), portable);
        }
    }
}
