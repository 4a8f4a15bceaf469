//! The forms of a bug: the lines that a run prints, and a test.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use dwindle_corpus::events::NewCoverage;
use dwindle_corpus::{
    BugId, BugKind, Report, SHOWN_MAX_BYTES, Status, excerpt, printable, printable_line,
};

use crate::isolation::{printed, sanitizer};
pub(crate) use crate::report::{counted, minimized, pending, shown};

/// The lines that a run prints for a bug, minimized or not. Long values are cut, and control
/// characters are escaped.
pub(crate) fn text(report: &Report, directory: &Path, reproduce: &str) -> String {
    let mut text = format!(
        "bug {}: {} at {}\n",
        report.bug_id,
        report.kind,
        report.location.as_deref().unwrap_or("an unknown place")
    );
    indent(&mut text, "    ", excerpt(&report.message, SHOWN_MAX_BYTES).lines().take(20));
    if !report.value.is_empty() {
        text.push_str(if is_raw(report) {
            "  the target was given\n"
        } else {
            "  the target drew\n"
        });
        for draw in report.shown() {
            indent(&mut text, "    ", draw.lines());
        }
    }
    indent(&mut text, "  ", report.explained().iter().map(String::as_str));
    let bytes = report
        .minimized_bytes
        .map(|bytes| (counted(report.original_bytes, "byte"), counted(bytes, "byte")));
    let sizes = match (bytes, report.original_choices, report.minimized_choices) {
        (Some((bytes_before, bytes)), Some(before), Some(after)) => Some((
            format!("{} ({bytes_before})", counted(before, "choice")),
            format!("{} ({bytes})", counted(after, "choice")),
        )),
        (bytes, ..) => bytes,
    };
    let status = format!("{}, {}", report.status, report.status.meaning());
    match sizes {
        Some((before, after)) => {
            let _ = writeln!(
                text,
                "  {before} became {after} in {} calls and {:.2} s: {status}",
                report.calls, report.seconds
            );
            indent(
                &mut text,
                "  ",
                report.reliability().iter().chain(&report.exhaustion()).map(String::as_str),
            );
        }
        None => {
            let _ = writeln!(text, "  {}, {status}", counted(report.original_bytes, "byte"));
        }
    }
    let _ = writeln!(text, "  kept in {}", shown(directory).display());
    let _ = write!(text, "  reproduce: {reproduce}");
    printable(&text).into_owned()
}

fn indent<'a>(text: &mut String, by: &str, lines: impl Iterator<Item = &'a str>) {
    for line in lines {
        let _ = writeln!(text, "{by}{line}");
    }
}

/// Whether the target takes the input bytes unchanged. Such a target has no choices to count.
fn is_raw(report: &Report) -> bool {
    report.minimized_bytes.is_some() && report.minimized_choices.is_none()
}

/// The table at the end of a run, with one line for each bug.
fn table(bugs: &[(Report, u64)]) -> String {
    // All bugs of a table belong to one target.
    let is_raw = bugs.iter().any(|(report, _)| is_raw(report));
    let size = if is_raw { "bytes" } else { "choices" };
    let mut text = format!(
        "{:<16}  {:<14}  {:>9}  {size:>17}  {:<11}  where\n",
        "bug", "kind", "hits", "status"
    );
    for (report, hits) in bugs {
        let sizes = if is_raw {
            (Some(report.original_bytes), report.minimized_bytes)
        } else {
            (report.original_choices, report.minimized_choices)
        };
        let size = match sizes {
            (Some(before), Some(after)) => format!("{before} -> {after}"),
            _ => "-".to_owned(),
        };
        let place = report.location.as_deref().unwrap_or("unknown");
        let _ = writeln!(
            text,
            "{:<16}  {:<14}  {hits:>9}  {size:>17}  {:<11}  {place}",
            report.bug_id,
            report.kind.to_string(),
            report.status.to_string()
        );
    }
    text.pop();
    text
}

/// The numbers of a run.
pub(crate) struct Figures {
    pub(crate) executions: u64,
    pub(crate) time: Duration,
    /// Number of restarts of the fuzzer, and the total time that they took.
    pub(crate) restarts: (u64, Duration),
    pub(crate) interrupted: bool,
    pub(crate) new_coverage: Option<NewCoverage>,
}

/// The final text of a run. `bugs` is `None` if nothing failed.
pub(crate) fn summary(
    figures: &Figures,
    bugs: Option<&[(Report, u64)]>,
    warnings: &[String],
    store: &Path,
) -> String {
    let Figures { executions, time, restarts: (restarts, lost), interrupted, .. } = figures;
    let mut text = format!("dwindle: {executions} executions in {:.0} s", time.as_secs_f64());
    if *restarts > 0 {
        let _ = write!(
            text,
            ", {:.1} s of them lost to {}",
            lost.as_secs_f64(),
            counted(*restarts, "death")
        );
    }
    if *interrupted {
        text.push_str(", interrupted");
    }
    let pending = bugs.map_or(0, |bugs| {
        bugs.iter().filter(|(report, _)| report.status == Status::Pending).count()
    });
    if pending > 0 {
        let _ =
            write!(text, "; {} left for the next run to minimize", counted(pending as u64, "bug"));
    }
    if bugs.is_none() {
        text.push_str(", nothing failed");
    }
    if let Some(new_coverage) = &figures.new_coverage {
        let _ = write!(text, "\n{}", new_coverage.words());
    }
    for warning in warnings {
        let _ = write!(text, "\nwarning: {warning}");
    }
    if let Some(bugs) = bugs.filter(|bugs| !bugs.is_empty()) {
        let _ = write!(text, "\n\n{}\n\nkept in {}", table(bugs), shown(store).display());
    }
    text
}

/// The command that reproduces a failure of this kind.
pub(crate) fn reproduce(target: &str, kind: BugKind, input: &Path) -> String {
    let is_sanitized = sanitizer::is_there();
    // `cargo dwindle` listens to events, and may be the only tool that is installed. Both commands
    // build with the sanitizer of this build.
    let (command, build) = match crate::events::has_listener() {
        true if is_sanitized => ("cargo dwindle show", " --sanitizer address"),
        true => ("cargo dwindle show", ""),
        false if is_sanitized => ("cargo fuzz run", ""),
        false => ("cargo fuzz run", " --sanitizer none"),
    };
    let mut text = format!("{command}{build} {target} {}", shown(input).display());
    if command == "cargo fuzz run" {
        let limits = printed::limits(kind);
        text.extend((!limits.is_empty()).then(|| format!(" -- {}", limits.join(" "))));
    }
    text
}

/// A regression test, for the tests folder of the fuzz crate.
pub(crate) fn repro(target: &str, id: BugId, report: &Report, input: &[u8]) -> String {
    let mut text = format!(
        "//! {} at {}\n",
        report.kind,
        report.location.as_deref().unwrap_or("an unknown place")
    );
    let message = excerpt(&report.message, SHOWN_MAX_BYTES);
    let drawn = report.shown();
    for line in message.lines().chain(drawn.iter().flat_map(|draw| draw.lines())) {
        // rustc refuses comments with characters that change the direction of text, so they are
        // escaped.
        let _ = writeln!(text, "//!     {}", printable_line(line.trim_end()));
    }
    let bytes: String = input.iter().map(|byte| byte.escape_ascii().to_string()).collect();
    let _ = write!(
        text,
        r#"//!
//! Copy this file to `tests/{target}_{id}.rs` in the fuzz crate, then:
//!     cargo test --test {target}_{id}

#[path = "../fuzz_targets/{target}.rs"]
mod target;

#[test]
fn bug_{id}() {{
    dwindle::replay(target::dwindle_property, b"{bytes}");
}}
"#
    );
    text
}

#[cfg(test)]
mod tests {
    use dwindle_corpus::BugKind;

    use super::*;

    #[test]
    fn a_report_escapes_control_characters_and_cuts_long_values() {
        let report = Report {
            message: "\x1b[2J\nsecond line".to_owned(),
            value: vec!["\u{9b}31m".to_owned(), "x".repeat(20 << 20)],
            minimized_bytes: Some(1),
            ..Report::pending("parse", BugId::of("x"), BugKind::Panic)
        };
        let text = text(&report, Path::new("crashes\n\x1b[1m"), "cargo fuzz run parse \u{202e}");
        assert!(
            text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}')
                && text.len() < 10_000,
            "{text}"
        );
        assert!(
            text.contains(
                "    \\u{1b}[2J\n    second line\n  the target was given\n    \\u{9b}31m\n    xxx"
            ),
            "{text}"
        );
        assert!(
            text.contains("x .. (20967424 more bytes)\n")
                && text.contains("kept in crashes\\n\\u{1b}[1m\n"),
            "{text}"
        );
        let repro = repro("parse", report.bug_id, &report, b"");
        assert!(
            repro.contains(
                "//!     \\u{1b}[2J\n//!     second line\n//!     \\u{9b}31m\n//!     xxx"
            ) && repro.len() < 10_000,
            "{repro}"
        );
    }
}
