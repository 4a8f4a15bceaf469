//! The bugs that a command has seen, from the events of the target binaries.

use crate::args::Build;
use crate::sources::{self, repository};
use clap::ValueEnum;
use dwindle_corpus::events::{BugState, CheckedBug, Event, Totals};
use dwindle_corpus::{BugId, BugKind, printable, printable_line};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A longer message is cut.
const MESSAGE_MAX_CHARS: usize = 2000;

/// All bugs of a command, by target and id.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The targets that were run.
    pub(super) targets: BTreeSet<String>,
    pub(super) bugs: BTreeMap<(String, BugId), Finding>,
}

/// One bug.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) state: State,
    /// How the target failed, as in `report.json`.
    pub(super) kind: String,
    /// The text of the failure, without control characters but line ends.
    pub(super) message: String,
    /// The place of the failure, as in `report.json`.
    pub(super) location: Option<String>,
    pub(super) place: Option<Place>,
    /// The file that shows the bug, from the repository's folder.
    pub(super) input: String,
    /// The command that runs this file again.
    pub(super) command: String,
}

/// What is known of a bug now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It fails.
    Failing(&'static str),
    /// It does not fail any more.
    Fixed,
    /// It does not fail, but this is no proof of a fix.
    Unclear(&'static str),
}

/// A place in a file of the repository.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// From the repository's folder.
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Where the bugs of one target come from.
#[derive(Debug)]
pub(crate) struct Context {
    target: String,
    /// The folder of the fuzz crate.
    dir: PathBuf,
    /// The options to build the target in the same way.
    options: String,
    /// The folder of the target in the store, once it is known.
    store: PathBuf,
}

impl Context {
    pub(crate) fn new(target: &str, dir: &Path, build: &Build) -> Self {
        let mut options = String::new();
        let mut add = |option: &str, value: &str| {
            options.extend([" ", option, " ", &quoted(value)]);
        };
        if let (Some(_), Some(value)) =
            (build.sanitizer.name(), build.sanitizer.to_possible_value())
        {
            add("--sanitizer", value.get_name());
        }
        if let Some(dir) = &build.fuzz_dir {
            add("--fuzz-dir", &dir.to_string_lossy());
        }
        if let Some(toolchain) = &build.toolchain {
            add("--toolchain", toolchain);
        }
        for features in &build.features {
            add("--features", features);
        }
        if build.no_default_features {
            options.push_str(" --no-default-features");
        }
        if build.dev {
            options.push_str(" --dev");
        }
        Self {
            target: target.to_owned(),
            dir: dir.to_owned(),
            options,
            store: dir.join("crashes").join(target),
        }
    }

    /// The options to build the target in the same way, each with a space before it.
    pub(crate) fn options(&self) -> &str {
        &self.options
    }

    /// The command that shows a file, from the current folder.
    pub(crate) fn show(&self, input: &Path) -> String {
        let here = std::env::current_dir().unwrap_or_default();
        let from_here = input.strip_prefix(&here).unwrap_or(input).to_string_lossy();
        let (target, file) = (quoted(&self.target), quoted(&from_here));
        format!("cargo dwindle show {target} {file}{}", self.options)
    }

    fn finding(
        &self,
        kind: BugKind,
        message: &str,
        location: Option<&str>,
        input: &Path,
        state: State,
    ) -> Finding {
        let root = repository(&self.dir);
        let shown = |path: &Path| {
            let path = path.strip_prefix(root).unwrap_or(path);
            printable_line(&path.to_string_lossy()).into_owned()
        };
        let kind = serde_json::to_value(kind).ok();
        let message = printable(message);
        Finding {
            state,
            kind: kind.and_then(|kind| Some(kind.as_str()?.to_owned())).unwrap_or_default(),
            message: match message.char_indices().nth(MESSAGE_MAX_CHARS) {
                Some((end, _)) => format!("{}..", &message[..end]),
                None => message.into_owned(),
            },
            location: location.map(|location| printable_line(location).into_owned()),
            place: location.and_then(|location| self.place(location, root)),
            input: shown(input),
            command: self.show(input),
        }
    }

    /// Finds the file of a location such as `src/lib.rs:17:9`. Files of crates from a registry have
    /// no place in the repository.
    fn place(&self, location: &str, root: &Path) -> Option<Place> {
        let mut parts = location.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let file = Path::new(parts.next()?);
        let found = sources::find(&self.dir, file)?;
        let file = found.strip_prefix(root).ok()?.to_string_lossy().into_owned();
        Some(Place { file, line, column })
    }
}

impl Findings {
    /// Takes what an event says of bugs.
    pub(crate) fn take(&mut self, event: Option<&Event>, context: &mut Context) {
        self.targets.insert(context.target.clone());
        match event {
            Some(Event::Start(start)) => {
                if let Some(store) = &start.store {
                    context.store = store.into();
                }
            }
            Some(Event::Built(built)) => context.store = built.store.clone().into(),
            Some(Event::Checked(checked)) => {
                let CheckedBug { kind, message, location, file, .. } = checked;
                let state = state(checked.verdict);
                let file = Path::new(file);
                let finding = context.finding(*kind, message, location.as_deref(), file, state);
                self.add(context, checked.bug_id, finding);
            }
            Some(Event::Bug(bug)) => {
                self.found(context, bug.bug_id, bug.kind, &bug.message, bug.location.as_deref());
            }
            Some(Event::End(totals)) => {
                let Totals::Run(end) = &**totals else { return };
                for row in &end.bugs {
                    let report = &row.report;
                    let location = report.location.as_deref();
                    self.found(context, report.bug_id, report.kind, &report.message, location);
                }
            }
            _ => {}
        }
    }

    fn found(
        &mut self,
        context: &Context,
        id: BugId,
        kind: BugKind,
        message: &str,
        location: Option<&str>,
    ) {
        let input = context.store.join(id.to_string()).join("input");
        let state = State::Failing("found");
        let finding = context.finding(kind, message, location, &input, state);
        self.add(context, id, finding);
    }

    /// Adds a bug. A bug that has failed once stays one that fails.
    fn add(&mut self, context: &Context, id: BugId, finding: Finding) {
        let key = (context.target.clone(), id);
        let known = self.bugs.get(&key).map(|known| known.state);
        if !matches!(known, Some(State::Failing(_))) || matches!(finding.state, State::Failing(_)) {
            self.bugs.insert(key, finding);
        }
    }

    /// Moves all of `other` here.
    pub(crate) fn append(&mut self, other: &mut Findings) {
        self.targets.append(&mut other.targets);
        for (key, finding) in std::mem::take(&mut other.bugs) {
            let known = self.bugs.get(&key).map(|known| known.state);
            if !matches!(known, Some(State::Failing(_)))
                || matches!(finding.state, State::Failing(_))
            {
                self.bugs.insert(key, finding);
            }
        }
    }

    /// The bugs that fail.
    pub(super) fn failing(&self) -> impl Iterator<Item = (&str, BugId, &Finding)> {
        let bugs = self.bugs.iter().map(|((target, id), finding)| (target.as_str(), *id, finding));
        bugs.filter(|(_, _, finding)| matches!(finding.state, State::Failing(_)))
    }
}

impl Finding {
    /// One line: what failed, and where.
    pub(super) fn title(&self, id: BugId) -> String {
        match &self.location {
            Some(location) => format!("bug {id}: {} at {location}", self.kind),
            None => format!("bug {id}: {}", self.kind),
        }
    }

    /// The message, and how to run the bug again.
    pub(super) fn text(&self) -> String {
        let Finding { message, input, command, .. } = self;
        let message = message.trim_end();
        format!("{message}\ninput: {input}\nrun it again: {command}")
    }
}

fn state(verdict: BugState) -> State {
    match verdict {
        BugState::Failing => State::Failing("still failing"),
        BugState::Flaky => State::Failing("flaky"),
        BugState::Changed => State::Failing("changed into another bug"),
        BugState::Fixed => State::Fixed,
        BugState::Stale => State::Unclear("stale: the target reads other values from the input"),
        BugState::Unseen => State::Unclear("not seen"),
        _ => State::Unclear("unknown"),
    }
}

/// A word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let word = printable_line(word);
    let is_plain = !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./+,:@%".contains(c));
    if is_plain { word.into_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clap::Parser;
    use std::fs;

    /// Findings of a check: a bug that fails, one that is fixed, and one that is stale. The first
    /// has a message that each format must escape.
    pub(in crate::reports) fn examples() -> Findings {
        let repository = tempfile::tempdir().unwrap();
        let fuzz = repository.path().join("my crate/fuzz");
        for folder in
            [repository.path().join(".git"), fuzz.clone(), repository.path().join("my crate/src")]
        {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(repository.path().join("my crate/src/lib.rs"), "").unwrap();
        let line = ["cargo-dwindle", "check", "--dev", "-s", "address"];
        let crate::args::Command::Check(check) = crate::args::CommandLine::parse_from(line).command
        else {
            panic!("not check")
        };
        let mut context = Context::new("parse", &fuzz, &check.build);
        let mut findings = Findings::default();
        for (verdict, location, message) in [
            (
                BugState::Failing,
                Some("src/lib.rs:17:9"),
                "a <b> & \"c\"\n::error::%0A\u{1b}[31m]]>, d: e",
            ),
            (BugState::Fixed, Some("dep-1.0.0/src/lib.rs:1:2"), "gone"),
            (BugState::Stale, None, "old"),
        ] {
            let input = fuzz.join("crashes/parse/it's/input");
            let event = Event::Checked(CheckedBug {
                target: "parse".to_owned(),
                bug_id: BugId::of(message),
                verdict,
                kind: BugKind::Panic,
                location: location.map(str::to_owned),
                message: message.to_owned(),
                directory: String::new(),
                file: input.display().to_string(),
                runs: 3,
                failures: 3,
                now: None,
                reason: None,
            });
            findings.take(Some(&event), &mut context);
        }
        findings
    }

    #[test]
    fn a_bug_has_its_place_in_the_repository_and_its_command() {
        let findings = examples();
        let failing: Vec<_> = findings.failing().collect();
        let [(target, _, finding)] = &failing[..] else { panic!("{failing:?}") };
        assert_eq!(*target, "parse");
        let place = Place { file: "my crate/src/lib.rs".to_owned(), line: 17, column: 9 };
        assert_eq!(finding.place, Some(place));
        assert_eq!(finding.input, "my crate/fuzz/crashes/parse/it's/input");
        assert!(
            finding.command.ends_with(r"it'\''s/input' --sanitizer address --dev"),
            "{finding:?}"
        );
        assert!(!finding.message.contains('\u{1b}'), "{finding:?}");
        assert!(findings.bugs.values().filter(|bug| bug.place.is_some()).count() == 1);
    }

    #[test]
    fn a_bug_that_has_failed_stays_one_that_fails() {
        let mut all = examples();
        let mut later = examples();
        for finding in later.bugs.values_mut() {
            finding.state = State::Fixed;
        }
        all.append(&mut later);
        assert_eq!(all.failing().count(), 1);
        assert_eq!(all.bugs.len(), 3);
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let fuzz = Path::new("/nowhere/fuzz");
        let context = Context {
            target: "t".to_owned(),
            dir: fuzz.to_owned(),
            options: String::new(),
            store: fuzz.to_owned(),
        };
        let message = "é".repeat(2 * MESSAGE_MAX_CHARS);
        let finding = context.finding(BugKind::Exit, &message, None, fuzz, State::Fixed);
        assert_eq!(finding.message.chars().count(), MESSAGE_MAX_CHARS + 2);
        assert_eq!(finding.kind, "exit");
    }
}
