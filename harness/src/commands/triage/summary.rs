//! The final text of a triage: the numbers, the table of bugs, and the files without a bug.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dwindle_corpus::events::{BugRow, EndOfTriage, Event, Totals};
use dwindle_corpus::{BugId, Report, Status, StoreError};

use crate::commands::triage::Triage;
use crate::commands::triage::groups::Group;
use crate::events;
use crate::failure::failed::Failed;
use crate::session::likely_one;
use crate::session::report::{self, counted, shown};

/// The numbers of a triage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) files: u64,
    pub(crate) contents: u64,
    /// Contents that the store already knew. They were not run.
    pub(crate) known: u64,
    pub(crate) run: u64,
    pub(crate) failed: u64,
    /// Failing contents that fail in only some runs.
    pub(crate) flaky: u64,
    pub(crate) quiet: u64,
    pub(crate) unread: u64,
    /// Call paths that became the same as another one.
    pub(crate) joined: u64,
}

/// A bug, as its line in the table shows it.
struct Row {
    report: Report,
    hits: u64,
    /// Number of contents of this triage that show the bug.
    contents: u64,
    variants: usize,
}

/// Files with the same outcome, and the words for it.
struct List<'a> {
    words: &'static str,
    lines: &'a [String],
}

/// Maximum files named for each outcome. The events name all of them.
const NAMED_MAX: usize = 20;

impl Triage {
    /// Prints the table, the lists and the numbers.
    pub(super) fn end(&mut self, interrupted: bool) -> Result<(), StoreError> {
        self.counts.unread = self.unread.len() as u64;
        let rows = self.rows()?;
        let place = self.store.as_ref().map_or(PathBuf::new(), |store| store.dir().to_owned());
        let mut text = first_line(&self.counts, self.started.elapsed(), interrupted);
        for warning in &self.warnings {
            let _ = write!(text, "\nwarning: {warning}");
        }
        text.push_str("\n\n");
        text.push_str(&table(&rows, &self.counts, self.is_dry, &place));
        let likely_one = match &self.store {
            Some(store) => store
                .likely_one_fault(&rows.iter().map(|row| row.report.bug_id).collect::<Vec<_>>())?,
            None => Vec::new(),
        };
        text.push_str(&likely_one::words(&likely_one));
        let (quiet, flaky): (Vec<_>, Vec<_>) =
            (self.quiet.values().cloned().collect(), self.flaky.values().cloned().collect());
        text.push_str(&lists(&[
            List { words: "did not fail", lines: &quiet },
            List { words: "failed only sometimes (flaky)", lines: &flaky },
            List { words: "could not be read", lines: &self.unread },
        ]));
        let met: Vec<&Failed> = self
            .met
            .values()
            .filter(|met| rows.iter().all(|row| row.report.bug_id != met.id))
            .collect();
        if !met.is_empty() {
            let _ = write!(
                text,
                "\n\nfound while minimizing, but not kept, because no file shows them:"
            );
        }
        for Failed { id, kind, location, .. } in &met {
            let _ = write!(text, "\n  {id}  {kind} at {location}");
        }
        let met = met.into_iter().map(Failed::event).collect();
        let Counts { files, contents, known, run, failed, flaky, quiet, unread, joined } =
            self.counts;
        let directory =
            |id| Some(self.store.as_ref()?.bug(id).dir().to_string_lossy().into_owned());
        let bugs = rows.into_iter().map(|row| BugRow {
            directory: directory(row.report.bug_id),
            report: row.report,
            hits: row.hits,
            contents: Some(row.contents),
            variants: Some(row.variants as u64),
        });
        let end = EndOfTriage {
            target: self.target.name(),
            files,
            contents,
            known,
            run,
            failed,
            flaky,
            quiet,
            unread,
            joined,
            seconds: self.started.elapsed().as_secs_f64(),
            interrupted,
            dry_run: self.is_dry,
            bugs: bugs.collect(),
            met,
            likely_one_fault: likely_one,
        };
        events::say(Event::End(Box::new(Totals::Triage(end))), &text);
        Ok(())
    }

    /// The rows for all bugs that the files show, and for all entries minimized beside them. In a
    /// dry run a row has what the run itself hit.
    fn rows(&mut self) -> Result<Vec<Row>, StoreError> {
        let ids: BTreeSet<BugId> =
            self.groups.keys().copied().chain(self.tried.iter().map(|entry| entry.id)).collect();
        let mut rows = Vec::new();
        for id in ids {
            let group = self.groups.get(&id);
            let contents = group.map_or(0, |group| group.contents);
            let stored = self
                .store
                .as_ref()
                .and_then(|store| Some((store, store.bug(id).read_report().ok()?)));
            if let Some((store, report)) = stored {
                rows.push(Row {
                    report,
                    hits: store.hits(id)?,
                    contents,
                    variants: store.variants(id)?.len(),
                });
            } else if let Some(report) = group.and_then(|group| self.unstored(group)) {
                rows.push(Row { report, hits: contents, contents, variants: 0 });
            }
        }
        Ok(rows)
    }

    /// The report of a bug that is not in the store.
    fn unstored(&self, group: &Group) -> Option<Report> {
        let (failed, best) = (group.failed.as_ref()?, group.best()?);
        let report = report::pending(&self.target.name(), failed, b"", "triage");
        Some(Report {
            status: Status::Pending,
            original_bytes: best.item.bytes,
            original_choices: best.choices,
            ..report
        })
    }
}

fn first_line(counts: &Counts, time: Duration, interrupted: bool) -> String {
    let Counts { files, contents, known, run, failed, flaky, quiet, unread, .. } = *counts;
    let mut text =
        format!("dwindle: {}, {}", counted(files, "file"), counted(contents, "distinct content"));
    if known > 0 {
        let _ = write!(text, ", {known} of them known to fail and skipped");
    }
    if run > 0 {
        let _ = write!(text, "; {run} run in {:.1} s: {failed} failed", time.as_secs_f64());
        if flaky > 0 {
            let _ = write!(text, " ({flaky} flaky)");
        }
        let _ = write!(text, ", {quiet} did not");
    }
    if unread > 0 {
        let _ = write!(text, "; {} could not be read", counted(unread, "file"));
    }
    if interrupted {
        text.push_str("; interrupted, start it again to continue");
    }
    text
}

/// One line for each bug, or `nothing failed` without bugs.
fn table(rows: &[Row], counts: &Counts, is_dry: bool, store: &Path) -> String {
    if rows.is_empty() {
        return "nothing failed".to_owned();
    }
    let seen = if is_dry { "contents" } else { "hits" };
    let mut text = format!(
        "{:<16}  {:<14}  {seen:>9}  {:>17}  {:>17}  {:<11}  where\n",
        "bug", "kind", "choices", "bytes", "status"
    );
    for Row { report, hits, contents, variants } in rows {
        let place = report.location.as_deref().unwrap_or("unknown");
        let choices = sizes(report.original_choices, report.minimized_choices);
        let bytes = sizes(Some(report.original_bytes), report.minimized_bytes);
        let number = if is_dry { contents } else { hits };
        let status = report.status.to_string();
        let _ = write!(
            text,
            "{:<16}  {:<14}  {number:>9}  {choices:>17}  {bytes:>17}  {status:<11}  {place}",
            report.bug_id,
            report.kind.to_string()
        );
        if *variants > 0 {
            let _ = write!(text, " ({})", counted(*variants as u64, "variant"));
        }
        text.push('\n');
    }
    if counts.joined > 0 {
        let _ = writeln!(
            text,
            "\n{} joined with another, because their minimized inputs are equal",
            counted(counts.joined, "call path")
        );
    }
    if is_dry {
        let _ = write!(text, "\nnothing was written: a dry run");
    } else {
        let _ = write!(text, "\nkept in {}", shown(store).display());
    }
    text
}

fn sizes(before: Option<u64>, after: Option<u64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) => format!("{before} -> {after}"),
        (Some(before), None) => before.to_string(),
        _ => "-".to_owned(),
    }
}

/// The files of each outcome, at most [`NAMED_MAX`] names for each.
fn lists(lists: &[List<'_>]) -> String {
    let mut text = String::new();
    for List { words, lines } in lists.iter().filter(|list| !list.lines.is_empty()) {
        let _ = write!(text, "\n\n{} {words}:", counted(lines.len() as u64, "file"));
        for line in lines.iter().take(NAMED_MAX) {
            let _ = write!(text, "\n  {line}");
        }
        if lines.len() > NAMED_MAX {
            let _ = write!(text, "\n  and {} more; --json lists them all", lines.len() - NAMED_MAX);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let many: Vec<String> = (0..25).map(|n| format!("file {n}")).collect();
        let text = lists(&[
            List { words: "did not fail", lines: &many },
            List { words: "could not be read", lines: &[] },
        ]);
        assert!(
            text.starts_with("\n\n25 files did not fail:\n  file 0\n")
                && text.ends_with("\n  file 19\n  and 5 more; --json lists them all"),
            "{text}"
        );
        assert_eq!(
            lists(&[List { words: "did not fail", lines: &many[..1] }]),
            "\n\n1 file did not fail:\n  file 0"
        );
    }

    #[test]
    fn the_first_line_leaves_out_counts_of_zero() {
        let counts = Counts {
            files: 12,
            contents: 10,
            known: 3,
            run: 7,
            failed: 5,
            flaky: 1,
            quiet: 2,
            unread: 1,
            joined: 0,
        };
        let said = "dwindle: 12 files, 10 distinct contents, 3 of them known to fail and skipped; \
                    7 run in 2.5 s: 5 failed (1 flaky), 2 did not; 1 file could not be read";
        assert_eq!(first_line(&counts, Duration::from_millis(2500), false), said);
        assert_eq!(
            first_line(
                &Counts { files: 2, contents: 1, known: 1, ..Counts::default() },
                Duration::ZERO,
                false
            ),
            "dwindle: 2 files, 1 distinct content, 1 of them known to fail and skipped"
        );
        assert_eq!(
            first_line(
                &Counts { files: 1, contents: 1, run: 1, ..Counts::default() },
                Duration::ZERO,
                true
            ),
            "dwindle: 1 file, 1 distinct content; 1 run in 0.0 s: 0 failed, 0 did not; \
             interrupted, start it again to continue"
        );
    }
}
