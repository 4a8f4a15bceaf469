//! The table of all bugs and their causes.

use dwindle_corpus::{Report, is_cause_key};
use maud::{Markup, html};

use super::scale::Scale;
use super::{BugPart, Page, cut, shown};

/// Bytes of a message in the table.
const MESSAGE_MAX_BYTES: usize = 90;

pub(super) fn bugs(page: &Page, scale: &Scale) -> Markup {
    if page.bugs().next().is_none() {
        return html! {
            section.card { h2 { "Bugs" } p { "The store has no bugs of these targets." } }
        };
    }
    let has_targets = page.targets.len() > 1;
    let numbered = || page.targets.iter().enumerate();
    html! {
        section {
            h2 { "Bugs and causes" }
            div.wide { table.sortable {
                thead { tr {
                    th { "bug" }
                    @if has_targets { th { "target" } }
                    th { "kind" }
                    th { "where" }
                    th { "message" }
                    th { "status" }
                    th.number { "hits" }
                    th.number { "choices" }
                    th.number { "bytes" }
                    th { "first seen" }
                } }
                tbody { @for (number, target) in numbered() { @for bug in &target.bugs {
                    @for one in std::iter::once(bug).chain(&bug.variants) {
                        @let name = has_targets.then_some(target.name.as_str());
                        (row(number, one, name, scale))
                    }
                } } }
            } }
        }
    }
}

fn row(number: usize, bug: &BugPart, target: Option<&str>, scale: &Scale) -> Markup {
    let report = &bug.report;
    let message = report.message.lines().next().unwrap_or_default();
    html! {
        tr class=[bug.variant.as_ref().map(|_| "variant")] {
            td data-sort=(name(bug)) { a href={ "#" (anchor(number, bug)) } { (name(bug)) } }
            @if let Some(target) = target { td { (shown(target)) } }
            td { (report.kind) }
            td.code { (place(report)) }
            td.message { (cut(message, MESSAGE_MAX_BYTES.min(scale.text_max))) }
            td { (status(report)) }
            td.number data-sort=(bug.hits) { @if bug.variant.is_none() { (bug.hits) } }
            (size(report.original_choices, report.minimized_choices))
            (size(Some(report.original_bytes), report.minimized_bytes))
            td data-sort=(report.first_seen) { (day(report.first_seen)) }
        }
    }
}

/// A cell with a size before and after.
fn size(before: Option<u64>, after: Option<u64>) -> Markup {
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    html! {
        td.number data-sort=(after.or(before).unwrap_or(0)) {
            @if before.is_some() || after.is_some() {
                span.dim { (number(before)) " → " } (number(after))
            }
        }
    }
}

/// The name of a bug or a variant: its id, or what kind of variant it is and its key.
pub(super) fn name(bug: &BugPart) -> String {
    match &bug.variant {
        None => bug.report.bug_id.to_string(),
        Some(key) if is_cause_key(key) => {
            format!("cause {}", shown(key.trim_start_matches("cause-")))
        }
        Some(key) => format!("call path {}", shown(key)),
    }
}

/// Where a bug stands on the page.
pub(super) fn anchor(number: usize, bug: &BugPart) -> String {
    let variant = bug.variant.as_ref().map_or(String::new(), |key| format!("-{key}"));
    let name = format!("t{number}-{}{variant}", bug.report.bug_id);
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

pub(super) fn place(report: &Report) -> String {
    cut(report.location.as_deref().unwrap_or("an unknown place"), 200)
}

pub(super) fn status(report: &Report) -> Markup {
    let status = report.status.to_string();
    html! { span class={ "status " (status) } { (status) } }
}

/// The last day with four digits in its year.
const DAY_MAX: u64 = 253_402_300_799;

fn day(seconds: u64) -> String {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds.min(DAY_MAX));
    humantime::format_rfc3339_seconds(time).to_string().chars().take(10).collect()
}
