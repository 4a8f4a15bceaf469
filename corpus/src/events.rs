//! The events of dwindle: one JSON object on each line.
//!
//! A target binary sends them over a socket to the program that started it, and `cargo dwindle
//! --json` writes them to stdout. Both use this schema. `docs/events.md` has an example of each
//! event.
//!
//! Each line has the name of the event in `event`. If people see the event, `text` has the words
//! for them. A reader must ignore events and fields that it does not know: [`VERSION`] changes only
//! when a field is removed or gets another meaning.

mod coverage;
mod end;
mod explored;
mod files;
mod progress;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{BugId, BugKind, Report, printable_json};

pub use coverage::{CoverageFigures, FileCoverage, Reached};
pub use end::{BugRow, EndOfCheck, EndOfRun, EndOfTriage, Totals};
pub use explored::{
    Answered, ExploredInput, ExploredPart, ExploredParts, InputEnding, PartPlace, Request, Wanted,
};
pub use files::{
    BugState, CheckedBug, CopiedInputs, CorpusFigures, FailedInput, FileOutcome, FileRun,
    MergedStore, PageFigures, SmallerCorpus, TriagedFile,
};
pub use progress::{Heartbeat, NewCoverage, Progress, Rates, Rejected};

/// The version of the schema. A stream begins with [`Event::Schema`], which states it.
pub const VERSION: u32 = 1;

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// The first line of a stream.
    Schema {
        /// See [`VERSION`].
        version: u32,
    },
    /// A target is built and about to run.
    Built(BuiltTarget),
    /// A run or a triage begins.
    Start(RunStart),
    /// The session of an AFL++ campaign watches the folder of the campaign from now on.
    Watching {
        /// The folder that AFL++ writes to.
        folder: String,
    },
    /// A run goes on. Comes about every five seconds.
    Heartbeat(Heartbeat),
    /// Work with a known end goes on.
    Progress(Progress),
    /// A bug was found that the store did not have.
    Bug(BugSeen),
    /// The run reached a known bug through another call path.
    Variant {
        /// The bug.
        bug_id: BugId,
        /// The key of the call path.
        variant: String,
    },
    /// A bug or a variant was minimized.
    Minimized(Box<MinimizedBug>),
    /// The failures around the minimized input of a bug are explained: see
    /// [`Report::explanation`].
    Explained(Box<MinimizedBug>),
    /// A triage has run one file.
    File(TriagedFile),
    /// A value that the target drew.
    Draw {
        /// The name of the value, if the target gave one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Its `Debug` text.
        value: String,
    },
    /// A remark. `text` says it.
    Note,
    /// How the run of one file ended.
    Outcome(FileRun),
    /// A bug of the store was run again.
    Checked(CheckedBug),
    /// How fast one input runs.
    Rate(Rates),
    /// Something is wrong, and the work goes on. `text` says what.
    Warning,
    /// Something failed. `text` says what, and what to do.
    Error,
    /// The figures of a whole run, check or triage.
    End(Box<Totals>),
    /// A target of the fuzz crate, and what the store holds of it.
    Target(TargetBugs),
    /// A store was merged into another.
    Merged(MergedStore),
    /// Inputs were copied into the corpus.
    Imported(CopiedInputs),
    /// Inputs of the corpus were copied to another folder.
    Exported(CopiedInputs),
    /// The figures of a corpus.
    Corpus(CorpusFigures),
    /// A corpus was minimized.
    SmallerCorpus(SmallerCorpus),
    /// Which code inputs reach.
    Coverage(Box<CoverageFigures>),
    /// The parts of a minimized input, for `explore`.
    Parts(Box<ExploredParts>),
    /// An input near a minimized one, for `explore`.
    Example(ExploredInput),
    /// A request of `explore` is answered.
    Answered(Answered),
    /// A page about bugs and runs is written.
    Page(PageFigures),
    /// The last line of a stream.
    Exit {
        /// The exit code of the command.
        code: u8,
    },
}

/// See [`Event::Built`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuiltTarget {
    /// The name of the target.
    pub target: String,
    /// The folder of the target in the store.
    pub store: String,
    /// The fuzzer. `None` if the command does not fuzz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The folders of the corpus.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corpus: Vec<String>,
    /// The path of the binary. Only of `cargo dwindle build`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<String>,
}

/// See [`Event::Start`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStart {
    /// The name of the target.
    pub target: String,
    /// Bugs that the store has already.
    pub known: u64,
    /// The fuzzer. `None` for a triage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The folder of the target in the store. `None` for a triage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Contents of files that the store knows already. `None` for a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_contents: Option<u64>,
    /// Mechanisms that can be switched off, and are on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub switches_on: Vec<String>,
    /// Mechanisms that are switched off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub switches_off: Vec<String>,
}

/// A bug as it is known when it is found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BugSeen {
    /// The bug.
    pub bug_id: BugId,
    /// How the target failed.
    pub kind: BugKind,
    /// The text of the failure.
    pub message: String,
    /// The place of the failure.
    pub location: Option<String>,
    /// Whether the store has this bug. Only in [`CheckedBug::now`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<bool>,
}

impl From<&Report> for BugSeen {
    fn from(report: &Report) -> BugSeen {
        BugSeen {
            bug_id: report.bug_id,
            kind: report.kind,
            message: report.message.clone(),
            location: report.location.clone(),
            known: None,
        }
    }
}

/// See [`Event::Minimized`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinimizedBug {
    /// The same as `report.json`.
    pub report: Report,
    /// The key of the variant. `None` for the bug itself.
    #[serde(default)]
    pub variant: Option<String>,
    /// The folder of the bug.
    pub directory: String,
    /// The command that shows the failure again.
    pub reproduce: String,
    /// The file that the user named, if the command minimized a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl MinimizedBug {
    /// A bug that no file of the user led to.
    pub fn new(report: Report, directory: &Path, reproduce: String) -> MinimizedBug {
        let directory = directory.to_string_lossy().into_owned();
        MinimizedBug { report, variant: None, directory, reproduce, file: None }
    }
}

/// See [`Event::Target`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetBugs {
    /// The name of the target.
    pub target: String,
    /// Its bugs. `None`, as the next two, if the store has no folder for the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bugs: Option<u64>,
    /// The bugs that wait to be minimized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<u64>,
    /// The bugs that cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damaged: Option<u64>,
    /// Groups of bugs that are likely one fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub likely_one_fault: Vec<Vec<BugId>>,
}

/// One line of a stream.
///
/// It keeps events and fields that this version does not know, because the target binary may have
/// been built with a newer one.
#[derive(Clone, Debug, PartialEq)]
pub struct EventLine {
    fields: Map<String, Value>,
    event: Option<Event>,
}

impl EventLine {
    /// The line of an event. `text` is for people, and may be empty.
    ///
    /// # Panics
    /// Never: every event is a JSON object.
    pub fn new(event: Event, text: &str) -> EventLine {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(&event) else {
            unreachable!("every event is a JSON object");
        };
        if !text.is_empty() {
            fields.insert("text".to_owned(), text.into());
        }
        EventLine { fields, event: Some(event) }
    }

    /// Reads a line. `None` unless it is a JSON object with a name in `event`. A killed process
    /// may leave half a line, which gives `None` too.
    // Compiled where it is called. Only the command line reads events, and the code that reads all
    // of them would be a third of this crate's in every target.
    #[inline]
    pub fn read(line: &[u8]) -> Option<EventLine> {
        let Ok(Value::Object(fields)) = serde_json::from_slice(line) else { return None };
        fields.get("event")?.as_str()?;
        let event = serde_json::from_value(Value::Object(fields.clone())).ok();
        Some(EventLine { fields, event })
    }

    /// The event. `None` if this version does not know it.
    pub fn event(&self) -> Option<&Event> {
        self.event.as_ref()
    }

    /// The words for people. Empty if there are none.
    pub fn text(&self) -> &str {
        self.fields.get("text").and_then(Value::as_str).unwrap_or_default()
    }

    /// Adds a field to the line, for figures that only the reader of the event has.
    pub fn add(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.insert(field.to_owned(), value.into());
    }
}

impl std::fmt::Display for EventLine {
    /// One line of JSON, without the line end. All characters are safe to print on a terminal.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = serde_json::to_string(&self.fields).map_err(|_| std::fmt::Error)?;
        formatter.write_str(&printable_json(line))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The examples in the document.
    fn examples() -> Vec<&'static str> {
        let document = include_str!("../../docs/events.md");
        document.lines().filter(|line| line.starts_with("{\"event\"")).collect()
    }

    #[test]
    fn each_example_is_read_and_has_every_field() {
        for example in examples() {
            let line = EventLine::read(example.as_bytes()).expect(example);
            let event = line.event().unwrap_or_else(|| panic!("not an event: {example}"));
            let written = EventLine::new(event.clone(), line.text());
            assert_eq!(written.fields, line.fields, "{example}");
        }
    }

    #[test]
    fn each_request_is_read_and_written_as_in_the_document() {
        let document = include_str!("../../docs/events.md");
        let requests = document.lines().filter(|line| line.starts_with("{\"number\""));
        let requests: Vec<&str> = requests.collect();
        assert_eq!(requests.len(), 4);
        for line in requests {
            let request: Request = serde_json::from_str(line).expect(line);
            assert_eq!(serde_json::to_string(&request).expect(line), line);
        }
    }

    #[test]
    fn each_event_has_an_example() {
        let error = serde_json::from_str::<Event>("{\"event\":\"?\"}").unwrap_err().to_string();
        let (_, known) = error.split_once("expected one of").expect("serde lists the names");
        let known: BTreeSet<&str> = known.split('`').skip(1).step_by(2).collect();
        let lines = examples().into_iter().filter_map(|line| EventLine::read(line.as_bytes()));
        let shown: Vec<String> =
            lines.map(|line| line.fields["event"].as_str().unwrap_or_default().into()).collect();
        assert!(known.len() > 20, "{known:?}");
        assert_eq!(shown.iter().map(String::as_str).collect::<BTreeSet<_>>(), known);
    }

    #[test]
    fn unknown_events_and_fields_stay() {
        for text in [
            r#"{"event":"new","later":{"a":[1,null]}}"#,
            r#"{"event":"exit","code":1,"later":{"a":[1,null]}}"#,
        ] {
            let line = EventLine::read(text.as_bytes()).expect(text);
            assert_eq!(line.event(), text.contains("exit").then_some(&Event::Exit { code: 1 }));
            let again = EventLine::read(line.to_string().as_bytes());
            assert_eq!(again, Some(line));
        }
    }

    #[test]
    fn an_incomplete_line_is_not_an_event() {
        let whole = examples()[0];
        for end in 0..whole.len() {
            assert_eq!(EventLine::read(&whole.as_bytes()[..end]), None);
        }
        for line in ["7", "[]", "{}", "{\"event\":7}", "noise", "\u{1b}"] {
            assert_eq!(EventLine::read(line.as_bytes()), None, "{line}");
        }
    }
}
