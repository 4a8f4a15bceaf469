//! The report of a bug: `report.json` for programs, `report.txt` for people.

mod lines;
mod explanation;
mod text;
mod json;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(feature = "fuzzing")]
use serde::{Deserialize, Serialize};

use crate::excerpt::{JSON_MAX_BYTES, excerpt, excerpts};
use crate::{BugId, Json};

pub use explanation::Explanation;
pub(crate) use json::NotAReport;
pub use lines::{LINES_MAX, Reached, SOURCE_AROUND, SuspiciousLine, ochiai, source_digest};
#[cfg(feature = "fuzzing")]
pub(crate) use text::opening_of;

/// The version of `report.json` that this crate writes, and the newest that it reads.
pub const REPORT_FORMAT: u32 = 1;

/// How a target failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "fuzzing", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum BugKind {
    /// A Rust panic.
    Panic,
    /// The process was aborted without a panic.
    Abort,
    /// A memory fault without a sanitizer's report.
    Segv,
    /// A report of `AddressSanitizer`.
    Asan,
    /// The stack overflowed.
    StackOverflow,
    /// One run took longer than allowed.
    Timeout,
    /// One run took more memory than allowed.
    Oom,
    /// The target did not free its memory.
    Leak,
    /// The target ended its own process.
    Exit,
}

/// How far dwindle has minimized a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "fuzzing", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Status {
    /// Claimed and not minimized yet. The next run minimizes it.
    Pending,
    /// No pass of the shrinker makes the input smaller.
    Minimized,
    /// The shrinker stopped early: it used up its budget, or the process ended.
    BestEffort,
    /// The failure did not happen again reliably.
    Flaky,
}

/// How often the same input fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "fuzzing", derive(Serialize, Deserialize))]
pub struct Rate {
    /// The number of runs that failed.
    pub failed: u32,
    /// The number of all runs.
    pub of: u32,
}

/// Everything in `report.json`.
///
/// `extra` keeps the fields that this version does not know, and they are written back.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The version of this record: [`REPORT_FORMAT`].
    pub format: u32,
    /// The name of the fuzz target.
    pub target: String,
    /// The id of the bug, which is also the name of its folder.
    pub bug_id: BugId,
    /// Other ids of the same bug, made by other rules than `bug_id`.
    pub aliases: Vec<BugId>,
    /// How the target failed.
    pub kind: BugKind,
    /// The text of the failure: the panic message or the sanitizer's line. It is not part of the
    /// id.
    pub message: String,
    /// The place of the failure, as `crate-version/path:line:column`. `None` if the failure has no
    /// place.
    pub location: Option<String>,
    /// The user frames, innermost first.
    pub frames: Vec<String>,
    /// `Debug` of each top-level draw, in the order of the draws.
    pub value: Vec<String>,
    /// The draws as lines of Rust code, with the notes as comments. Empty if the target does not
    /// name its draws.
    pub listing: Vec<String>,
    /// How far dwindle has minimized this bug.
    pub status: Status,
    /// Size of the first hit in bytes.
    pub original_bytes: u64,
    /// Size of the minimized `input` in bytes.
    pub minimized_bytes: Option<u64>,
    /// Number of choices in the first hit, if it is known.
    pub original_choices: Option<u64>,
    /// Number of choices in the minimized `input`.
    pub minimized_choices: Option<u64>,
    /// The number of smaller inputs in a stated set, if all of them were tried one by one and none
    /// fails.
    pub no_smaller_among: Option<u64>,
    /// How often a flaky failure happened, and in how many runs.
    pub rate: Option<Rate>,
    /// Whether the bug shows only in a process in which nothing ran before. Such a target keeps
    /// state from one run to the next.
    pub only_when_fresh: bool,
    /// Runs of the target that the minimizer used.
    pub calls: u64,
    /// Seconds that the minimizer used.
    pub seconds: f64,
    /// The hits known when the report was written.
    /// [`BugStore::hits`](crate::BugStore::hits) gives the exact number.
    pub hits: u64,
    /// When the bug was first seen, in seconds since 1970 (UTC).
    pub first_seen: u64,
    /// The engine that found the bug: `libfuzzer`, `afl`, `random`.
    pub engine: String,
    /// The version of the byte format of `input`.
    pub byte_format: u32,
    /// The version of the rules that made the bug id.
    pub signature_version: u32,
    /// What is known of the failures around the minimized input. `None` if nothing was tried.
    pub explanation: Option<Box<Explanation>>,
    /// Fields of newer versions.
    pub extra: BTreeMap<String, Json>,
}

impl Report {
    /// A report of a bug that was seen just now. All else is still unknown: texts are empty,
    /// numbers zero, versions 1.
    pub fn pending(target: &str, bug_id: BugId, kind: BugKind) -> Report {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Report {
            format: REPORT_FORMAT,
            target: target.to_owned(),
            bug_id,
            aliases: Vec::new(),
            kind,
            message: String::new(),
            location: None,
            frames: Vec::new(),
            value: Vec::new(),
            listing: Vec::new(),
            status: Status::Pending,
            original_bytes: 0,
            minimized_bytes: None,
            original_choices: None,
            minimized_choices: None,
            no_smaller_among: None,
            rate: None,
            only_when_fresh: false,
            calls: 0,
            seconds: 0.0,
            hits: 0,
            first_seen: now.as_secs(),
            engine: String::new(),
            byte_format: 1,
            signature_version: 1,
            explanation: None,
            extra: BTreeMap::new(),
        }
    }

    /// How reliably the input fails, in words. `None` if every known run failed.
    pub fn reliability(&self) -> Option<String> {
        match self.rate {
            Some(Rate { failed, of }) if failed == of => Some(format!(
                "flaky: the input fails in {failed} of {of} runs of the minimizer, but new \
                 processes do not always fail as this bug"
            )),
            Some(Rate { failed, of }) => {
                Some(format!("flaky: the input fails in {failed} of {of} runs"))
            }
            None if self.only_when_fresh => Some(
                "fails only as the first run of a process: the target keeps state between runs"
                    .to_owned(),
            ),
            None => None,
        }
    }

    /// The drawn values for people. They have names if the target gives names.
    pub fn drawn(&self) -> &[String] {
        if self.listing.is_empty() { &self.value } else { &self.listing }
    }

    /// What is known about smaller inputs, in words. `None` unless the search was completed.
    pub fn exhaustion(&self) -> Option<String> {
        self.no_smaller_among.filter(|_| self.status == Status::Minimized).and_then(exhaustion)
    }

    /// What is known of the failures around the input, in at most three lines.
    pub fn explained(&self) -> Vec<String> {
        self.explanation.as_ref().map_or_else(Vec::new, |known| known.lines(self.drawn()))
    }

    /// Whether this is another form of a known cause, which has a report.
    pub fn is_further_form(&self) -> bool {
        self.explanation.as_ref().is_some_and(|known| known.same_as.is_some())
    }

    /// The report without its aliases. Merging unites the aliases of two reports, so a comparison
    /// leaves them out.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn without_aliases(&self) -> Report {
        Report { aliases: Vec::new(), ..self.clone() }
    }

    /// The report as it is in `report.json`: long values and messages are cut.
    #[must_use]
    pub fn for_json(&self) -> Report {
        let cut = |texts: &[String]| {
            excerpts(texts, JSON_MAX_BYTES, JSON_ALL_MAX_BYTES)
                .into_iter()
                .map(Cow::into_owned)
                .collect()
        };
        Report {
            message: excerpt(&self.message, JSON_MAX_BYTES).into_owned(),
            value: cut(&self.value),
            listing: cut(&self.listing),
            explanation: self.explanation.as_ref().map(|known| Box::new(known.cut(cut))),
            ..self.clone()
        }
    }
}

/// The most bytes of all values together in `report.json`.
const JSON_ALL_MAX_BYTES: usize = 1 << 20;

/// Says in words that the `candidates` nearest smaller inputs were tried and do not fail. `None`
/// for 0.
pub fn exhaustion(candidates: u64) -> Option<String> {
    match candidates {
        0 => None,
        1 => Some("the nearest smaller input does not fail".to_owned()),
        _ => Some(format!("none of the {candidates} nearest smaller inputs fails")),
    }
}

impl BugKind {
    const ALL: [BugKind; 9] = [
        BugKind::Panic,
        BugKind::Abort,
        BugKind::Segv,
        BugKind::Asan,
        BugKind::StackOverflow,
        BugKind::Timeout,
        BugKind::Oom,
        BugKind::Leak,
        BugKind::Exit,
    ];

    /// The kind that `Display` writes like this.
    pub(crate) fn from_name(name: &str) -> Option<BugKind> {
        BugKind::ALL.into_iter().find(|kind| kind.to_string() == name)
    }
}

impl fmt::Display for BugKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BugKind::Panic => "panic",
            BugKind::Abort => "abort",
            BugKind::Segv => "segv",
            BugKind::Asan => "asan",
            BugKind::StackOverflow => "stack-overflow",
            BugKind::Timeout => "timeout",
            BugKind::Oom => "oom",
            BugKind::Leak => "leak",
            BugKind::Exit => "exit",
        })
    }
}

impl Status {
    const ALL: [Status; 4] =
        [Status::Pending, Status::Minimized, Status::BestEffort, Status::Flaky];

    /// The status that `Display` writes like this.
    pub(crate) fn from_name(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.to_string() == name)
    }

    /// What the status says about the input, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Status::Pending => "as it was found",
            Status::Minimized => "no pass makes it smaller",
            Status::BestEffort => "the search for a smaller one was cut short",
            Status::Flaky => "the input does not always fail",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Pending => "pending",
            Status::Minimized => "minimized",
            Status::BestEffort => "best-effort",
            Status::Flaky => "flaky",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report::pending("parse", BugId::of("x"), BugKind::StackOverflow);
        report.message = "first line\nsecond line".to_owned();
        report.location = Some("demo-1.0.0/src/lib.rs:3:9".to_owned());
        report.value = vec!["[Push(3), Pop]".to_owned()];
        report.status = Status::BestEffort;
        report.minimized_bytes = Some(3);
        report.minimized_choices = Some(2);
        report.first_seen = 1_700_000_000;
        report
    }

    fn read(json: &[u8]) -> Report {
        Report::from_json(json).map_err(|error| error.to_string()).unwrap()
    }

    #[test]
    fn a_report_is_read_back_as_it_was_written() {
        let report = report();
        assert_eq!(read(&report.to_json()), report);
    }

    #[test]
    fn a_flaky_report_says_in_which_runs_it_fails() {
        let words = |failed| {
            Report { status: Status::Flaky, rate: Some(Rate { failed, of: 30 }), ..report() }
                .reliability()
                .unwrap()
        };
        assert_eq!(words(10), "flaky: the input fails in 10 of 30 runs");
        assert!(
            words(30).contains(
                "30 of 30 runs of the minimizer, but new processes do not always \
                                fail as this bug"
            ),
            "{}",
            words(30)
        );
    }

    #[test]
    fn kinds_and_states_are_one_word_in_json_and_in_text() {
        let json = String::from_utf8(report().to_json()).unwrap();
        assert!(
            json.contains(r#""kind": "stack-overflow""#)
                && json.contains(r#""status": "best-effort""#),
            "{json}"
        );
        let text = report().to_text();
        assert!(
            text.starts_with("stack-overflow in target parse\n    first line\n    second line\n"),
            "{text}"
        );
        for part in [
            "at demo-1.0.0/src/lib.rs:3:9",
            "    [Push(3), Pop]",
            "status: best-effort",
            "3 bytes, 2 choices",
            "2023-11-14T22:13:20Z",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn fields_of_newer_versions_are_kept() {
        let json = String::from_utf8(report().to_json()).unwrap().replacen(
            '{',
            r#"{"weather": [1, "fine"],"#,
            1,
        );
        let again = Json::read(&read(json.as_bytes()).to_json()).unwrap();
        let weather = vec![Json::from(1u32), "fine".into()];
        assert_eq!(again.get("weather"), Some(&weather.into()));
    }

    #[test]
    fn a_time_that_is_not_a_number_leaves_the_report_readable() {
        let mut report = report();
        report.seconds = f64::NAN;
        report.first_seen = u64::MAX;
        assert!(Report::from_json(&report.to_json()).is_ok());
        assert!(!report.to_text().contains("first seen"));
    }

    #[test]
    fn long_texts_are_cut_only_in_report_txt_and_report_json() {
        let mut report = report();
        assert_eq!(report.to_whole_text(), None);
        report.value = vec!["v".repeat(20 << 20), "small".to_owned()];
        report.message = "m".repeat(1 << 20);
        let text = report.to_text();
        assert!(
            text.len() < 20_000
                && text.contains(
                    "v .. (20967424 more bytes)\n    small\n\nthe full text is in full.txt\n"
                ),
            "{}",
            &text[text.len() - 500..]
        );
        let json = report.to_json();
        assert!(json.len() < 200_000, "{}", json.len());
        let stored = read(&json);
        assert_eq!(
            (stored.to_text(), stored.to_json()),
            (text, json),
            "what was stored says the same when it is written again"
        );
        let whole = report.to_whole_text().unwrap();
        assert!(
            whole.contains(&report.value[0])
                && whole.contains(&report.message)
                && !whole.contains("full.txt")
        );
    }

    #[test]
    fn a_report_shows_the_first_values_and_counts_the_others() {
        let mut report = report();
        report.value = vec!["four".to_owned(); 10_000];
        let text = report.to_text();
        assert!(
            text.contains("    four\n    .. and 5904 more values\n"),
            "{}",
            &text[text.len() - 500..]
        );
    }

    #[test]
    fn control_characters_are_escaped_in_text_and_kept_in_json() {
        let mut report = report();
        report.message = "\x1b]0;title\x07\u{9b}\u{202e}\nnext".to_owned();
        let text = report.to_text();
        assert!(text.contains("    \\u{1b}]0;title\\u{7}\\u{9b}\\u{202e}\n    next\n"), "{text}");
        let json = String::from_utf8(report.to_json()).unwrap();
        assert!(json.contains("\\u001b]0;title\\u0007\\u009b\\u202e\\nnext"), "{json}");
        assert_eq!(read(json.as_bytes()), report);
    }

    #[test]
    fn a_report_counts_smaller_inputs_only_after_a_complete_search() {
        let mut report = report();
        report.no_smaller_among = Some(24);
        assert!(
            !report.to_text().contains("smaller inputs"),
            "a search that was cut short proves nothing"
        );
        assert!(
            report
                .to_text()
                .contains("status: best-effort, the search for a smaller one was cut short\n")
        );
        report.status = Status::Minimized;
        assert!(
            report.to_text().contains("\nnone of the 24 nearest smaller inputs fails\n"),
            "{}",
            report.to_text()
        );
        assert_eq!(exhaustion(1).unwrap(), "the nearest smaller input does not fail");
        assert_eq!(exhaustion(0), None);
    }
}
