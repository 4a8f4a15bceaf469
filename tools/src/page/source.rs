//! Lines of source code, or the reason why there are none.

use maud::{Markup, html};

use super::shown;
use crate::sources::{Excerpt, NoLines};

pub(super) fn no_lines(why: NoLines) -> Markup {
    html! { p.dim { (match why {
        NoLines::Missing => "The source file is not in this repository.",
        NoLines::Shorter => "The source file has changed: it has fewer lines now.",
        NoLines::Changed => "The source has changed since the target was built.",
        NoLines::Unknown => {
            "The source was missing, or newer than the target, when dwindle ran the target."
        }
    }) } }
}

pub(super) fn excerpt(excerpt: &Excerpt) -> Markup {
    html! {
        @if excerpt.is_changed {
            p.dim { "The file is newer than the report, so this may be another line." }
        }
        pre.source { @for (number, line) in (excerpt.first..).zip(&excerpt.lines) {
            span class=[(number == excerpt.line).then_some("here")] {
                span.line { (format!("{number:>5}")) } "  " (shown(line)) "\n"
            }
        } }
    }
}
