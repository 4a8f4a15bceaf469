//! The section of one target.

use maud::{Markup, html};

use super::scale::Scale;
use super::{TargetPart, bug, cases, cut, reach, runs, shown};

/// Damaged files that are named.
const DAMAGED_MAX: usize = 20;

pub(super) fn section(number: usize, target: &TargetPart, scale: &Scale) -> Markup {
    html! {
        section.target id={ "t" (number) } {
            h2 { "Target " (shown(&target.name)) }
            @if target.is_gone {
                p.note { "The fuzz crate has no such target. The store has its bugs." }
            }
            (damaged(&target.damaged))
            (runs::section(&target.runs, scale))
            (cases::section(target.cases.as_ref(), scale))
            (reach::section(target.reach.as_ref(), scale))
            @if target.bugs.is_empty() { p { "The store has no bugs of this target." } }
            @for bug in &target.bugs {
                (bug::section(number, bug, scale))
                @for variant in &bug.variants { (bug::section(number, variant, scale)) }
            }
        }
    }
}

/// The targets of which nothing is known.
pub(super) fn unknown(targets: &[TargetPart]) -> Markup {
    let names: Vec<_> =
        targets.iter().filter(|target| !target.is_known()).map(|target| &*target.name).collect();
    html! { @if !names.is_empty() {
        section {
            h2 { "Other targets" }
            p { "There are no bugs and no runs of " (shown(&names.join(", "))) "." }
        }
    } }
}

fn damaged(damaged: &[(String, String)]) -> Markup {
    if damaged.is_empty() {
        return html! {};
    }
    html! {
        div.note {
            p { "Damaged in the store (" (damaged.len()) "):" }
            ul { @for (path, reason) in damaged.iter().take(DAMAGED_MAX) {
                li { span.code { (cut(path, 300)) } ": " (cut(reason, 300)) }
            } }
            @if damaged.len() > DAMAGED_MAX { p { "and " (damaged.len() - DAMAGED_MAX) " more" } }
        }
    }
}
