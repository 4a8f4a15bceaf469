//! The lines that failing runs reach and passing runs near them do not.

use maud::{Markup, html};

use super::scale::Scale;
use super::source::{excerpt, no_lines};
use super::{BugPart, cut};

/// The suspicious lines with their source. Nothing if the report has none.
pub(super) fn section(bug: &BugPart, scale: &Scale) -> Markup {
    let lines = bug.report.explanation.as_ref().map_or(&[][..], |known| &known.lines);
    let more = lines.len().saturating_sub(scale.lines_max);
    html! { @if !lines.is_empty() {
        h4 { "Suspicious lines" }
        p.dim {
            "Runs that fail like this reach these lines, and most runs that pass nearby do not. "
            "This is a hint, no proof: a line may be a consequence of the fault."
        }
        @for (line, source) in lines.iter().zip(&bug.lines).take(scale.lines_max) {
            p {
                span.code { (cut(&line.file, 200)) ":" (line.line) }
                @if !line.function.is_empty() { " in " span.code { (cut(&line.function, 200)) } }
                ": reached by " (line.failing.runs) " of " (line.failing.of) " failing runs, by "
                (line.passing.runs) " of " (line.passing.of) " that pass nearby"
            }
            @match source { Ok(lines) => { (excerpt(lines)) } Err(why) => { (no_lines(*why)) } }
        }
        @if more > 0 { p.dim { "and " (more) " more" } }
    } }
}
