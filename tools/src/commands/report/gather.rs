//! What the store and the sources hold of a target, for a page.
//!
//! Another process, also on another machine, may write to the store meanwhile. So a file may be
//! gone after its name was read: what cannot be read is left out, or listed as damaged.

use crate::args::Build;
use crate::history;
use crate::page::{BugPart, TargetPart};
use crate::project::Project;
use crate::reports::{Origin, quoted};
use crate::screen::from_here;
use crate::sources::{Excerpt, NoLines, SourceLine, excerpt, excerpt_as_built};
use anyhow::Result;
use dwindle_corpus::{Bug, BugId, BugStore, Report, printable_path};
use std::path::{Path, PathBuf};

/// Lines of source before and behind a place.
const LINES_AROUND: usize = 4;

pub(super) struct Gather<'a> {
    project: &'a Project,
    root: &'a Path,
    build: &'a Build,
}

impl<'a> Gather<'a> {
    pub(super) fn new(project: &'a Project, root: &'a Path, build: &'a Build) -> Self {
        Self { project, root, build }
    }

    /// Everything about a target. Without a folder in the store it has no bugs.
    pub(super) fn target(&self, target: &str) -> Result<TargetPart> {
        let mut part = TargetPart {
            name: target.to_owned(),
            is_gone: !self.project.targets.iter().any(|known| known == target),
            runs: history::read(self.root, target)?,
            ..TargetPart::default()
        };
        let store = match BugStore::open_existing(self.root, target) {
            Ok(store) => store,
            Err(error) if error.is_missing() => return Ok(part),
            Err(error) => return Err(error.into()),
        };
        part.bugs = store.ids()?.into_iter().filter_map(|id| self.bug(&store, id)).collect();
        part.damaged = store
            .damaged()
            .iter()
            .map(|damage| (printable_path(damage.path()), damage.reason().to_owned()))
            .collect();
        Ok(part)
    }

    /// A bug with its variants, without further forms of a cause. `None` if it cannot be read any
    /// more.
    fn bug(&self, store: &BugStore, id: BugId) -> Option<BugPart> {
        let hits = store.hits(id).ok();
        let mut part = self.part(store, &store.bug(id), None, hits)?;
        let keys = store.variants(id).unwrap_or_default();
        let variants = keys.into_iter().filter_map(|key| {
            let variant = store.variant(id, &key);
            self.part(store, &variant, Some(key), None)
        });
        part.variants = variants.filter(|variant| !variant.report.is_further_form()).collect();
        Some(part)
    }

    fn part(
        &self,
        store: &BugStore,
        bug: &Bug,
        variant: Option<String>,
        hits: Option<u64>,
    ) -> Option<BugPart> {
        let report = bug.read_report().ok()?;
        let place = report.location.as_deref().and_then(SourceLine::read);
        Some(BugPart {
            hits: hits.unwrap_or(report.hits),
            directory: bug.dir().to_owned(),
            commands: self.commands(store.target(), bug, &report, variant.is_some()),
            source: place.map(|place| self.lines(&place, LINES_AROUND, bug)),
            lines: self.suspicious(&report),
            steps: bug.read_steps(),
            variants: Vec::new(),
            variant,
            report,
        })
    }

    fn lines(&self, place: &SourceLine, around: usize, bug: &Bug) -> Result<Excerpt, NoLines> {
        excerpt(&self.project.dir, place, around, &bug.report())
    }

    /// The source around the suspicious lines of a report.
    fn suspicious(&self, report: &Report) -> Vec<Result<Excerpt, NoLines>> {
        let lines = report.explanation.iter().flat_map(|known| &known.lines);
        let excerpts = lines.map(|line| {
            let at = SourceLine { file: PathBuf::from(&line.file), line: line.line as usize };
            excerpt_as_built(&self.project.dir, &at, line.source.as_deref())
        });
        excerpts.collect()
    }

    fn commands(
        &self,
        target: &str,
        bug: &Bug,
        report: &Report,
        is_variant: bool,
    ) -> Vec<(&'static str, String)> {
        let origin = Origin::new(target, &self.project.dir, self.build);
        let options = origin.options();
        let name = quoted(target);
        let mut commands = vec![("show it", origin.show(&bug.input()))];
        if !is_variant {
            let id = report.bug_id;
            commands.push((
                "look for other causes",
                format!("cargo dwindle next {name} {id}{options}"),
            ));
        }
        if bug.repro().is_file() {
            commands.push(("as a test", format!("cat {}", quoted(&from_here(&bug.repro())))));
        }
        commands
    }
}
