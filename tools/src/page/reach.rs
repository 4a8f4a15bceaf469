//! Coverage by file, with the smallest input for each line.

use dwindle_corpus::printable_path;
use maud::{Markup, html};

use super::chart::percent;
use super::scale::Scale;
use super::{counted, cut};
use crate::reach::{FileReach, Reach, Tried};
use crate::screen::from_here;

pub(super) fn section(reach: Option<&Reach>, scale: &Scale) -> Markup {
    let Some(reach) = reach else {
        return html! {
            p.dim { "Which input reaches which line is known after " code { "--coverage" } "." }
        };
    };
    html! {
        h3 { "Coverage" }
        p.dim {
            (counted(reach.files.len(), "file")) ", by " (counted(reach.inputs.len(), "input"))
            @if reach.left_out > 0 { ". The " (reach.left_out) " largest inputs were not run." }
        }
        @for file in &reach.files { (one(file, &reach.inputs, scale)) }
    }
}

fn one(file: &FileReach, inputs: &[Tried], scale: &Scale) -> Markup {
    let (reached, all) = (file.reached(), file.lines.len());
    let rows = file.rows();
    let shown = rows.len().min(scale.rows_max);
    html! {
        details {
            summary {
                span.code { (cut(&file.name, 120)) } " "
                span.dim { (percent(reached as u64, all as u64)) " of " (counted(all, "line")) }
            }
            table.reach {
                thead { tr { th { "lines" } th.number { "count" } th { "smallest input" } } }
                tbody { @for row in &rows[..shown] { tr {
                    td.code { (cut(&row.lines, 400)) }
                    td.number { (row.count) }
                    td.code { @match row.input.and_then(|input| inputs.get(input)) {
                        Some(input) => span title=(printable_path(&input.path)) {
                            (from_here(&input.path))
                            " (" (counted(input.bytes as usize, "byte")) ")"
                        },
                        None => span.missed { "not reached" },
                    } }
                } } }
            }
            @if shown < rows.len() { p.dim { "and " (rows.len() - shown) " more inputs" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_lines_by_input() {
        let mut file = FileReach { name: "demo/src/<lib>.rs".to_owned(), ..FileReach::default() };
        file.add(0, &[(1, 1), (2, 1), (3, 0), (4, 0)]);
        let tried = Tried { path: "corpus/ab".into(), bytes: 2 };
        let reach = Reach { inputs: vec![tried], left_out: 7, files: vec![file] };
        let page = section(Some(&reach), &Scale::of(1)).into_string();
        for text in [
            "demo/src/&lt;lib&gt;.rs",
            "50 % of 4 lines",
            "corpus/ab (2 bytes)",
            "not reached",
            "The 7 largest inputs were not run.",
            "3-4",
        ] {
            assert!(page.contains(text), "{text} is not in {page}");
        }
        assert!(section(None, &Scale::of(1)).into_string().contains("--coverage"));
    }
}
