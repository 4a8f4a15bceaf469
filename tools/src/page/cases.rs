//! What the observed cases show: how they ended, and how drawn values are distributed.

use maud::{Markup, html};

use super::chart::bars;
use super::scale::Scale;
use super::{cut, shown};
use crate::observations::Cases;

pub(super) fn section(cases: Option<&Cases>, scale: &Scale) -> Markup {
    let Some(cases) = cases else {
        return html! {
            p.dim {
                "How drawn values are distributed is known after " code { "--observe FILE" } "."
            }
        };
    };
    html! {
        h3 { "Observed cases" }
        p.dim { (cases.count) " cases, " (shown(&cases.source)) }
        div.charts {
            (bars("How they ended", &cases.endings))
            @if !cases.reasons.is_empty() {
                (bars("Why cases were rejected", &printable(&cases.reasons)))
            }
            @for one in cases.distributions.iter().take(scale.distributions_max) {
                (bars(&cut(&one.name, 60), &printable(&one.rows)))
            }
        }
    }
}

fn printable(rows: &[(String, u64)]) -> Vec<(String, u64)> {
    rows.iter().map(|(name, count)| (cut(name, 80), *count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::Distribution;

    #[test]
    fn cases_have_bars_and_foreign_text_is_text() {
        let row = |name: &str, count| (name.to_owned(), count);
        let cases = Cases {
            count: 4,
            source: "at random".to_owned(),
            endings: vec![row("passed", 3), row("rejected", 1)],
            reasons: vec![row("a filter kept no value", 1)],
            distributions: vec![Distribution {
                name: "<b>".to_owned(),
                rows: vec![row("\x1b<i>", 4)],
            }],
        };
        let page = section(Some(&cases), &Scale::of(1)).into_string();
        for text in ["4 cases, at random", "75 %", "&lt;b&gt;", "\\u{1b}&lt;i&gt;"] {
            assert!(page.contains(text), "{text} is not in {page}");
        }
        assert!(section(None, &Scale::of(1)).into_string().contains("--observe FILE"));
    }
}
