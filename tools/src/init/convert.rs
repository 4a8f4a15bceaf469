//! Converting a cargo-fuzz project: what would change is shown, and changed after a yes.

use super::{Harness, manifest, source};
use crate::change::{self, Change};
use crate::exit::{Exit, Stop, wrong_use};
use crate::screen::from_here;
use anyhow::{Context, Result};
use source::Refusal;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Folders of a fuzz crate that hold no sources.
const NOT_SOURCES: &[&str] = &["target", "corpus", "artifacts", "coverage", "crashes", "afl"];

/// Converts the fuzz crate in `dir`, which is absolute and without links.
pub(super) fn convert(dir: &Path, harness: &Harness, yes: bool) -> Result<Exit> {
    let changes = plan(dir, harness)?;
    if changes.is_empty() {
        println!("nothing to do: {} uses dwindle", from_here(dir));
        return Ok(Exit::Clean);
    }
    let root = dir.parent().unwrap_or(dir);
    let diffs: String = changes.iter().map(|change| change.diff(root)).collect();
    println!("{}", change::coloured(&diffs));
    if let Some(warning) = harness.warning() {
        eprintln!("{warning}");
    }
    if !yes && !is_agreed(changes.len())? {
        println!("nothing was changed");
        return Ok(Exit::Clean);
    }
    change::apply(&changes)?;
    println!("converted {}\nnext: cargo dwindle list", from_here(dir));
    Ok(Exit::Clean)
}

/// Every file that has to change; none if the crate uses dwindle already.
fn plan(dir: &Path, harness: &Harness) -> Result<Vec<Change>> {
    let manifest_path = dir.join("Cargo.toml");
    let before = fs::read_to_string(&manifest_path).with_context(|| format!("cannot read {}", manifest_path.display()))?;
    let mut changes = Vec::new();
    if let Some(after) = manifest::convert(&before, &harness.source(dir)?)? {
        let path = manifest_path.canonicalize().with_context(|| format!("cannot read {}", manifest_path.display()))?;
        changes.push(Change { path, before, after });
    } else if !manifest::has_dwindle(&before) {
        return Err(wrong_use(format!(
            "{} depends neither on libfuzzer-sys, which could be converted, nor on dwindle; nothing was changed",
            from_here(&manifest_path)
        )));
    }
    let mut sources = BTreeSet::new();
    find_sources(dir, &mut sources)?;
    for path in sources {
        // What is no text is no source of ours.
        let Ok(before) = fs::read_to_string(&path) else { continue };
        match source::convert(&before) {
            Ok(None) => {}
            Ok(Some(after)) => changes.push(Change { path, before, after }),
            Err(refusal) => return Err(refused(&path, refusal)),
        }
    }
    Ok(changes)
}

fn refused(path: &Path, refusal: Refusal) -> anyhow::Error {
    let path = from_here(path);
    wrong_use(match refusal {
        Refusal::NotRust => format!("{path} names libfuzzer_sys and cannot be read as Rust: put it right, then run this again; nothing was changed"),
        Refusal::Macro(name, line) => {
            format!("{path}:{line} uses `{name}!`, which dwindle has no counterpart of: remove it, then run this again; nothing was changed")
        }
    })
}

/// The Rust files of the crate, by their true paths; not those of crates within.
fn find_sources(folder: &Path, sources: &mut BTreeSet<PathBuf>) -> Result<()> {
    let fail = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(fail)? {
        let path = entry.with_context(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let is_apart = name.starts_with('.') || NOT_SOURCES.contains(&&*name) || path.is_symlink() || path.join("Cargo.toml").exists();
            if !is_apart {
                find_sources(&path, sources)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            // A link to nothing is no source.
            sources.extend(path.canonicalize());
        }
    }
    Ok(())
}

/// Asks on the terminal. Without one, an error of exit code 2 that says what to do.
fn is_agreed(count: usize) -> Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(wrong_use("nothing was changed: there is no terminal to ask on; run it again with --yes to make this change"));
    }
    eprint!("Change {}? [y/N] ", if count == 1 { "this file".to_owned() } else { format!("these {count} files") });
    io::stderr().flush().context("cannot ask")?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer).context("cannot read the answer")? == 0 {
        return Err(Stop::Interrupted.into());
    }
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
