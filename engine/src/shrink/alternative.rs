//! Takes an earlier alternative. The choices that follow from it are kept as far as they fit, or
//! become the simplest.

use super::place::{
    alternative, as_alternative, collections, elements, is_continue, is_datum, values,
};
use super::realign;
use super::search::{Fruitless, Search, Verdict};
use crate::choice::{Choice, Constraint, PATH_END, Role, Value};
use crate::trace::{Label, Trace};

/// Reads as the simplest value wherever it does not fit, and as `false` or "no more" where it does.
pub(super) const SIMPLEST: Value = Value::Boolean(false);

/// Tries earlier alternatives for each choice, the simplest first.
pub(super) fn each(search: &mut Search<'_>) {
    let mut at = 0;
    while at < search.len() && !search.is_stopped() {
        if let Some(taken) = alternative(&search.choices()[at]) {
            for lower in lower_than(taken) {
                if one(search, at, lower) {
                    break;
                }
            }
        }
        at += 1;
    }
}

fn lower_than(taken: i128) -> Vec<i128> {
    if taken <= 12 {
        (0..taken).collect()
    } else {
        (0..6).chain([taken / 2, taken - 2, taken - 1]).collect()
    }
}

fn one(search: &mut Search<'_>, at: usize, lower: i128) -> bool {
    let kept = realign::attempt(search, at, |best, candidate| {
        candidate.extend(values(&best.choices, 0..best.len()));
        candidate[at] = as_alternative(&best.choices[at], lower);
    });
    if kept.holds() {
        return true;
    }
    let mut content = content(search, at);
    let Some(end) = end_of(search, at).filter(|end| *end > at + 1) else { return false };
    let with = |search: &mut Search<'_>, content: &[Value]| {
        realign::attempt(search, at, |best, candidate| {
            candidate.extend(values(&best.choices, 0..at));
            candidate.push(as_alternative(&best.choices[at], lower));
            candidate.extend_from_slice(content);
            candidate.resize(end.max(candidate.len()), SIMPLEST);
            candidate.extend(values(&best.choices, end..best.len()));
        })
        .holds()
    };
    if with(search, &[]) {
        return true;
    }
    // The same values in another shape: for example, two children in place of a list of two.
    let old = &search.choices()[at + 1..end];
    let bare: Vec<Value> = old.iter().filter_map(without_continuing).collect();
    if !bare.is_empty() && bare.len() < old.len() && with(search, &bare) {
        return true;
    }
    // Last, try another content than the simplest. It is new only where the old content has another
    // constraint.
    content = content.or_else(|| self::content(search, at));
    let other = content.filter(|drawn| {
        end == at + 2 && is_datum(drawn) && drawn.constraint != search.choices()[at + 1].constraint
    });
    other.is_some_and(|drawn| with(search, &[second_simplest(&drawn)]))
}

/// The value without the decision that an element follows. `None` if it says nothing else.
fn without_continuing(choice: &Choice) -> Option<Value> {
    match alternative(choice) {
        Some(index) => Some(Value::Integer(index)),
        None => (!is_continue(choice)).then(|| choice.value.clone()),
    }
}

/// Takes an earlier alternative and keeps only the end of the old content.
pub(super) fn shifted(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, SHIFTED_MAX);
    let mut at = 0;
    while at < search.len() && !fruitless.is_enough(search) {
        if let Some(taken) = alternative(&search.choices()[at]) {
            let ways = lower_than(taken)
                .into_iter()
                .flat_map(|lower| (1..=GONE_MAX).map(move |gone| (lower, gone)));
            for (lower, gone) in ways {
                if end_of(search, at).is_none_or(|end| at + 1 + gone >= end)
                    || fruitless.is_enough(search)
                {
                    continue;
                }
                let verdict = search.attempt(|best, candidate| {
                    candidate.extend(values(&best.choices, 0..at));
                    candidate.push(as_alternative(&best.choices[at], lower));
                    candidate.extend(values(&best.choices, at + 1 + gone..best.len()));
                });
                if verdict == Verdict::Better {
                    break;
                }
            }
        }
        at += 1;
    }
}

const SHIFTED_MAX: u64 = 60;
/// How many choices in front of the kept ones may go.
const GONE_MAX: usize = 2;

/// What the last candidate drew right behind `at`.
fn content(search: &Search<'_>, at: usize) -> Option<Choice> {
    search.trial().and_then(|trial| trial.choices.get(at + 1)).cloned()
}

/// Takes a later alternative where that makes the sequence shorter: its content is shorter, or an
/// element elsewhere can go.
pub(super) fn later(search: &mut Search<'_>) {
    let start = search.calls();
    let mut at = 0;
    while at < search.len() && search.calls() < start + LATER_MAX && !search.is_stopped() {
        if let (Some(taken), Constraint::Integer(range)) =
            (alternative(&search.choices()[at]), &search.choices()[at].constraint)
        {
            let last = range.max - i128::from(range.role == Role::Element);
            for higher in taken + 1..=last.min(taken + ALTERNATIVES_MAX) {
                if shorter_content(search, at, higher) || elsewhere(search, at, higher) {
                    break;
                }
            }
        }
        at += 1;
    }
}

const LATER_MAX: u64 = 150;
const ALTERNATIVES_MAX: i128 = 12;

/// Tries the later alternative with the simplest content. If the whole gets shorter, it then tries
/// the second simplest value for each choice of the content.
fn shorter_content(search: &mut Search<'_>, at: usize, higher: i128) -> bool {
    let Some(end) = end_of(search, at).filter(|end| *end > at + 1) else { return false };
    let prefix = |best: &Trace, candidate: &mut Vec<Value>| {
        candidate.extend(values(&best.choices, 0..at));
        candidate.push(as_alternative(&best.choices[at], higher));
    };
    let simplest = search.attempt(|best, candidate| {
        prefix(best, candidate);
        candidate.resize(end, SIMPLEST);
        candidate.extend(values(&best.choices, end..best.len()));
    });
    let Some(trial) = search.trial() else { return simplest == Verdict::Better };
    let Some(content) = end_in(trial, at)
        .filter(|content_end| *content_end < end)
        .and_then(|content_end| trial.choices.get(at + 1..content_end))
        .map(<[Choice]>::to_vec)
    else {
        return false;
    };
    let variants = (0..=content.len()).map(|second| {
        let value = |(index, choice): (usize, &Choice)| {
            if index == second { second_simplest(choice) } else { choice.value.clone() }
        };
        content.iter().enumerate().map(value).collect::<Vec<Value>>()
    });
    for variant in variants {
        let verdict = search.attempt(|best, candidate| {
            prefix(best, candidate);
            candidate.extend(variant);
            candidate.extend(values(&best.choices, end..best.len()));
        });
        if verdict == Verdict::Better {
            return true;
        }
    }
    false
}

/// The value that sorts next behind the simplest, or near it.
pub(super) fn second_simplest(choice: &Choice) -> Value {
    match &choice.constraint {
        Constraint::Boolean(_) => Value::Boolean(true),
        Constraint::Integer(range) => Value::Integer(if range.towards < range.max {
            range.towards + 1
        } else {
            range.towards.saturating_sub(1)
        }),
        Constraint::Float(_) => Value::Float(1.0),
        Constraint::Bytes(length) => Value::Bytes(vec![0; length.min + 1].into()),
        Constraint::Rest => Value::Bytes([0].into()),
        Constraint::Path => Value::Bytes([PATH_END].into()),
        Constraint::Text(length, alphabet) => Value::Text(
            std::iter::repeat_n(alphabet.simplest(), length.min + 1).collect::<String>().into(),
        ),
    }
}

fn elsewhere(search: &mut Search<'_>, at: usize, higher: i128) -> bool {
    for index in collections(search.spans()) {
        let elements = elements(search.choices(), search.spans(), index);
        if elements.len() > ELEMENTS_MAX {
            continue;
        }
        for gone in elements.into_iter().filter(|gone| !gone.contains(&at)) {
            let verdict = search.attempt(|best, candidate| {
                candidate.extend(values(&best.choices, 0..best.len()));
                candidate[at] = as_alternative(&best.choices[at], higher);
                candidate.drain(gone);
            });
            if verdict == Verdict::Better {
                return true;
            }
        }
    }
    false
}

const ELEMENTS_MAX: usize = 6;

/// The end of the choices that follow from the alternative at `at`.
fn end_of(search: &Search<'_>, at: usize) -> Option<usize> {
    end_in(search.best(), at)
}

/// The same in another trace, whose spans have other indices.
fn end_in(trace: &Trace, at: usize) -> Option<usize> {
    let begins = |span: &&crate::trace::Span| {
        span.start as usize == at && span.label != Label::COLLECTION && !span.label.is_draw()
    };
    trace.spans.iter().rfind(begins).map(|span| span.end as usize)
}

#[cfg(test)]
mod tests {
    use super::super::shrink_support::{FAILED, InProcess};
    use super::super::{Budget, Candidate, Runner, shrink};
    use super::*;
    use crate::generators as g;
    use crate::{Generator, TestCase, any};

    /// The numbers come as a pair or as a list.
    fn lie_elsewhere(tc: &mut TestCase) -> bool {
        let pair = (any::<i16>(), any::<i16>()).map(|(one, other)| vec![one, other]);
        let numbers = tc.draw(g::one_of((pair, g::vec(any::<i16>()))));
        numbers.len() != 2 || i32::from(numbers[0]).abs_diff(numbers[1].into()) != 30_417
    }

    #[test]
    fn the_values_of_a_list_fit_into_another_alternative() {
        let mut runner = InProcess::new(&lie_elsewhere);
        let (more, number) = (Value::Boolean, |number| Value::Integer(number));
        let start = [number(1), more(true), number(-5494), more(true), number(24_923), more(false)];
        let mut trace = Trace::default();
        runner.run(Candidate::replaying(&start), start.len(), &mut trace);
        assert_eq!(trace.values(), start);
        let budget = Budget { calls_max: 1000, exhaust_max: 0, around: None, stop: &mut || false };
        let best = shrink(&trace, FAILED, &mut runner, budget, &mut |_, _| {}).best;
        assert_eq!(best.values(), [0, 0, 30_417].map(number));
    }
}
