//! `cargo dwindle list`: shows the targets and how many bugs each has.

use crate::args::List;
use crate::exit::Exit;
use crate::project::Project;
use crate::screen::json;
use anyhow::Result;
use dwindle_corpus::events::{Event, TargetBugs};
use dwindle_corpus::{BugId, BugStore, printable_line, printable_path};
use std::io::{self, Write};
use std::path::Path;

pub(crate) fn list(options: &List) -> Result<Exit> {
    let project = Project::find(options.place.fuzz_dir.as_deref())?;
    let store = project.store(options.place.store.as_deref())?;
    if project.targets.is_empty() {
        eprintln!(
            "no targets in {}; `cargo dwindle add NAME` makes one",
            printable_path(&project.dir)
        );
    }
    let width = project.targets.iter().map(String::len).max().unwrap_or(0);
    for target in &project.targets {
        let counts = Counts::read(&store, target)?;
        let written = if options.place.json {
            let counts = counts.as_ref();
            json::write(Event::Target(TargetBugs {
                target: target.clone(),
                bugs: counts.map(|counts| counts.known as u64),
                pending: counts.map(|counts| counts.pending as u64),
                damaged: counts.map(|counts| counts.damaged as u64),
                likely_one_fault: counts.map_or(Vec::new(), |counts| counts.likely_one.clone()),
            }))
        } else {
            let target = printable_line(target);
            match counts.map(|counts| counts.words()).filter(|words| !words.is_empty()) {
                Some(words) => writeln!(io::stdout(), "{target:width$}  {words}"),
                None => writeln!(io::stdout(), "{target}"),
            }
        };
        // The reader has closed the pipe, so it needs no more lines.
        if written.is_err() {
            break;
        }
    }
    Ok(Exit::Clean)
}

/// What the store holds of one target.
struct Counts {
    known: usize,
    /// Groups of known bugs that are likely one fault.
    likely_one: Vec<Vec<BugId>>,
    /// The known bugs that wait to be minimized.
    pending: usize,
    damaged: usize,
}

impl Counts {
    /// Reads the counts. `None` if the store has no folder for the target.
    fn read(root: &Path, target: &str) -> Result<Option<Self>> {
        match BugStore::open_existing(root, target) {
            Ok(store) => {
                let ids = store.ids()?;
                let likely_one = store.likely_one_fault(&ids)?;
                Ok(Some(Self {
                    known: ids.len(),
                    likely_one,
                    pending: store.pending()?.len(),
                    damaged: store.damaged().len(),
                }))
            }
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The counts in words. Empty for a target without bugs.
    fn words(&self) -> String {
        let mut parts = match self.known {
            0 => Vec::new(),
            1 => vec!["1 bug".to_owned()],
            known => vec![format!("{known} bugs")],
        };
        for group in &self.likely_one {
            let ids: Vec<String> = group.iter().map(BugId::to_string).collect();
            parts.push(format!("likely one fault: {}", ids.join(" and ")));
        }
        if self.pending > 0 {
            parts.push(format!("{} pending", self.pending));
        }
        if self.damaged > 0 {
            parts.push(format!("{} damaged", self.damaged));
        }
        parts.join(", ")
    }
}
