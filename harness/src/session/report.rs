//! What a bug looks like: as `report.json` holds it, as a run prints it, and as a test.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dwindle_corpus::{BugId, Report, Status};
use dwindle_engine::codec::BYTE_FORMAT;

use crate::failure::executor::{Failed, SIGNATURE_VERSION};
use crate::failure::frames::shown_frames;
use crate::minimize::Minimized;

/// The report of a failure that was just seen.
pub(crate) fn pending(target: &str, failed: &Failed, original: &[u8], engine: &str) -> Report {
    Report {
        message: failed.message.clone(),
        location: Some(failed.location.clone()),
        original_bytes: original.len() as u64,
        sightings: 1,
        engine: engine.to_owned(),
        byte_format: BYTE_FORMAT,
        signature_version: SIGNATURE_VERSION,
        ..Report::pending(target, failed.id, failed.kind)
    }
}

/// The report after minimizing; `pending` is what was known before.
pub(crate) fn minimized(pending: &Report, minimized: &Minimized, manifest_dir: &Path) -> Report {
    let failed = &minimized.failed;
    let aliases = if failed.id == pending.bug_id { pending.aliases.clone() } else { [&pending.aliases[..], &[failed.id]].concat() };
    Report {
        aliases,
        message: minimized.failed.message.clone(),
        location: Some(minimized.failed.location.clone()),
        frames: shown_frames(&minimized.failed.addresses, manifest_dir),
        value: minimized.draws.clone(),
        listing: if minimized.has_names { minimized.listing.clone() } else { Vec::new() },
        status: minimized.status,
        minimized_bytes: Some(minimized.input.len() as u64),
        original_choices: (!minimized.is_raw).then_some(minimized.original_choices as u64),
        minimized_choices: (!minimized.is_raw).then_some(minimized.choices as u64),
        no_smaller_among: minimized.no_smaller_among,
        rate: minimized.rate,
        only_when_fresh: minimized.only_when_fresh,
        calls: minimized.calls,
        seconds: minimized.time.as_secs_f64(),
        byte_format: BYTE_FORMAT,
        signature_version: SIGNATURE_VERSION,
        ..pending.clone()
    }
}

/// The lines that a run prints for a bug, minimized or not.
pub(crate) fn text(report: &Report, directory: &Path, reproduce: &str) -> String {
    let mut text = format!("bug {}: {} at {}\n", report.bug_id, report.kind, report.location.as_deref().unwrap_or("an unknown place"));
    for line in report.message.lines().take(20) {
        let _ = writeln!(text, "    {line}");
    }
    if !report.value.is_empty() {
        text.push_str(if is_raw(report) { "  the target was given\n" } else { "  the target drew\n" });
        for draw in report.drawn() {
            for line in draw.lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    let bytes = report.minimized_bytes.map(|bytes| (counted(report.original_bytes, "byte"), counted(bytes, "byte")));
    let sizes = match (bytes, report.original_choices, report.minimized_choices) {
        (Some((bytes_before, bytes)), Some(before), Some(after)) => {
            Some((format!("{} ({bytes_before})", counted(before, "choice")), format!("{} ({bytes})", counted(after, "choice"))))
        }
        (bytes, ..) => bytes,
    };
    match sizes {
        Some((before, after)) => {
            let _ = writeln!(text, "  {before} became {after} in {} calls and {:.2} s: {}", report.calls, report.seconds, report.status);
            if let Some(reliability) = report.reliability() {
                let _ = writeln!(text, "  {reliability}");
            }
            if let Some(candidates) = report.no_smaller_among {
                let _ = writeln!(text, "  no smaller input fails among {}", counted(candidates, "candidate"));
            }
        }
        None => {
            let _ = writeln!(text, "  {}, {}", counted(report.original_bytes, "byte"), report.status);
        }
    }
    let _ = writeln!(text, "  kept in {}", shown(directory).display());
    let _ = write!(text, "  reproduce: {reproduce}");
    text
}

/// Whether the target takes inputs as they stand: then no choices are counted.
fn is_raw(report: &Report) -> bool {
    report.minimized_bytes.is_some() && report.minimized_choices.is_none()
}

/// The table at the end of a run: one line for each bug.
fn table(bugs: &[(Report, u64)]) -> String {
    // All bugs of a table are of one target.
    let is_raw = bugs.iter().any(|(report, _)| is_raw(report));
    let size = if is_raw { "bytes" } else { "choices" };
    let mut text = format!("{:<16}  {:<14}  {:>9}  {size:>17}  {:<11}  where\n", "bug", "kind", "sightings", "status");
    for (report, sightings) in bugs {
        let sizes = if is_raw { (Some(report.original_bytes), report.minimized_bytes) } else { (report.original_choices, report.minimized_choices) };
        let size = match sizes {
            (Some(before), Some(after)) => format!("{before} -> {after}"),
            _ => "-".to_owned(),
        };
        let place = report.location.as_deref().unwrap_or("unknown");
        let _ =
            writeln!(text, "{:<16}  {:<14}  {sightings:>9}  {size:>17}  {:<11}  {place}", report.bug_id, report.kind.to_string(), report.status.to_string());
    }
    text.pop();
    text
}

/// What a run did, in numbers.
pub(crate) struct Figures {
    pub(crate) executions: u64,
    pub(crate) time: Duration,
    /// How often the fuzzer was started again, and how long that took in all.
    pub(crate) restarts: (u64, Duration),
    pub(crate) interrupted: bool,
}

/// The last words of a run; `bugs` is nothing if nothing failed.
pub(crate) fn summary(figures: &Figures, bugs: Option<&[(Report, u64)]>, warnings: &[String], store: &Path) -> String {
    let Figures { executions, time, restarts: (restarts, lost), interrupted } = figures;
    let mut text = format!("dwindle: {executions} executions in {:.0} s", time.as_secs_f64());
    if *restarts > 0 {
        let _ = write!(text, ", {:.1} s of them lost to {}", lost.as_secs_f64(), counted(*restarts, "death"));
    }
    if *interrupted {
        text.push_str(", interrupted");
    }
    let pending = bugs.map_or(0, |bugs| bugs.iter().filter(|(report, _)| report.status == Status::Pending).count());
    if pending > 0 {
        let _ = write!(text, "; {} left for the next run to minimize", counted(pending as u64, "bug"));
    }
    if bugs.is_none() {
        text.push_str(", nothing failed");
    }
    for warning in warnings {
        let _ = write!(text, "\nwarning: {warning}");
    }
    if let Some(bugs) = bugs.filter(|bugs| !bugs.is_empty()) {
        let _ = write!(text, "\n\n{}\n\nkept in {}", table(bugs), shown(store).display());
    }
    text
}

/// The command that shows the failure again.
pub(crate) fn reproduce(target: &str, input: &Path) -> String {
    // Whoever listens to events is `cargo dwindle`, and may be all there is.
    let command = if crate::session::events::has_listener() { "cargo dwindle show" } else { "cargo fuzz run" };
    format!("{command} {target} {}", shown(input).display())
}

/// A path as short as it can be said from here.
pub(crate) fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_owned()
}

/// A regression test, to be copied into the tests folder of the fuzz crate.
pub(crate) fn repro(target: &str, id: BugId, report: &Report, input: &[u8]) -> String {
    let mut text = format!("//! {} at {}\n", report.kind, report.location.as_deref().unwrap_or("an unknown place"));
    for line in report.message.lines().chain(report.drawn().iter().flat_map(|draw| draw.lines())) {
        let _ = writeln!(text, "//!     {}", plain(line.trim_end()));
    }
    let bytes: String = input.iter().map(|byte| byte.escape_ascii().to_string()).collect();
    let _ = write!(
        text,
        r#"//!
//! Copy this file into the folder `tests` of the fuzz crate, then:
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

/// A line that is a comment whatever was in it: no control characters, no letters that turn the direction.
fn plain(line: &str) -> String {
    line.chars().map(|c| if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() { c.to_string() } else { c.escape_unicode().to_string() }).collect()
}

/// `1 choice`, `2 choices`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
