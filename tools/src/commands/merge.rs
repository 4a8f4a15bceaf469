//! `cargo dwindle merge`: merges the bugs of other stores into one store.

use crate::args::Merge;
use crate::exit::{Exit, wrong_use};
use crate::project::Project;
use crate::screen::from_here;
use crate::screen::json;
use anyhow::{Context, Result};
use dwindle_corpus::events::{Event, MergedStore};
use dwindle_corpus::{BugStore, printable, printable_line, printable_path};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

pub(crate) fn merge(options: &Merge) -> Result<Exit> {
    let into = match &options.place.store {
        // With a named store this works without a fuzz crate.
        Some(store) => std::path::absolute(store)
            .with_context(|| format!("{} is no path for a store", store.display()))?,
        None => Project::find(options.place.fuzz_dir.as_deref())?.store(None)?,
    };
    // Checks all stores before the first merge, so that a mistake in the last one does not leave
    // half a merge.
    let stores: Vec<(&Path, Vec<String>)> = options
        .stores
        .iter()
        .map(|from| Ok((from.as_path(), targets(from, &into)?)))
        .collect::<Result<_>>()?;
    for (from, targets) in stores {
        for target in targets {
            merge_target(from, &into, &target, options.place.json)?;
        }
    }
    Ok(Exit::Clean)
}

/// The targets of a store that will be merged.
fn targets(from: &Path, into: &Path) -> Result<Vec<String>> {
    if !from.is_dir() {
        let what = if from.exists() { "is no folder" } else { "is not there" };
        return Err(wrong_use(format!(
            "{} {what}; a store is a folder with one folder for each target",
            from.display()
        )));
    }
    let canonical =
        fs::canonicalize(from).with_context(|| format!("cannot enter {}", from.display()))?;
    if fs::canonicalize(into).is_ok_and(|into| into == canonical) {
        return Err(wrong_use(format!(
            "{} is the store that the others are merged into",
            from.display()
        )));
    }
    if is_of_one_target(&canonical) {
        return Err(wrong_use(format!(
            "{} is the folder of one target; a store is the folder above it",
            from.display()
        )));
    }
    let mut targets = Vec::new();
    for target in BugStore::targets(from)? {
        let store = BugStore::open_existing(from, &target)?;
        if !store.ids()?.is_empty() || !store.damaged().is_empty() {
            targets.push(target);
        }
    }
    if targets.is_empty() {
        return Err(wrong_use(format!(
            "{} holds no bugs; a store is a folder with one folder for each target",
            from.display()
        )));
    }
    Ok(targets)
}

fn is_of_one_target(folder: &Path) -> bool {
    let (Some(root), Some(target)) =
        (folder.parent(), folder.file_name().and_then(|name| name.to_str()))
    else {
        return false;
    };
    BugStore::open_existing(root, target)
        .and_then(|store| store.ids())
        .is_ok_and(|ids| !ids.is_empty())
}

fn merge_target(from: &Path, into: &Path, target: &str, is_json: bool) -> Result<()> {
    let merged =
        BugStore::open(into, target)?.merge_from(&BugStore::open_existing(from, target)?)?;
    for damage in &merged.left_out {
        let words = format!(
            "{} is damaged and left out: {}",
            printable_path(damage.path()),
            printable(damage.reason())
        );
        eprintln!("warning: {words}");
        if is_json {
            json::write_words(Event::Warning, &words)?;
        }
    }
    if is_json {
        json::write(Event::Merged(MergedStore {
            target: target.to_owned(),
            from: from.display().to_string(),
            bugs_new: merged.bugs_new,
            bugs_known: merged.bugs_known,
        }))?;
    } else {
        let (target, place, from) =
            (printable_line(target), from_here(&into.join(target)), printable_path(from));
        writeln!(
            io::stdout(),
            "{target}: {} new, {} known, from {from} into {place}",
            counted(merged.bugs_new),
            merged.bugs_known
        )?;
    }
    Ok(())
}

fn counted(bugs: u64) -> String {
    if bugs == 1 { "1 bug".to_owned() } else { format!("{bugs} bugs") }
}
