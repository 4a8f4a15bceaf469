//! Places in source code, freed of the machine they were built on.

use std::path::Path;

/// `file:line:column` as `crate-version/path:line:column`, the same on every machine.
///
/// Files of a registry or of a git checkout lose the way to it, files of the standard library begin with `rust/`, files of the fuzzed project are taken relative
/// to its folder (that of the fuzz crate, or the one around it).
pub(crate) fn portable_location(file: &str, line: u32, column: u32, manifest_dir: &Path) -> String {
    if file.is_empty() {
        return "unknown".to_owned();
    }
    format!("{}:{line}:{column}", portable_path(file, manifest_dir))
}

/// The path alone, see [`portable_location`].
pub(crate) fn portable_path(file: &str, manifest_dir: &Path) -> String {
    let file = file.replace('\\', "/");
    if let Some((_, rest)) = file.split_once("/registry/src/") {
        return behind_first(rest).to_owned();
    }
    if let Some((_, rest)) = file.split_once("/git/checkouts/") {
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let name = name.rsplit_once('-').map_or(name, |(name, _)| name);
        return format!("{name}-{rest}");
    }
    if let Some((before, rest)) = file.split_once("/out/")
        && let Some((_, package)) = before.rsplit_once("/build/")
    {
        // What a build script made; the folder is named by the package and a hash of the build.
        return format!("{}/out/{rest}", package.rsplit_once('-').map_or(package, |(name, _)| name));
    }
    if let Some((_, rest)) = file.split_once("/lib/rustlib/src/rust/").or_else(|| file.strip_prefix("/rustc/").map(|rest| ("", behind_first(rest)))) {
        return format!("rust/{rest}");
    }
    if !file.starts_with('/') {
        return file;
    }
    for root in [Some(manifest_dir), manifest_dir.parent()].into_iter().flatten() {
        if let Ok(relative) = Path::new(&file).strip_prefix(root) {
            return relative.to_string_lossy().into_owned();
        }
    }
    // A path dependency from elsewhere: its folder and what is in it.
    let start = file.rfind("/src/").and_then(|src| file[..src].rfind('/'));
    file[start.map_or(0, |slash| slash + 1)..].to_owned()
}

fn behind_first(path: &str) -> &str {
    path.split_once('/').map_or(path, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_tells_the_machine() {
        let manifest = Path::new("/home/me/project/fuzz");
        for (file, portable) in [
            ("/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/petgraph-0.5.1/src/graphmap.rs", "petgraph-0.5.1/src/graphmap.rs"),
            ("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/option.rs", "rust/library/core/src/option.rs"),
            ("/home/me/.rustup/toolchains/stable-x86_64/lib/rustlib/src/rust/library/alloc/src/vec/mod.rs", "rust/library/alloc/src/vec/mod.rs"),
            ("/home/me/.cargo/git/checkouts/widget-0a1b2c3d/f00ba4/src/lib.rs", "widget-f00ba4/src/lib.rs"),
            ("fuzz_targets/one.rs", "fuzz_targets/one.rs"),
            ("/home/me/project/fuzz/fuzz_targets/one.rs", "fuzz_targets/one.rs"),
            ("/home/me/project/src/lib.rs", "src/lib.rs"),
            ("/srv/elsewhere/widget/src/deep/x.rs", "widget/src/deep/x.rs"),
            ("/home/me/src/repo/crates/bar/src/lib.rs", "bar/src/lib.rs"),
            ("/p/fuzz/target/dwindle/x86_64/release/build/grammar-0123abcd/out/parser.rs", "grammar/out/parser.rs"),
        ] {
            assert_eq!(portable_path(file, manifest), portable);
        }
    }
}
