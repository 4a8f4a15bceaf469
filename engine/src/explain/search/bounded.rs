//! Two values that are each free within bounds, and an inequality between them: `1 <= a < b <= 9`.

use super::interval::{self, Beside, Moving};
use super::roots::roots;
use super::single::longer;
use crate::choice::{Choice, Constraint, Value};
use crate::explain::classes::claims::{Claim, Place, Relation, Says, Term};
use crate::explain::classes::evidence::{Evidence, TRIES};
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::study::Study;

/// By how much a string is extended to see what a number beside it may be.
const LONGER: usize = 8;

/// Claims that bound the choice `at` and the value of `term`, and relate one of them to the other.
/// `None` if `term` is no value.
pub(super) fn find(
    study: &mut Study<'_>,
    claims: &[Claim],
    at: usize,
    term: Term,
) -> Option<Vec<Claim>> {
    let Term::Value(other) = term else { return None };
    [(at, other), (other, at)]
        .into_iter()
        .find_map(|(root, second)| with_root(study, claims, root, second))
}

/// The value of `root` as it is claimed to be, and the second one within what it may be while
/// `root` is at an end of its bounds. What the relation says already is no bound.
fn with_root(
    study: &mut Study<'_>,
    claims: &[Claim],
    root: usize,
    second: usize,
) -> Option<Vec<Claim>> {
    let free = roots(study, claims, Place::Choice(root)).pop()?;
    let up = [Relation::AtMost, Relation::Less];
    let down = [Relation::AtLeast, Relation::Greater];
    let [low, high] = ends(study, root, &free);
    for (end, relations) in [(high, up), (low, down)] {
        let Some(end) = end.filter(|end| *end != study.base.choices[root].value) else { continue };
        let range = match study.line(second) {
            Some(line) => {
                let with = Some((root, Beside::Is(end.clone())));
                let range = interval::range(study, &Moving { at: second, line, with });
                let Some(range) = range else { continue };
                Some(range)
            }
            None => longer(&study.base.choices[second]),
        };
        for relation in relations {
            let bounds = range
                .as_ref()
                .and_then(|range| unsaid(&study.base.choices[second], range, relation, &end));
            let mut pattern = free.clone();
            pattern.extend(
                bounds.map(|bounds| Claim::untried(Place::Choice(second), Says::Within(bounds))),
            );
            pattern.push(Claim::untried(
                Place::Choice(second),
                Says::Related(relation, Term::Value(root)),
            ));
            study.forget(Place::Choice(second));
            let (own, other) = (&study.base.choices[second].value, &study.base.choices[root].value);
            if relation.holds(own, other)
                && matches!(study.vary(&pattern, TRIES), Evidence::Holds(_))
            {
                return Some(pattern);
            }
        }
    }
    None
}

/// The least and the greatest value that `free` claims for a number, or a longer string.
fn ends(study: &Study<'_>, at: usize, free: &[Claim]) -> [Option<Value>; 2] {
    let choice = &study.base.choices[at];
    let within = free.iter().find_map(|claim| match &claim.says {
        Says::Within(constraint) if claim.place == Place::Choice(at) => Some(constraint),
        _ => None,
    });
    if let Some(line) = NumberLine::under(within.unwrap_or(&choice.constraint)) {
        return [line.min(), line.max()].map(|point| Some(line.value(point)));
    }
    let extended = match &choice.value {
        Value::Text(text) => Value::Text(format!("{text}{}", "0".repeat(LONGER)).into()),
        Value::Bytes(bytes) => Value::Bytes([bytes, &[0; LONGER][..]].concat().into()),
        _ => return [None, None],
    };
    [None, Some(choice.constraint.nearest(&extended))]
}

/// The bounds in `range` that do not follow from the relation to `end`. `None` if there are none.
fn unsaid(
    choice: &Choice,
    range: &Constraint,
    relation: Relation,
    end: &Value,
) -> Option<Constraint> {
    let Some(all) = NumberLine::of(choice) else { return Some(range.clone()) };
    let said = NumberLine::under(&relation.range(choice, end)?)?;
    let found = NumberLine::under(range)?;
    let min = if found.min() == said.min() { all.min() } else { found.min() };
    let max = if found.max() == said.max() { all.max() } else { found.max() };
    (min != all.min() || max != all.max()).then(|| all.between(min, max))
}
