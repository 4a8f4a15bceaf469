//! What a check prints for people and sends in events.

use std::fmt::Write;
use std::path::Path;

use dwindle_corpus::events::{BugSeen, BugState, CheckedBug, EndOfCheck, Event, Totals};
use dwindle_corpus::{Bug, BugStore, Report};

use super::{BugVerdict, Replayed};
use crate::failure::failed::{Failed, SIGNATURE_VERSION};
use crate::session::report::{counted, reproduce, shown};
use crate::target::Target;
use crate::{display, events};

/// Says the state of a bug.
pub(super) fn bug(
    store: &BugStore,
    target: &Target,
    bug: &Bug,
    report: &Report,
    replayed: &Replayed,
) {
    let Replayed { file, tally, verdict } = replayed;
    let words = words(store, target, bug, report, replayed);
    let place = report.location.as_deref().unwrap_or("an unknown place");
    let text = format!(
        "{:<13}  {}  {} at {place}\n    {}",
        name(verdict),
        bug.id(),
        report.kind,
        words.replace('\n', "\n    ")
    );
    let now = match verdict {
        BugVerdict::Changed(now) => {
            let known = Some(is_known(store, now));
            Some(BugSeen { known, ..now.event() })
        }
        _ => None,
    };
    let reason = match verdict {
        BugVerdict::Stale(reason) => Some(reason.as_str()),
        BugVerdict::Unseen(reason) => Some(*reason),
        _ => None,
    };
    let event = CheckedBug {
        target: target.name(),
        bug_id: bug.id(),
        verdict: state(verdict),
        kind: report.kind,
        location: report.location.clone(),
        message: report.message.clone(),
        directory: bug.dir().to_string_lossy().into_owned(),
        file: file.to_string_lossy().into_owned(),
        runs: tally.runs.into(),
        failures: tally.failures.into(),
        now,
        reason: reason.map(str::to_owned),
    };
    events::say(Event::Checked(event), &text);
}

/// What a verdict means, and what to do.
fn words(
    store: &BugStore,
    target: &Target,
    bug: &Bug,
    report: &Report,
    replayed: &Replayed,
) -> String {
    let Replayed { file, tally, verdict } = replayed;
    let directory = shown(bug.dir());
    match verdict {
        BugVerdict::Fixed => {
            format!("remove its folder, or keep it as a regression test: {}", directory.display())
        }
        BugVerdict::Failing => format!(
            "{}reproduce: {}",
            message(&report.message),
            reproduce(&target.name(), report.kind, file)
        ),
        BugVerdict::Flaky => {
            format!(
                "{}failed in {} of {} runs\nreproduce: {}",
                message(&report.message),
                tally.failures,
                tally.runs,
                reproduce(&target.name(), report.kind, file)
            )
        }
        BugVerdict::Changed(now) => changed_words(store, target, bug, report, file, now),
        BugVerdict::Stale(reason) => {
            format!(
                "no input fails, but {reason}, so the input does not test for the bug any more\n\
                 fuzz again to find the bug, or remove {}",
                directory.display()
            )
        }
        BugVerdict::Unseen(reason) => (*reason).to_owned(),
    }
}

fn changed_words(
    store: &BugStore,
    target: &Target,
    bug: &Bug,
    report: &Report,
    file: &Path,
    now: &Failed,
) -> String {
    // After a fix, an original input may show the next bug behind it.
    let file_words = if file == bug.input() {
        String::new()
    } else {
        format!("its minimized input no longer fails; {} ", shown(file).display())
    };
    let rules = if report.signature_version == SIGNATURE_VERSION {
        ""
    } else {
        "it may be the same bug: the stored id was made by older rules\n"
    };
    let known = if is_known(store, now) {
        "that bug is in the store".to_owned()
    } else {
        format!(
            "that bug is not in the store; to keep it: cargo dwindle min {} {}",
            target.name(),
            shown(file).display()
        )
    };
    format!(
        "{file_words}now fails as bug {}: {} at {}\n{}{rules}{known}",
        now.id,
        now.kind,
        now.location,
        message(&now.message)
    )
}

fn is_known(store: &BugStore, failed: &Failed) -> bool {
    store.bug(failed.id).report().is_file()
}

/// The first lines of a message, each with its line end.
fn message(text: &str) -> String {
    display::text(text).lines().take(5).flat_map(|line| [line, "\n"]).collect()
}

/// The state that a verdict finds.
fn state(verdict: &BugVerdict) -> BugState {
    match verdict {
        BugVerdict::Fixed => BugState::Fixed,
        BugVerdict::Failing => BugState::Failing,
        BugVerdict::Flaky => BugState::Flaky,
        BugVerdict::Changed(_) => BugState::Changed,
        BugVerdict::Stale(_) => BugState::Stale,
        BugVerdict::Unseen(_) => BugState::Unseen,
    }
}

/// Says the figures of all bugs.
pub(super) fn end(counts: EndOfCheck) {
    let EndOfCheck { fixed, failing, flaky, changed, stale, unseen, .. } = counts;
    let all = fixed + failing + flaky + changed + stale + unseen;
    let mut text = format!("{}: {} checked", counts.target, counted(all, "bug"));
    for (number, words) in [
        (failing, "still failing"),
        (flaky, "flaky"),
        (changed, "changed into another bug"),
        (stale, "stale"),
        (unseen, "not seen"),
        (fixed, "fixed"),
    ] {
        if number > 0 {
            let _ = write!(text, ", {number} {words}");
        }
    }
    events::say(Event::End(Box::new(Totals::Check(counts))), &text);
}

/// The name of a verdict for people.
fn name(verdict: &BugVerdict) -> &'static str {
    match verdict {
        BugVerdict::Fixed => "fixed",
        BugVerdict::Failing => "still failing",
        BugVerdict::Flaky => "flaky",
        BugVerdict::Changed(_) => "changed",
        BugVerdict::Stale(_) => "stale",
        BugVerdict::Unseen(_) => "not seen",
    }
}
