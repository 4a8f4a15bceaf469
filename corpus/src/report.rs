//! What is known of a bug: `report.json` for programs, `report.txt` for people.

use std::fmt::{self, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::BugId;

/// The version of `report.json` this crate writes, and the newest it reads.
pub const REPORT_FORMAT: u32 = 1;

/// How a target failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BugKind {
    /// A Rust panic.
    Panic,
    /// The process was aborted without a panic.
    Abort,
    /// A memory fault without a sanitizer's report.
    Segv,
    /// A report of `AddressSanitizer`.
    Asan,
    /// The stack ran out.
    StackOverflow,
    /// One run took longer than allowed.
    Timeout,
    /// One run took more memory than allowed.
    Oom,
    /// Memory was not given back.
    Leak,
    /// The target ended its process itself.
    Exit,
}

/// How far the work on a bug has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Claimed, not minimized yet; the next run takes it up.
    Pending,
    /// Minimized to the end.
    Minimized,
    /// Minimized until the budget was used up.
    BestEffort,
    /// The failure did not show itself again reliably.
    Flaky,
}

/// How often one and the same input fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// So many runs failed..
    pub failed: u32,
    /// ..of so many.
    pub of: u32,
}

/// Everything in `report.json`.
///
/// Fields of `report.json` unknown to this version are kept in `extra` and written back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of this record: [`REPORT_FORMAT`].
    pub format: u32,
    /// The name of the fuzz target.
    pub target: String,
    /// The bug, also the name of its folder.
    pub bug_id: BugId,
    /// Other ids of the same bug, by other rules than those that made `bug_id`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<BugId>,
    /// How the target failed.
    pub kind: BugKind,
    /// The failure's own words: the panic message or the sanitizer's line. Not part of the id.
    pub message: String,
    /// Where, as `crate-version/path:line:column`; `None` if the failure names no place.
    pub location: Option<String>,
    /// The user frames, innermost first.
    pub frames: Vec<String>,
    /// `Debug` of each top-level draw, in the order drawn.
    pub value: Vec<String>,
    /// The same as lines of Rust, with the notes as comments, where the target says a name for what it draws.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listing: Vec<String>,
    /// How far the work on this bug has come.
    pub status: Status,
    /// Size of the first sighting in bytes.
    pub original_bytes: u64,
    /// Size of `input` in bytes, once it is minimized.
    pub minimized_bytes: Option<u64>,
    /// Number of choices in the first sighting, where it is known.
    pub original_choices: Option<u64>,
    /// Number of choices in `input`, once it is minimized.
    pub minimized_choices: Option<u64>,
    /// Of how many smaller inputs, tried one by one to the last of a stated set, it is known that none fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_smaller_among: Option<u64>,
    /// In how many runs a failure that comes and goes showed itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Whether it shows itself only in a process in which nothing ran before: the target keeps state from one run to the next.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_when_fresh: bool,
    /// Runs of the target spent on minimizing.
    pub calls: u64,
    /// Seconds spent on minimizing.
    pub seconds: f64,
    /// Sightings known when the report was written. The truth is [`BugStore::sightings`](crate::BugStore::sightings).
    pub sightings: u64,
    /// When the bug was first seen, in seconds since 1970 (UTC).
    pub first_seen: u64,
    /// What found it: `libfuzzer`, `afl`, `random`.
    pub engine: String,
    /// The version of the byte format of `input`.
    pub byte_format: u32,
    /// The version of the rules that made the bug id.
    pub signature_version: u32,
    /// Fields of newer versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Report {
    /// A report of a bug seen just now, of which nothing else is known: texts empty, numbers zero, versions 1.
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
            sightings: 0,
            first_seen: now.as_secs(),
            engine: String::new(),
            byte_format: 1,
            signature_version: 1,
            extra: Map::new(),
        }
    }

    /// How reliably the input fails, in words; `None` if it always does, as far as is known.
    pub fn reliability(&self) -> Option<String> {
        match self.rate {
            Some(Rate { failed, of }) => Some(format!("flaky: the input fails in {failed} of {of} runs")),
            None if self.only_when_fresh => {
                Some("fails only in a process in which nothing ran before: the target keeps state from one run to the next".to_owned())
            }
            None => None,
        }
    }

    /// What was drawn, for people: with names if there are any.
    pub fn drawn(&self) -> &[String] {
        if self.listing.is_empty() { &self.value } else { &self.listing }
    }

    /// The report for people, as in `report.txt`.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut text);
        text
    }

    fn write_text(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "{} in target {}", self.kind, self.target)?;
        write_indented(out, &self.message)?;
        if let Some(location) = &self.location {
            writeln!(out, "    at {location}")?;
        }
        if !self.value.is_empty() {
            writeln!(out, "\nvalue:")?;
            for draw in self.drawn() {
                write_indented(out, draw)?;
            }
        }
        if !self.frames.is_empty() {
            writeln!(out, "\nframes:")?;
            for frame in &self.frames {
                write_indented(out, frame)?;
            }
        }
        writeln!(out, "\nstatus: {}", self.status)?;
        if let Some(reliability) = self.reliability() {
            writeln!(out, "{reliability}")?;
        }
        writeln!(out, "original: {}", size(Some(self.original_bytes), self.original_choices))?;
        if self.minimized_bytes.is_some() || self.minimized_choices.is_some() {
            let size = size(self.minimized_bytes, self.minimized_choices);
            writeln!(out, "minimized: {size}, {} calls in {:.1} s", self.calls, self.seconds)?;
            if let Some(candidates) = self.no_smaller_among {
                writeln!(out, "no smaller input fails among {candidates} candidates")?;
            }
        }
        writeln!(out, "sightings: {}", self.sightings)?;
        if let Some(time) = UNIX_EPOCH.checked_add(Duration::from_secs(self.first_seen))
            && self.first_seen <= YEAR_9999
        {
            writeln!(out, "first seen: {}", humantime::format_rfc3339_seconds(time))?;
        }
        writeln!(out, "bug id: {} (engine {}, byte format {}, signature version {})", self.bug_id, self.engine, self.byte_format, self.signature_version)?;
        for alias in &self.aliases {
            writeln!(out, "by newer rules: {alias}")?;
        }
        Ok(())
    }

    /// What it says beside the ids of other rules: those are united wherever two reports meet.
    pub(crate) fn without_aliases(&self) -> Report {
        Report { aliases: Vec::new(), ..self.clone() }
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut report = self.clone();
        // JSON knows no infinities; a report that cannot be read back would be damage of our own making.
        if !report.seconds.is_finite() {
            report.seconds = 0.0;
        }
        let mut json = serde_json::to_vec_pretty(&report).expect("strings and numbers always make JSON");
        json.push(b'\n');
        json
    }
}

/// 9999-12-31T23:59:59Z, the last second RFC 3339 can write.
const YEAR_9999: u64 = 253_402_300_799;

fn size(bytes: Option<u64>, choices: Option<u64>) -> String {
    let bytes = bytes.map(|n| format!("{n} bytes"));
    let choices = choices.map(|n| format!("{n} choices"));
    bytes.into_iter().chain(choices).collect::<Vec<_>>().join(", ")
}

fn write_indented(out: &mut String, text: &str) -> fmt::Result {
    text.lines().try_for_each(|line| writeln!(out, "    {line}"))
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

    #[test]
    fn a_report_is_read_back_as_it_was_written() {
        let report = report();
        assert_eq!(serde_json::from_slice::<Report>(&report.to_json()).unwrap(), report);
    }

    #[test]
    fn kinds_and_states_are_one_word_in_json_and_in_text() {
        let json = String::from_utf8(report().to_json()).unwrap();
        assert!(json.contains(r#""kind": "stack-overflow""#) && json.contains(r#""status": "best-effort""#), "{json}");
        let text = report().to_text();
        assert!(text.starts_with("stack-overflow in target parse\n    first line\n    second line\n"), "{text}");
        for part in ["at demo-1.0.0/src/lib.rs:3:9", "    [Push(3), Pop]", "status: best-effort", "3 bytes, 2 choices", "2023-11-14T22:13:20Z"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn fields_of_newer_versions_are_kept() {
        let json = String::from_utf8(report().to_json()).unwrap().replacen('{', r#"{"weather": [1, "fine"],"#, 1);
        let report: Report = serde_json::from_str(&json).unwrap();
        let again: Value = serde_json::from_slice(&report.to_json()).unwrap();
        assert_eq!(again["weather"], serde_json::json!([1, "fine"]));
    }

    #[test]
    fn a_time_that_is_no_number_does_not_make_a_report_unreadable() {
        let mut report = report();
        report.seconds = f64::NAN;
        report.first_seen = u64::MAX;
        assert!(serde_json::from_slice::<Report>(&report.to_json()).is_ok());
        assert!(!report.to_text().contains("first seen"));
    }
}
