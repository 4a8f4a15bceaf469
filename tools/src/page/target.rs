//! The section of one target.

use maud::{Markup, html};

use super::scale::Scale;
use super::{TargetPart, bug, counted, cut, shown};

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
            @if target.bugs.is_empty() && target.damaged.is_empty() {
                p { "The store has no bugs of this target." }
            }
            @for bug in &target.bugs {
                (bug::section(number, bug, scale))
                @for variant in &bug.variants { (bug::section(number, variant, scale)) }
            }
        }
    }
}

fn damaged(damaged: &[(String, String)]) -> Markup {
    if damaged.is_empty() {
        return html! {};
    }
    html! {
        div.note {
            p { (counted(damaged.len(), "file")) " in the store cannot be read. Nothing else is \
                 known of the bugs in them." }
            ul { @for (path, reason) in damaged.iter().take(DAMAGED_MAX) {
                li { span.code { (cut(path, 300)) } ": " (cut(reason, 300)) }
            } }
            @if damaged.len() > DAMAGED_MAX { p { "and " (damaged.len() - DAMAGED_MAX) " more" } }
        }
    }
}
