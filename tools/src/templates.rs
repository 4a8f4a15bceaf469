//! The files that `init` and `add` write.

/// The folders to keep out of version control. The bugs belong in it: `cargo dwindle check` replays
/// them.
pub(crate) const GITIGNORE: &str = "target\ncorpus\nartifacts\ncoverage\nafl\n";

/// The folder of the targets, in the fuzz crate.
pub(crate) const TARGETS: &str = "fuzz_targets";

/// The name of the first target.
pub(crate) const FIRST: &str = "fuzz_target_1";

/// A fuzz crate with one target, `FIRST`. `dwindle` and `package` are lines of its dependencies.
pub(crate) fn manifest(name: &str, edition: &str, dwindle: &str, package: &str) -> String {
    format!(
        r#"[package]
name = "{name}-fuzz"
version = "0.0.0"
edition = "{edition}"
publish = false

[package.metadata]
cargo-fuzz = true

[features]
default = ["libfuzzer"]
# The engine that the targets are linked with.
libfuzzer = ["dwindle/libfuzzer"]
afl = ["dwindle/afl"]

[dependencies]
{dwindle}
{package}

# A separate workspace, because targets are built with other flags.
[workspace]

[profile.release]
debug = "line-tables-only"

[[bin]]
name = "{FIRST}"
path = "{TARGETS}/{FIRST}.rs"
test = false
doc = false
bench = false
"#
    )
}

/// A target that draws its values. `library` is the crate under test, if it is known.
pub(crate) fn drawing(target: &str, library: Option<&str>) -> String {
    let import = library
        .map(|library| format!("// The code under test: call it below.\nuse {library} as _;\n"))
        .unwrap_or_default();
    let called = library.unwrap_or("my_crate");
    format!(
        r"//! To fuzz it: cargo dwindle run {target}
#![no_main]

use dwindle::prelude::*;
{import}
dwindle::fuzz_target!(|tc: &mut TestCase| {{
    let numbers = tc.draw(g::vec(g::integers(0..=1000u32)).len(..20));
    let text = tc.draw(g::text().len(..20));
    // Call the code under test with the drawn values. A panic is a bug:
    // assert_eq!({called}::decode(&{called}::encode(&numbers, &text)), (numbers, text));
    let _ = (numbers, text);
}});
"
    )
}

/// A target in the form of libfuzzer-sys.
pub(crate) fn bytes(target: &str) -> String {
    format!(
        r"//! To fuzz it: cargo dwindle run {target}
#![no_main]

use dwindle::arbitrary::fuzz_target;

fuzz_target!(|data: &[u8]| {{
    // Call the code under test with the bytes, or take a type with `Arbitrary` in place of them. A
    // panic is a bug.
    let _ = data;
}});
"
    )
}

/// The same target for edition 2015, in which `use` begins at the root of the crate.
pub(crate) fn for_edition_2015(target: &str) -> String {
    target.replacen("#![no_main]\n", "#![no_main]\n\nextern crate dwindle;\n", 1)
}
