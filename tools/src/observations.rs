//! What the observed cases of a target have in common: how they ended, and how the drawn values are
//! distributed.

use crate::value_tree::{Node, Shape, parse};
use dwindle_corpus::{CaseStatus, Observation};
use serde_json::Value;
use std::collections::BTreeMap;

/// The figures of the cases of one target.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    pub(crate) count: u64,
    /// Where they come from, from the first case.
    pub(crate) source: String,
    /// How many ended in each way.
    pub(crate) endings: Vec<(String, u64)>,
    /// The rejected ones by reason, the most first.
    pub(crate) reasons: Vec<(String, u64)>,
    /// One for each value that was drawn, and one for the number of choices.
    pub(crate) distributions: Vec<Distribution>,
}

/// How one value is distributed over the cases.
#[derive(Debug, PartialEq)]
pub(crate) struct Distribution {
    pub(crate) name: String,
    /// A value or an interval of values, and in how many cases it was drawn.
    pub(crate) rows: Vec<(String, u64)>,
}

/// The most values whose distributions are kept.
const DISTRIBUTIONS_MAX: usize = 24;
/// The most rows of a distribution.
const ROWS_MAX: usize = 10;
/// The most characters of a value in a row.
const NAME_MAX_CHARS: usize = 40;
/// The name of all rows that are left out.
const OTHERS: &str = "others";

impl Cases {
    /// Reads the lines of a file. Lines that are no cases are left out.
    pub(crate) fn read(text: &[u8]) -> Cases {
        let lines = text.split(|byte| *byte == b'\n');
        let observations: Vec<Observation> = lines.filter_map(Observation::read).collect();
        let mut cases = Cases { count: observations.len() as u64, ..Cases::default() };
        cases.source = observations.first().map_or_else(String::new, |o| o.how_generated.clone());
        let ended = |status| observations.iter().filter(|o| o.status == status).count() as u64;
        cases.endings = [
            ("passed", CaseStatus::Passed),
            ("failed", CaseStatus::Failed),
            ("rejected", CaseStatus::GaveUp),
        ]
        .map(|(name, status)| (name.to_owned(), ended(status)))
        .into();
        let rejected = observations.iter().filter(|o| o.status == CaseStatus::GaveUp);
        cases.reasons = most(rejected.map(|o| o.status_reason.clone()));
        cases.distributions = distributions(&observations);
        cases
    }
}

fn distributions(observations: &[Observation]) -> Vec<Distribution> {
    let mut values: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    let mut order = Vec::new();
    let mut add = |name: &str, value| {
        values
            .entry(name.to_owned())
            .or_insert_with(|| {
                order.push(name.to_owned());
                Vec::new()
            })
            .push(value);
    };
    for observation in observations {
        if let Some(choices) = observation.features.get("choices") {
            add("choices of a case", choices);
        }
        observation.arguments.iter().for_each(|(name, value)| add(name, value));
    }
    let mut found = Vec::new();
    for name in order.into_iter().take(DISTRIBUTIONS_MAX) {
        let values = values.remove(&name).unwrap_or_default();
        found.extend(of_values(&name, &values));
    }
    found.truncate(DISTRIBUTIONS_MAX);
    found
}

/// The distributions of one drawn value: of numbers in intervals, of collections by their length
/// and by what their elements are called, of others by value.
fn of_values(name: &str, values: &[&Value]) -> Vec<Distribution> {
    let numbers: Vec<f64> = values.iter().filter_map(|value| value.as_f64()).collect();
    if numbers.len() == values.len() {
        return vec![Distribution { name: name.to_owned(), rows: intervals(&numbers) }];
    }
    let texts: Vec<String> = values.iter().map(|value| text(value)).collect();
    let nodes: Vec<Node> = texts.iter().map(|text| parse(text)).collect();
    let is_collection = |node: &Node| matches!(node.shape, Shape::List | Shape::Set | Shape::Map);
    if nodes.iter().all(|node| is_collection(node) || node.is_leaf())
        && nodes.iter().any(is_collection)
    {
        let lengths: Vec<f64> = nodes.iter().map(|node| node.children.len() as f64).collect();
        let mut found =
            vec![Distribution { name: format!("length of {name}"), rows: intervals(&lengths) }];
        let elements = texts
            .iter()
            .zip(&nodes)
            .flat_map(|(text, node)| node.children.iter().filter_map(|child| called(text, child)));
        let rows = most(elements);
        if !rows.is_empty() {
            found.push(Distribution { name: format!("elements of {name}"), rows });
        }
        return found;
    }
    let rows = most(texts.iter().zip(&nodes).map(|(text, node)| {
        called(text, node).filter(|_| !node.is_leaf()).unwrap_or_else(|| text.clone())
    }));
    vec![Distribution { name: name.to_owned(), rows }]
}

/// The lines of a program become a list again.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => {
            let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
            format!("[{}]", lines.join(", "))
        }
        other => other.to_string(),
    }
}

/// The name of a variant or a struct, or of a function that a program calls.
fn called(text: &str, node: &Node) -> Option<String> {
    let words = if node.is_leaf() { &text[node.value.clone()] } else { &text[node.head.clone()] };
    let name = words.trim_end_matches(['(', '{', '[']).trim_end();
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let is_name = name.starts_with(starts) && !name.contains(char::is_whitespace);
    is_name.then(|| name.to_owned())
}

/// Equal texts counted, the most first. The last row has what is left out.
fn most(texts: impl Iterator<Item = String>) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for text in texts {
        let short: String = text.chars().take(NAME_MAX_CHARS).collect();
        let name = if short.len() < text.len() { short + ".." } else { short };
        *counts.entry(name).or_default() += 1;
    }
    let mut rows: Vec<(String, u64)> = counts.into_iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if rows.len() > ROWS_MAX {
        let others = rows.split_off(ROWS_MAX - 1);
        rows.push((OTHERS.to_owned(), others.iter().map(|(_, count)| count).sum()));
    }
    rows
}

/// Numbers in intervals: each number alone if they are few, else intervals that grow with the
/// distance from zero where they are far apart.
fn intervals(numbers: &[f64]) -> Vec<(String, u64)> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup_by(|one, other| one.total_cmp(other).is_eq());
    if distinct.len() <= ROWS_MAX {
        let equal = sorted.chunk_by(|one, other| one.total_cmp(other).is_eq());
        return equal.map(|equal| (equal[0].to_string(), equal.len() as u64)).collect();
    }
    let (least, greatest) = (sorted[0], sorted[sorted.len() - 1]);
    let is_even = sorted[sorted.len() / 2] - least >= (greatest - least) / 4.0;
    let bounds = bounds(least, greatest, is_even);
    let rows = bounds.windows(2).enumerate().map(|(at, pair)| {
        let is_last = at + 2 == bounds.len();
        let holds = |number: &&f64| pair[0] <= **number && (**number < pair[1] || is_last);
        let count = sorted.iter().filter(holds).count() as u64;
        (format!("{} to {}", shown(pair[0]), shown(pair[1])), count)
    });
    rows.collect()
}

/// The ends of the intervals from `least` to `greatest`: at even distances, or at powers, which
/// show more of many small numbers beside a few large ones.
fn bounds(least: f64, greatest: f64, is_even: bool) -> Vec<f64> {
    if is_even && greatest - least <= 1_000.0 {
        let step = (greatest - least) / ROWS_MAX as f64;
        let mut bounds: Vec<f64> = (0..ROWS_MAX).map(|at| least + step * at as f64).collect();
        bounds.push(greatest);
        return bounds;
    }
    // Each power of this base has one interval on each side of zero.
    let size = least.abs().max(greatest.abs());
    let sides = if least < 0.0 && greatest > 0.0 { 2.0 } else { 1.0 };
    let base = (size.ln() / (ROWS_MAX as f64 / sides - 1.0)).exp().max(2.0);
    let mut bounds = vec![least, greatest];
    let mut power = 1.0;
    while power < size {
        bounds.extend([power, -power]);
        power *= base;
    }
    bounds.push(0.0);
    bounds.retain(|bound| (least..=greatest).contains(bound));
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    bounds
}

fn shown(number: f64) -> String {
    let rounded = number.round();
    if number.abs() >= 1e6 {
        format!("{number:.1e}")
    } else if (number - rounded).abs() < 1e-9 || number.abs() >= 100.0 {
        format!("{rounded}")
    } else {
        format!("{number:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(status: &str, reason: &str, arguments: &Value) -> String {
        let line = json!({
            "type": "test_case", "run_start": 1.0, "property": "parse", "status": status,
            "status_reason": reason, "representation": "", "arguments": arguments,
            "how_generated": "at random", "features": {"choices": 3}, "coverage": null,
            "timing": {}, "metadata": {}
        });
        format!("{line}\n")
    }

    fn rows(cases: &Cases, name: &str) -> Vec<(String, u64)> {
        let found = cases.distributions.iter().find(|one| one.name == name);
        found.unwrap_or_else(|| panic!("{name} is not in {cases:?}")).rows.clone()
    }

    fn pairs(pairs: &[(&str, u64)]) -> Vec<(String, u64)> {
        pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn cases_are_counted_by_ending_reason_and_value() {
        let text = line("passed", "", &json!({"n": 1, "ops": "[Put(1), Get, Put(2)]"}))
            + &line("passed", "", &json!({"n": 1, "ops": "[]"}))
            + &line("gave_up", "a filter kept no value", &json!({"n": 2}))
            + "noise\n{\"type\":\"info\"}\n"
            + &line("failed", "panic", &json!({"mode": "Fast", "program": ["a.push(1);"]}));
        let cases = Cases::read(text.as_bytes());
        assert_eq!((cases.count, &*cases.source), (4, "at random"));
        assert_eq!(cases.endings, pairs(&[("passed", 2), ("failed", 1), ("rejected", 1)]));
        assert_eq!(cases.reasons, pairs(&[("a filter kept no value", 1)]));
        assert_eq!(rows(&cases, "n"), pairs(&[("1", 2), ("2", 1)]));
        assert_eq!(rows(&cases, "length of ops"), pairs(&[("0", 1), ("3", 1)]));
        assert_eq!(rows(&cases, "elements of ops"), pairs(&[("Put", 2), ("Get", 1)]));
        assert_eq!(rows(&cases, "mode"), pairs(&[("Fast", 1)]));
        assert_eq!(rows(&cases, "elements of program"), pairs(&[("a.push", 1)]));
        assert_eq!(rows(&cases, "choices of a case"), pairs(&[("3", 4)]));
    }

    #[test]
    fn many_numbers_become_intervals_that_hold_all_of_them() {
        for numbers in [
            (0..100).map(f64::from).collect::<Vec<_>>(),
            (-50..50).map(|n| f64::from(n) * 1e9).collect(),
            (0..64).map(|bit| 2_f64.powi(bit)).collect(),
            (0..60).map(|n| f64::from(n % 20)).chain([800.0]).collect(),
        ] {
            let rows = intervals(&numbers);
            let all: u64 = rows.iter().map(|(_, count)| count).sum();
            assert_eq!(all, numbers.len() as u64, "{rows:?}");
            assert!(rows.len() <= 2 * ROWS_MAX, "{rows:?}");
        }
    }

    #[test]
    fn many_texts_leave_others() {
        let rows = most((0..100).map(|number| number.to_string()));
        assert_eq!((rows.len(), rows[ROWS_MAX - 1].clone()), (ROWS_MAX, ("others".to_owned(), 91)));
    }
}
