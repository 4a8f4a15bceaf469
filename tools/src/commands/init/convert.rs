//! Converts a cargo-fuzz project with one fuzz crate, or several in one folder. Shows all changes
//! first and makes them after a yes.

use super::harness::Harness;
use super::manifest::Surroundings;
use super::{manifest, mentions, source};
use crate::change::{self, Change};
use crate::exit::{Exit, Stop, wrong_use};
use crate::manifests::{self, has_binaries, is_edition_2015};
use crate::screen::from_here;
use anyhow::{Context, Result};
use source::Refusal;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Folders of a fuzz crate that hold no sources.
const NOT_SOURCES: &[&str] = &["target", "corpus", "artifacts", "coverage", "crashes", "afl"];

/// Converts the fuzz crates in and below `dir`, which is absolute and without links.
pub(super) fn convert(dir: &Path, harness: &Harness, yes: bool) -> Result<Exit> {
    let Plan { changes, remarks, .. } = plan(dir, harness)?;
    let mentions = mentions::words(dir, &changes);
    if changes.is_empty() {
        println!("nothing to do: {} uses dwindle", from_here(dir));
        print!("{mentions}");
        return Ok(Exit::Clean);
    }
    let root = dir.parent().unwrap_or(dir);
    let diffs: String = changes.iter().map(|change| change.diff(root)).collect();
    println!("{}", change::coloured(&diffs));
    print!("{mentions}");
    for remark in remarks.into_iter().chain(harness.remark()) {
        eprintln!("{remark}");
    }
    if !yes && !is_agreed(changes.len())? {
        println!("nothing was changed");
        return Ok(Exit::Clean);
    }
    change::apply(&changes)?;
    println!("converted {}\nnext: cargo dwindle list", from_here(dir));
    Ok(Exit::Clean)
}

/// The planned conversion.
#[derive(Debug, Default)]
struct Plan {
    /// The folder in and below which crates are converted.
    dir: PathBuf,
    /// Every file that has to change. Empty if the crates already use dwindle.
    changes: Vec<Change>,
    remarks: Vec<String>,
}

fn plan(dir: &Path, harness: &Harness) -> Result<Plan> {
    let mut plan = Plan { dir: dir.to_owned(), ..Plan::default() };
    let mut is_any_ours = false;
    for crate_dir in manifests::folders(dir, false)
        .into_iter()
        .filter(|folder| folder.join("Cargo.toml").is_file())
    {
        is_any_ours |= plan_crate(&mut plan, &crate_dir, harness)?;
    }
    if !is_any_ours {
        return Err(wrong_use(format!(
            "{} depends on neither libfuzzer-sys nor dwindle; there is nothing to convert, and \
             nothing was changed",
            from_here(&dir.join("Cargo.toml"))
        )));
    }
    // Converts the workspace last: by now none of its crates needs its libfuzzer-sys.
    let root = dir.join("Cargo.toml");
    if let Some(change) = plan.changes.iter_mut().find(|change| change.path == root) {
        change.after =
            manifest::convert_workspace(&change.after)?.unwrap_or_else(|| change.after.clone());
    } else if let Ok(before) = fs::read_to_string(&root)
        && let Some(after) = manifest::convert_workspace(&before)?
    {
        plan.changes.insert(0, Change { path: root, before, after });
    }
    for change in &mut plan.changes {
        change.after = change::with_line_ends_of(&change.before, &change.after);
    }
    Ok(plan)
}

/// Plans the changes of one crate. Returns whether it depends on libfuzzer-sys or on dwindle.
fn plan_crate(plan: &mut Plan, dir: &Path, harness: &Harness) -> Result<bool> {
    let path = dir.join("Cargo.toml");
    let path = path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?;
    let before =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    if !before.contains("libfuzzer-sys") && !before.contains("dwindle") {
        return Ok(false);
    }
    let table: toml::Table = match before.parse() {
        Ok(table) => table,
        // A broken manifest further down may be an input of the targets.
        Err(_) if dir != plan.dir => return Ok(false),
        Err(error) => {
            return Err(error).with_context(|| format!("{} is not valid", path.display()));
        }
    };
    let surroundings = Surroundings {
        inherited_features: inherited_features(dir),
        has_binaries: has_binaries(&table, dir),
    };
    let mut dependency = "libfuzzer-sys".to_owned();
    if let Some(converted) =
        manifest::convert(&before, &lazy_source(harness, &before, dir)?, &surroundings)?
    {
        dependency = converted.name;
        let name = from_here(&path);
        plan.remarks
            .extend(converted.remarks.into_iter().map(|remark| format!("{name}: {remark}")));
        if manifests::workspace_of(dir)
            .is_some_and(|(root, manifest)| !root.starts_with(&plan.dir) && aborts(&manifest))
        {
            plan.remarks.push(format!(
                "{name}: remove `panic = \"abort\"` from the profiles of its workspace, because \
                 dwindle continues after a panic"
            ));
        }
        plan.changes.push(Change { path, before, after: converted.text });
    } else if !manifest::has_dwindle(&before) {
        return Ok(false);
    }
    let mut sources = BTreeSet::new();
    find_sources(dir, &mut sources)?;
    sources.extend(outside_sources(&table, dir));
    for path in sources {
        // A file that is not UTF-8 is not a source of the crate.
        let Ok(before) = fs::read_to_string(&path) else { continue };
        match source::convert(&before, &dependency, is_edition_2015(&table, dir)) {
            Ok(None) => {}
            Ok(Some(_)) if plan.changes.iter().any(|change| change.path == path) => {}
            Ok(Some(after)) => plan.changes.push(Change { path, before, after }),
            Err(refusal) => return Err(refused(&path, refusal)),
        }
    }
    Ok(true)
}

/// Whether the release profile ends the process at a panic. Targets are built with this profile.
fn aborts(manifest: &toml::Table) -> bool {
    let panic = manifest
        .get("profile")
        .and_then(|profiles| profiles.get("release"))
        .and_then(|profile| profile.get("panic"));
    panic.and_then(toml::Value::as_str) == Some("abort")
}

/// The source of dwindle for a manifest. Empty if the conversion does not need one, so that a
/// missing clone is no error then.
fn lazy_source(harness: &Harness, manifest: &str, dir: &Path) -> Result<(&'static str, String)> {
    if manifest::has_dwindle(manifest) || !manifest::has_libfuzzer(manifest) {
        Ok(("path", String::new()))
    } else {
        harness.source(dir)
    }
}

/// The features that the workspace gives to crates which inherit `libfuzzer-sys` from it.
fn inherited_features(dir: &Path) -> Vec<String> {
    let features = manifests::workspace_of(dir)
        .and_then(|(_, root)| {
            Some(
                root.get("workspace")?
                    .get("dependencies")?
                    .get("libfuzzer-sys")?
                    .get("features")?
                    .as_array()?
                    .clone(),
            )
        })
        .unwrap_or_default();
    features
        .iter()
        .filter_map(toml::Value::as_str)
        .filter(|feature| *feature != "link_libfuzzer")
        .map(str::to_owned)
        .collect()
}

/// Target files outside the crate, for example those that several fuzz crates share.
fn outside_sources(manifest: &toml::Table, dir: &Path) -> Vec<PathBuf> {
    let targets = manifest
        .get("bin")
        .and_then(toml::Value::as_array)
        .into_iter()
        .flatten()
        .chain(manifest.get("lib"));
    let paths =
        targets.filter_map(|target| dir.join(target.get("path")?.as_str()?).canonicalize().ok());
    paths.filter(|path| !path.starts_with(dir)).collect()
}

fn refused(path: &Path, refusal: Refusal) -> anyhow::Error {
    let path = from_here(path);
    wrong_use(match refusal {
        Refusal::NotRust => format!(
            "{path} names libfuzzer_sys, but it is not valid Rust: fix it, then run the command \
             again; nothing was changed"
        ),
        Refusal::NoMacro(line) => format!(
            "{path}:{line} defines `rust_fuzzer_test_input` itself: write `fuzz_target!(|data: \
             &[u8]| {{ .. }})` in its place, then run the command again; nothing was changed"
        ),
    })
}

/// Collects the Rust files of the crate by their true paths. Crates inside it are left out.
fn find_sources(folder: &Path, sources: &mut BTreeSet<PathBuf>) -> Result<()> {
    let fail = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(fail)? {
        let path = entry.with_context(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let is_apart = name.starts_with('.')
                || NOT_SOURCES.contains(&&*name)
                || path.is_symlink()
                || path.join("Cargo.toml").exists();
            if !is_apart {
                find_sources(&path, sources)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            // A broken link is not a source.
            sources.extend(path.canonicalize());
        }
    }
    Ok(())
}

/// Asks the user on the terminal. Without a terminal, returns an error of exit code 2 that says
/// what to do.
fn is_agreed(count: usize) -> Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(wrong_use(
            "nothing was changed, because there is no terminal to ask on; to make this change, \
             run the command again with --yes",
        ));
    }
    eprint!(
        "Change {}? [y/N] ",
        if count == 1 { "this file".to_owned() } else { format!("these {count} files") }
    );
    io::stderr().flush().context("cannot ask")?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer).context("cannot read the answer")? == 0 {
        return Err(Stop::Interrupted.into());
    }
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
