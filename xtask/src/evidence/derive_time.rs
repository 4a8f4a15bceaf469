//! How long an enum of sixty variants takes to compile with `derive(Generate)`, beside
//! `derive(Arbitrary)`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::steps::processor_time_of_children;
use crate::tools;

const VARIANTS: usize = 60;
/// Each crate is compiled so often, in turns; the quickest counts, since whatever else the machine
/// does only adds to it.
const TIMES: usize = 7;
/// What the derive may cost more than half of what the other does.
const ALLOWANCE: Duration = Duration::from_millis(200);

/// A crate of one enum.
struct Enum {
    name: &'static str,
    /// What stands above the enum.
    derive: &'static str,
}

const ENUMS: [Enum; 3] = [
    Enum { name: "enum_alone", derive: "" },
    Enum { name: "enum_generate", derive: "#[derive(dwindle_engine::Generate)]" },
    Enum { name: "enum_arbitrary", derive: "#[derive(arbitrary::Arbitrary)]" },
];

pub(crate) fn measure() -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    write_workspace(scratch.path())?;
    println!(
        "Milliseconds of processor time to compile an enum of {VARIANTS} variants, the least of \
         {TIMES} (the derive alone: less what the enum takes by itself):\n"
    );
    println!(
        "| profile | neither | derive(Generate) | derive(Arbitrary) | Generate alone | Arbitrary \
         alone | at most | |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for profile in ["dev", "release"] {
        let [neither, ours, theirs] = least(scratch.path(), profile)?;
        let [alone, beside] = [ours, theirs].map(|time| time.saturating_sub(neither));
        let goal = beside / 2 + ALLOWANCE;
        let met = if alone <= goal { "met" } else { "MISSED" };
        let [neither, ours, theirs, alone, beside, goal] =
            [neither, ours, theirs, alone, beside, goal].map(|time| time.as_millis());
        println!(
            "| {profile} | {neither} | {ours} | {theirs} | {alone} | {beside} | {goal} | {met} |"
        );
    }
    Ok(())
}

fn write_workspace(folder: &Path) -> Result<()> {
    let engine = tools::root().join("engine");
    let members = ENUMS.each_ref().map(|of| format!("{:?}", of.name)).join(", ");
    write(
        &folder.join("Cargo.toml"),
        &format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n"),
    )?;
    fs::copy(tools::root().join("Cargo.lock"), folder.join("Cargo.lock"))
        .context("cannot copy the lock file")?;
    for Enum { name, derive } in ENUMS {
        let manifest = format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n\
             [dependencies]\ndwindle-engine = {{ path = \"{}\" }}\narbitrary = {{ version = \"1\", \
             features = [\"derive\"] }}\n",
            engine.display()
        );
        fs::create_dir(folder.join(name)).context("cannot make a folder")?;
        write(&folder.join(name).join("Cargo.toml"), &manifest)?;
        write(
            &folder.join(name).join("lib.rs"),
            &format!("{derive}\npub enum Operation {{\n{}}}\n{}", variants(), calls(name)),
        )?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// As operations of a fuzz target are: without data, with numbers, with texts and lists, with names
/// for their fields.
fn variants() -> String {
    (0..VARIANTS).fold(String::new(), |mut text, index| {
        let _ = match index % 5 {
            0 => writeln!(text, "    Variant{index},"),
            1 => writeln!(text, "    Variant{index}(u32),"),
            2 => writeln!(text, "    Variant{index} {{ at: usize, value: i64 }},"),
            3 => writeln!(text, "    Variant{index}(String, Option<bool>),"),
            _ => writeln!(
                text,
                "    Variant{index} {{ keys: Vec<u8>, flag: bool, limit: Option<u16> }},"
            ),
        };
        text
    })
}

/// A function that draws one, so that its code is made too.
fn calls(name: &str) -> &'static str {
    match name {
        "enum_generate" => {
            "pub fn draw(tc: &mut dwindle_engine::TestCase) -> Vec<Operation> {\n    \
             dwindle_engine::Generate::generate(tc)\n}\n"
        }
        "enum_arbitrary" => {
            "pub fn draw(bytes: &mut arbitrary::Unstructured) -> arbitrary::Result<Vec<Operation>> \
             {\n    bytes.arbitrary()\n}\n"
        }
        _ => "",
    }
}

/// Compiles what the crates need, then times each crate alone.
fn least(folder: &Path, profile: &str) -> Result<[Duration; 3]> {
    let mut least = [Duration::MAX; 3];
    for time in 0..=TIMES {
        for (Enum { name, .. }, least) in ENUMS.iter().zip(&mut least) {
            // Cargo compiles again what is newer than what it made of it.
            let source = folder.join(name).join("lib.rs");
            let text = fs::read_to_string(&source).context("cannot read what was written")?;
            write(&source, &format!("{text}// {time}\n"))?;
            let mut command = tools::cargo();
            command.args(["build", "--quiet", "--package", name, "--profile", profile]);
            command
                .current_dir(folder)
                .env_remove("CARGO_TARGET_DIR")
                .env("CARGO_INCREMENTAL", "0");
            let before = processor_time_of_children();
            ensure!(
                command.status().context("cannot start cargo")?.success(),
                "the crate {name} does not build"
            );
            if time > 0 {
                *least = (*least).min(processor_time_of_children().saturating_sub(before));
            }
        }
    }
    Ok(least)
}
