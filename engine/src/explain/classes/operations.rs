//! The operations of an input: the elements of its outermost collection, or the rounds of a loop
//! that is written by hand.

use std::ops::Range;

use crate::choice::{Choice, Value};
use crate::shrink::place::alternative;
use crate::trace::{Label, Span, Trace};

/// The alternative that the last element of the outermost collection takes. Of a round of a loop,
/// the first number behind what says that the loop goes on.
///
/// Two operations may need the same state and be two faults: reading a key, and replacing it. No
/// context tells them apart. The operation that shows the fault stands last in a minimized input.
pub(crate) fn last_operation(trace: &Trace) -> Option<i128> {
    let number = |choice: &Choice| match choice.value {
        Value::Integer(value) => Some(value),
        _ => None,
    };
    let Rounds { mut rounds, condition } = outermost(trace);
    if let Some(round) = rounds.pop() {
        return trace.choices[round.start + condition..round.end].iter().find_map(number);
    }
    alternative(trace.choices.get(last_element(trace)?.start)?)
}

/// The choices of the last element of the outermost collection.
pub(crate) fn last_element(trace: &Trace) -> Option<Range<usize>> {
    outermost_elements(trace).last()
}

/// The choices of each element of the outermost collections, in order; or of each
/// [round](outermost_rounds) of a loop around them.
pub(crate) fn outermost_elements(trace: &Trace) -> impl Iterator<Item = Range<usize>> + use<> {
    let rounds = outermost_rounds(trace);
    if rounds.is_empty() { elements(trace) } else { rounds }.into_iter()
}

/// The choices of the element that holds a choice, of the collection next to it; or of the round.
pub(crate) fn innermost_element(trace: &Trace, at: usize) -> Option<Range<usize>> {
    let is_element = |span: &&Span| span.label == Label::ELEMENT && !span.discarded;
    let elements = trace.spans.iter().filter(is_element).map(Span::range);
    let all = elements.chain(outermost_rounds(trace));
    all.filter(|range| range.contains(&at)).min_by_key(Range::len)
}

/// The choices of each round of a loop that draws from the test case itself. None if a collection
/// lies outside of the loop.
pub(crate) fn outermost_rounds(trace: &Trace) -> Vec<Range<usize>> {
    outermost(trace).rounds
}

/// The rounds of a loop, in order.
#[derive(Default)]
struct Rounds {
    rounds: Vec<Range<usize>>,
    /// How many choices at the beginning of each round say that the loop goes on, and are numbers.
    condition: usize,
}

/// The rounds of a loop with no collection outside of it.
fn outermost(trace: &Trace) -> Rounds {
    let found = rounds(trace);
    let is_inside = |element: &Range<usize>| {
        found.rounds.iter().any(|round| round.start <= element.start && element.end <= round.end)
    };
    if elements(trace).iter().all(is_inside) { found } else { Rounds::default() }
}

/// The choices of each element of the outermost collections, in order.
pub(crate) fn elements(trace: &Trace) -> Vec<Range<usize>> {
    let depth = |span: &Span| {
        std::iter::successors(span.parent, |above| trace.spans[*above as usize].parent).count()
    };
    let elements =
        trace.spans.iter().filter(|span| span.label == Label::ELEMENT && !span.discarded);
    let least = elements.clone().map(depth).min();
    elements.filter(|span| Some(depth(span)) == least).map(Span::range).collect()
}

/// The rounds of a loop. Each begins with the first draw of the test case that is repeated. It has
/// further draws, or takes an alternative.
///
/// The shrinker has rounds, too, of any loop at any draw, because it tries them all. Here nothing
/// is tried, so there is one loop.
fn rounds(trace: &Trace) -> Rounds {
    let is_draw = |span: &&Span| span.parent.is_none() && span.label.is_draw() && !span.is_empty();
    let draws: Vec<&Span> = trace.spans.iter().filter(is_draw).collect();
    let places = |label: Label| {
        draws.iter().enumerate().filter(move |(_, draw)| draw.label == label).map(|(at, _)| at)
    };
    let Some(head) = draws.iter().find(|draw| places(draw.label).count() > 1) else {
        return Rounds::default();
    };
    let heads: Vec<usize> = places(head.label).collect();
    let first = |at: usize| &trace.choices[draws[at].start as usize];
    let is_alternative = |at: usize| alternative(first(at)).is_some();
    let range = |(at, end): (usize, usize)| {
        let end = draws.get(end).map_or(trace.len(), |draw| draw.start as usize);
        draws[at].start as usize..end
    };
    // The last round may be one draw of several at one place, and what is drawn behind them.
    if heads.windows(2).all(|pair| pair[1] - pair[0] == 1) {
        let are_operations = heads.iter().all(|at| is_alternative(*at));
        let each = heads.into_iter().filter(|_| are_operations).map(|at| range((at, at + 1)));
        return Rounds { rounds: each.collect(), condition: 0 };
    }
    let ends = heads.iter().skip(1).copied().chain([draws.len()]);
    let mut each: Vec<(usize, usize)> = heads.iter().copied().zip(ends).collect();
    // The last draw of a `while` loop says that it ends.
    let mut condition = 0;
    if let [goes_on @ .., ends] = &heads[..] {
        let is_coin = |at: usize, value| first(at).value == Value::Boolean(value);
        let is_alone = draws[*ends].len() == 1 && ends + 1 == draws.len();
        let is_other =
            |at: &usize| first(*at).value != first(*ends).value && is_alternative(at + 1);
        if goes_on.iter().all(|at| is_coin(*at, true)) && is_coin(*ends, false) {
            each.pop();
        } else if is_alone && goes_on.iter().all(is_other) {
            each.pop();
            condition = 1;
        }
    }
    Rounds { rounds: each.into_iter().map(range).collect(), condition }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::execute;
    use crate::prelude::*;
    use crate::shrink::Candidate;
    use crate::test_case::{Driver, TestCase};

    const T: Value = Value::Boolean(true);
    const F: Value = Value::Boolean(false);

    fn n(number: i128) -> Value {
        Value::Integer(number)
    }

    fn traced(values: &[Value], target: impl FnOnce(&mut TestCase)) -> Trace {
        let mut driver = Driver::new();
        driver.start_candidate(Candidate::replaying(values), 100);
        assert!(execute(&mut driver, target).or_unwind().is_ok());
        assert_eq!(driver.trace().values(), values);
        driver.trace().clone()
    }

    /// The operations of the input with these values.
    fn of(values: &[Value], target: impl FnOnce(&mut TestCase)) -> Vec<Range<usize>> {
        outermost_elements(&traced(values, target)).collect()
    }

    fn draws_a_pair(tc: &mut TestCase) {
        tc.draw(any::<bool>());
        tc.draw(any::<u8>());
    }

    #[test]
    fn a_while_loop_has_a_round_for_each_time_it_goes_on() {
        let target = |tc: &mut TestCase| {
            while tc.draw(any::<bool>()) {
                if tc.draw(any::<u8>()) > 0 {
                    tc.draw(any::<Vec<u8>>());
                }
            }
        };
        assert_eq!(of(&[T, n(0), T, n(1), T, n(3), F, F], target), [0..2, 2..7]);
    }

    #[test]
    fn a_round_may_begin_with_a_boolean() {
        let target = |tc: &mut TestCase| (0..3).for_each(|_| draws_a_pair(tc));
        assert_eq!(of(&[F, n(1), T, n(2), F, n(3)], target), [0..2, 2..4, 4..6]);
    }

    #[test]
    fn a_while_loop_may_have_a_number_as_its_condition() {
        let target = |tc: &mut TestCase| {
            while !tc.draw(any::<u8>()).is_multiple_of(4) {
                tc.draw(any::<Option<u8>>());
            }
        };
        let values = [n(1), n(0), n(2), n(1), n(7), n(0)];
        assert_eq!(of(&values, target), [0..2, 2..5]);
        assert_eq!(last_operation(&traced(&values, target)), Some(1));
        // The last round of another loop has no value.
        let target = |tc: &mut TestCase| {
            for _ in 0..2 {
                if tc.draw(any::<u8>()) > 0 {
                    tc.draw(any::<u8>());
                }
            }
        };
        assert_eq!(of(&[n(1), n(5), n(0)], target), [0..2, 2..3]);
    }

    #[test]
    fn alternatives_drawn_at_one_place_are_rounds() {
        let target = |tc: &mut TestCase| {
            for _ in 0..tc.draw(any::<u8>()) {
                tc.draw(any::<Option<u8>>());
            }
            tc.draw(any::<u8>());
        };
        let values = [n(2), n(0), n(1), n(7), n(3)];
        assert_eq!(of(&values, target), [1..2, 2..4]);
        assert_eq!(last_operation(&traced(&values, target)), Some(1));
    }

    #[test]
    fn draws_at_one_place_with_nothing_between_them_are_no_rounds() {
        let target = |tc: &mut TestCase| {
            for _ in 0..2 {
                tc.draw(any::<u8>());
            }
            tc.draw(any::<u8>());
        };
        assert!(of(&[n(1), n(2), n(3)], target).is_empty());
    }

    #[test]
    fn a_collection_before_the_loop_has_the_operations() {
        let target = |tc: &mut TestCase| {
            tc.draw(any::<Vec<u8>>());
            (0..2).for_each(|_| draws_a_pair(tc));
        };
        assert!(matches!(
            &of(&[T, n(7), F, T, n(1), T, n(2)], target)[..],
            [element] if *element == (0..2)
        ));
    }
}
