//! The bugs of a target and the causes of each, as the store has them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use dwindle_corpus::{BugId, BugStore, Report, Status, is_cause_key, printable_path};

use crate::exit::wrong_use;

/// A bug of the store.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) id: BugId,
    /// Its report, or what is wrong with it.
    pub(crate) report: Result<Report, String>,
}

/// One cause of a bug.
#[derive(Debug)]
pub(crate) struct Cause {
    /// The key of the variant. `None` for the bug's own input.
    pub(crate) key: Option<String>,
    pub(crate) report: Report,
    /// The regression test. The file need not exist.
    pub(crate) repro: PathBuf,
}

/// All bugs of a target.
///
/// An error of exit code 2 if the target has no bug, of exit code 3 if the store cannot be read.
pub(crate) fn all(root: &Path, target: &str) -> Result<(BugStore, Vec<Listed>)> {
    let none = || {
        wrong_use(format!(
            "the store {} has no bugs of `{target}`; `cargo dwindle run {target}` looks for some",
            printable_path(root)
        ))
    };
    let store = match BugStore::open_existing(root, target) {
        Ok(store) => store,
        Err(error) if error.is_missing() => return Err(none()),
        Err(error) => return Err(error.into()),
    };
    let whole = store.reports()?.into_iter();
    let mut listed: Vec<Listed> =
        whole.map(|report| Listed { id: report.bug_id, report: Ok(report) }).collect();
    for damage in store.damaged() {
        let inside = damage.path().strip_prefix(store.dir()).ok();
        let id = inside.and_then(|path| path.iter().next()?.to_str()?.parse::<BugId>().ok());
        if let Some(id) = id
            && listed.iter().all(|known| known.id != id)
        {
            listed.push(Listed { id, report: Err(damage.to_string()) });
        }
    }
    if listed.is_empty() { Err(none()) } else { Ok((store, listed)) }
}

/// The bug that the user named.
///
/// An error of exit code 2 if there is no such bug, of exit code 3 if it is damaged.
pub(crate) fn named(listed: &[Listed], name: &str) -> Result<BugId> {
    let found = name.parse().ok().and_then(|id| listed.iter().find(|bug| bug.id == id));
    match found {
        Some(Listed { id, report: Ok(_) }) => Ok(*id),
        Some(Listed { report: Err(damage), .. }) => Err(anyhow!("bug {name} is damaged: {damage}")),
        None => {
            let mut words = format!("no bug {name:?}\n\nThe bugs of this target:");
            for bug in listed {
                let of = match &bug.report {
                    Ok(report) => in_words(report),
                    Err(_) => "damaged".to_owned(),
                };
                let _ = write!(words, "\n  {}  {of}", bug.id);
            }
            Err(wrong_use(words))
        }
    }
}

/// The kind and the place of a bug.
pub(crate) fn in_words(report: &Report) -> String {
    let location = report.location.as_deref().unwrap_or("an unknown place");
    format!("{} at {location}", report.kind)
}

/// The causes of a bug: its own input, and the variants by cause that are minimized. Leaves out
/// those that are damaged.
pub(crate) fn causes(store: &BugStore, id: BugId) -> Result<Vec<Cause>> {
    let own = store.bug(id);
    let mut causes = vec![Cause { key: None, report: own.read_report()?, repro: own.repro() }];
    for key in store.variants(id)?.into_iter().filter(|key| is_cause_key(key)) {
        let bug = store.variant(id, &key);
        if let Ok(report) = bug.read_report()
            && report.status != Status::Pending
        {
            causes.push(Cause { key: Some(key), report, repro: bug.repro() });
        }
    }
    Ok(causes)
}
