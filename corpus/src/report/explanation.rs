//! What is known of the failures around a minimized input.

use super::{Rate, SuspiciousLine};
use crate::Json;
use crate::excerpt::excerpt;

/// The longest line of an explanation for people.
const LINE_MAX_BYTES: usize = 600;

/// What is claimed of the failures around a minimized input.
///
/// All of it comes from tries, so it is an extrapolation: a value that was not tried may pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The drawn values. A letter stands for each part that may vary.
    pub value: Vec<String>,
    /// What each letter stands for: `A is any value from 3 to 255`.
    pub letters: Vec<String>,
    /// The tries in which all these parts varied together. `None` if nothing may vary.
    pub together: Option<Rate>,
    /// The drawn values of an input that passes, one small step away. Empty if none is known.
    pub passes: Vec<String>,
    /// The key of an older cause of the same bug, if this one is likely a further form of it.
    /// Empty for the bug's own input.
    pub same_as: Option<String>,
    /// Runs of the target that the explanation took.
    pub runs: u64,
    /// The lines that the failing runs reach and the passing runs near them do not, most suspicious
    /// first. At most [`LINES_MAX`](super::LINES_MAX); empty in a build without coverage.
    pub lines: Vec<SuspiciousLine>,
    /// The claims for programs. The crate `dwindle` writes and reads them.
    pub claims: Json,
}

impl Explanation {
    /// The explanation in at most three lines. `drawn` are the drawn values of the minimized input.
    ///
    /// ```text
    /// also fails: let b = A; where A is any value from 1000 to 65535 (100 of 100 tries)
    /// passes: let b = 999;
    /// src/map.rs:41 in insert: reached by 20 of 20 failing runs, by 0 of 20 that pass nearby
    /// ```
    pub fn lines(&self, drawn: &[String]) -> Vec<String> {
        let changed = |values: &[String]| {
            let values = values.iter().enumerate();
            let changed = values.filter(|(at, value)| drawn.get(*at) != Some(*value));
            changed.map(|(_, value)| in_one_line(value)).collect::<Vec<_>>().join(" ")
        };
        let mut lines = Vec::new();
        if let Some(Rate { failed, of }) = self.together
            && !self.letters.is_empty()
        {
            lines.push(format!(
                "also fails: {} where {} ({failed} of {of} tries)",
                changed(&self.value),
                self.letters.join(", ")
            ));
        }
        let passes = changed(&self.passes);
        if !passes.is_empty() {
            let replaced = self.replaced_step(drawn).map(in_one_line);
            let replaced = replaced.map(|step| format!(" in place of {step}")).unwrap_or_default();
            lines.push(format!("passes: {passes}{replaced}"));
        }
        lines.extend(self.lines.first().map(SuspiciousLine::in_words));
        lines.iter().map(|line| excerpt(line, LINE_MAX_BYTES).into_owned()).collect()
    }

    /// The only value of several that is another one in the passing input, unless the new one has
    /// its name: `let b = 2;` says by itself what it replaces, a step of a state machine does not.
    fn replaced_step<'a>(&self, drawn: &'a [String]) -> Option<&'a str> {
        let mut pairs = drawn.iter().zip(&self.passes).filter(|(old, new)| old != new);
        let (old, new) = pairs.next()?;
        let is_only = pairs.next().is_none() && drawn.len() == self.passes.len();
        let says_by_itself = drawn.len() == 1 || name(new).is_some_and(|of| name(old) == Some(of));
        (is_only && !says_by_itself).then_some(old)
    }

    /// The explanation with its long values cut by `cut`.
    pub(super) fn cut(&self, cut: impl Fn(&[String]) -> Vec<String>) -> Explanation {
        Explanation {
            value: cut(&self.value),
            letters: cut(&self.letters),
            passes: cut(&self.passes),
            ..self.clone()
        }
    }
}

fn in_one_line(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name in `let name = value;`.
fn name(value: &str) -> Option<&str> {
    Some(value.strip_prefix("let ")?.split_once(" = ")?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn the_lines_show_only_the_values_that_differ() {
        let explanation = Explanation {
            value: strings(&["let a = A;", "let b = 3;", "let c = B;"]),
            letters: strings(&["A is any value", "B is equal to A"]),
            together: Some(Rate { failed: 40, of: 40 }),
            passes: strings(&["let a = 0;", "let b = 2;", "let c = 0;"]),
            ..Explanation::default()
        };
        assert_eq!(
            explanation.lines(&strings(&["let a = 0;", "let b = 3;", "let c = 0;"])),
            [
                "also fails: let a = A; let c = B; where A is any value, B is equal to A (40 of 40 \
                 tries)",
                "passes: let b = 2;"
            ]
        );
    }

    #[test]
    fn a_step_that_passes_says_which_step_it_replaces() {
        let drawn = strings(&["let id = machine.add(1);", "machine.get(&id);", "machine.clear();"]);
        let explanation = Explanation {
            passes: strings(&["let id = machine.add(1);", "machine.clear();", "machine.clear();"]),
            ..Explanation::default()
        };
        assert_eq!(
            explanation.lines(&drawn),
            ["passes: machine.clear(); in place of machine.get(&id);"]
        );
    }

    #[test]
    fn an_explanation_without_letters_and_passing_input_has_no_lines() {
        assert!(Explanation::default().lines(&strings(&["1"])).is_empty());
    }

    #[test]
    fn long_lines_are_cut_and_values_of_several_lines_become_one() {
        let explanation = Explanation {
            passes: vec![format!("Point {{\n    x: {},\n}}", "1".repeat(10_000))],
            ..Explanation::default()
        };
        let lines = explanation.lines(&[]);
        assert!(lines[0].starts_with("passes: Point { x: 111"), "{}", lines[0]);
        assert!(lines[0].len() < 2 * LINE_MAX_BYTES, "{}", lines[0].len());
    }
}
