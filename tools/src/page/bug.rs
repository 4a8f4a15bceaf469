//! The section of one bug, or of one of its variants.

use dwindle_corpus::{BugKind, Rate, Report, Status, is_cause_key, printable_path};
use maud::{Markup, html};

use super::difference::difference;
use super::scale::Scale;
use super::source::{excerpt, no_lines};
use super::table::{anchor, name, place, status};
use super::value::tree;
use super::{BugPart, cut, lines, shown, shrink};
use crate::value_tree::{Letter, letters};

pub(super) fn section(number: usize, bug: &BugPart, scale: &Scale) -> Markup {
    let report = &bug.report;
    html! {
        article.card id=(anchor(number, bug)) {
            h3 {
                (report.kind) " at " span.code { (place(report)) }
                " " (status(report))
            }
            p.dim { (kind_of(bug)) " · " (sizes(report)) @if bug.variant.is_none() {
                " · " (bug.hits) @if bug.hits == 1 { " hit" } @else { " hits" }
            } }
            pre.message { (cut(&report.message, scale.text_max)) }
            @if let Some(reliability) = report.reliability() { p.note { (reliability) } }
            (values(report, scale))
            (passing(report, scale))
            (source(bug))
            (lines::section(bug, scale))
            (frames(report, scale))
            (shrink::section(&bug.steps, scale))
            (commands(bug))
        }
    }
}

fn kind_of(bug: &BugPart) -> Markup {
    let id = bug.report.bug_id;
    html! { @match &bug.variant {
        None => { "bug " span.code { (id) } }
        Some(key) if is_cause_key(key) => { "another cause of bug " span.code { (id) } ": "
            (name(bug)) }
        Some(_) => { "bug " span.code { (id) } " through another call path: " (name(bug)) }
    } }
}

fn sizes(report: &Report) -> String {
    let before = report.original_bytes;
    match (report.minimized_bytes, report.original_choices, report.minimized_choices) {
        (Some(bytes), Some(choices), Some(after)) => format!(
            "{choices} choices ({before} bytes) became {after} ({bytes} bytes) in {} calls",
            report.calls
        ),
        (Some(bytes), ..) => format!("{before} bytes became {bytes} in {} calls", report.calls),
        _ => format!("{before} bytes"),
    }
}

/// The drawn values with their letters, and what is claimed.
fn values(report: &Report, scale: &Scale) -> Markup {
    let drawn = report.drawn();
    if drawn.is_empty() {
        return html! { p.dim { "The report has no drawn values." } };
    }
    let known = report.explanation.as_ref().filter(|known| known.together.is_some());
    let letters = known.map_or_else(Vec::new, |known| letters(&known.letters));
    let lettered = |at: usize| {
        let text = known?.value.get(at).filter(|text| **text != drawn[at])?;
        (text.len() <= scale.text_max).then(|| shown(text))
    };
    let mut left = scale.texts_max;
    let mut shown_values = Vec::new();
    for (at, value) in drawn.iter().enumerate() {
        if left == 0 {
            break;
        }
        let text = cut(value, scale.text_max.min(left));
        left = left.saturating_sub(text.len());
        shown_values.push(tree(&text, lettered(at).as_deref(), &letters, scale));
    }
    let more = drawn.len() - shown_values.len();
    html! {
        h4 { "Input" }
        @for value in &shown_values { (value) }
        @if more > 0 { p.dim { "and " (more) " more values" } }
        (claims(report, &letters))
    }
}

/// What the letters stand for, or why there are none.
fn claims(report: &Report, letters: &[Letter<'_>]) -> Markup {
    if let Some(Rate { failed, of }) =
        report.explanation.as_ref().and_then(|known| known.together).filter(|_| !letters.is_empty())
    {
        return html! {
            dl.claims { @for group in letters.chunk_by(|one, other| one.meaning == other.meaning) {
                @let names: Vec<&str> = group.iter().map(|letter| letter.name).collect();
                dt { (shown(&names.join(", "))) } dd { (cut(group[0].meaning, 300)) }
            } }
            p.dim { (failed) " of " (of) " tries with other values fail in the same way." }
        };
    }
    html! { p.dim { (why_unclaimed(report)) } }
}

fn why_unclaimed(report: &Report) -> &'static str {
    match (report.status, report.kind) {
        (Status::Flaky, _) => {
            "This bug is flaky, so nothing is claimed of other inputs, and no line is suspicious."
        }
        (Status::Pending, _) => "This bug is not minimized yet, so nothing is claimed.",
        _ if report.explanation.is_some() => "No other value at any place was seen to fail.",
        (_, BugKind::Timeout | BugKind::Oom | BugKind::StackOverflow) => {
            "dwindle claims nothing of this kind of failure."
        }
        _ => "dwindle has not looked at inputs around this one.",
    }
}

/// The nearest input that passes, as a difference.
fn passing(report: &Report, scale: &Scale) -> Markup {
    let Some(known) = &report.explanation else { return html! {} };
    let drawn = report.drawn();
    let own = |at: usize| drawn.get(at).map_or("", String::as_str);
    let changed: Vec<_> =
        known.passes.iter().enumerate().filter(|(at, value)| own(*at) != *value).take(8).collect();
    if changed.is_empty() {
        return html! {};
    }
    let text_max = scale.text_max / 2;
    html! {
        h4 { "Nearest input that passes" }
        @for (at, value) in changed {
            div.value { (difference(&cut(own(at), text_max), &cut(value, text_max))) }
        }
    }
}

fn source(bug: &BugPart) -> Markup {
    html! { @if let Some(source) = &bug.source {
        h4 { "Where it failed" }
        @match source { Ok(lines) => { (excerpt(lines)) } Err(why) => { (no_lines(*why)) } }
    } }
}

fn frames(report: &Report, scale: &Scale) -> Markup {
    let frames = &report.frames;
    let shown = frames.len().min(scale.frames_max);
    html! { @if !frames.is_empty() {
        details {
            summary { h4 { "Frames" } }
            ol.code { @for frame in &frames[..shown] { li { (cut(frame, 200)) } } }
            @if shown < frames.len() { p.dim { "and " (frames.len() - shown) " more" } }
        }
    } }
}

fn commands(bug: &BugPart) -> Markup {
    html! {
        h4 { "Commands" }
        dl.commands { @for (what, command) in &bug.commands {
            dt { (what) } dd { code.copy { (shown(command)) } }
        }
            dt { "its files" } dd.code { (printable_path(&bug.directory)) }
        }
    }
}
