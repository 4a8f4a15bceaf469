//! How an input became small: choices against calls, and each accepted step as a difference.

use dwindle_corpus::ShrinkStep;
use maud::{Markup, html};

use super::chart::{Axis, Curve, curve};
use super::difference::difference;
use super::scale::Scale;
use super::{counted, cut};

pub(super) fn section(steps: &[ShrinkStep], scale: &Scale) -> Markup {
    if steps.len() < 2 {
        return html! {};
    }
    let is_raw = steps.iter().any(|step| step.choices.is_none());
    let size = |step: &ShrinkStep| step.choices.filter(|_| !is_raw).unwrap_or(step.bytes);
    let mut points: Vec<(f64, f64)> =
        steps.iter().map(|step| (step.calls as f64, size(step) as f64)).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let title = if is_raw { "bytes" } else { "choices" };
    let shown = chosen(steps.len(), scale.steps_max);
    let text_max = scale.text_max / shown.len().max(1);
    html! {
        details {
            summary { h4 { "Shrink" } span.dim {
                " " (counted(steps.len() - 1, "step")) ", from " (size(&steps[0])) " to "
                (size(&steps[steps.len() - 1])) " " (title)
            } }
            div.charts {
                (curve(&Curve {
                    title, across: Axis::Calls, points: &points, is_stepped: true, marks: &[],
                }))
            }
            ol.steps { @for (before, at) in before(&shown).zip(&shown) {
                (step(before.map(|before| &steps[before]), &steps[*at], text_max.max(60)))
            } }
            @if shown.len() < steps.len() {
                p.dim { (steps.len() - shown.len()) " steps are left out." }
            }
        }
    }
}

/// The numbers of the steps to show: at even distances, with the first and the last.
fn chosen(count: usize, steps_max: usize) -> Vec<usize> {
    let gaps = count.saturating_sub(1).min(steps_max.max(2) - 1).max(1);
    let mut chosen: Vec<usize> = (0..=gaps).map(|gap| gap * (count - 1) / gaps).collect();
    chosen.dedup();
    chosen
}

/// For each number the one before it.
fn before(chosen: &[usize]) -> impl Iterator<Item = Option<usize>> {
    std::iter::once(None).chain(chosen.iter().copied().map(Some))
}

fn step(before: Option<&ShrinkStep>, step: &ShrinkStep, text_max: usize) -> Markup {
    let text = |step: &ShrinkStep| cut(&step.value.join("\n"), text_max);
    html! {
        li {
            span.dim {
                @if before.is_none() { "as found" } @else { "after " (step.calls) " calls" }
                ": " @if let Some(choices) = step.choices {
                    (counted(choices as usize, "choice")) ", "
                }
                (counted(step.bytes as usize, "byte"))
            }
            @if !step.value.is_empty() {
                div.value { @match before.filter(|before| !before.value.is_empty()) {
                    Some(before) => { (difference(&text(before), &text(step))) }
                    None => { (text(step)) }
                } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(count: u64) -> Vec<ShrinkStep> {
        let step = |at: u64| ShrinkStep {
            calls: at * 10,
            choices: Some(count - at),
            bytes: 9,
            value: vec![format!("[{}]", count - at)],
        };
        (0..count).map(step).collect()
    }

    #[test]
    fn each_step_is_a_difference_from_the_one_before() {
        let page = section(&steps(3), &Scale::of(1)).into_string();
        for text in [
            "as found: 3 choices, 9 bytes",
            "[<del>3</del><ins>2</ins>]",
            "after 20 calls: 1 choice, 9 bytes",
            "class=\"curve\"",
            "2 steps, from 3 to 1 choices",
        ] {
            assert!(page.contains(text), "{text} is not in {page}");
        }
    }

    #[test]
    fn of_many_steps_the_ends_are_shown_and_some_between() {
        assert_eq!(chosen(48, 4), [0, 15, 31, 47]);
        assert_eq!(chosen(2, 64), [0, 1]);
        assert_eq!(chosen(5, 0), [0, 4]);
        let scale = Scale { steps_max: 4, ..Scale::of(1) };
        let page = section(&steps(48), &scale).into_string();
        assert!(page.contains("44 steps are left out."), "{page}");
    }

    #[test]
    fn without_steps_there_is_no_section() {
        assert_eq!(section(&[], &Scale::of(1)).into_string(), "");
    }
}
