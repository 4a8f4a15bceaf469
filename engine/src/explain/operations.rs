//! The operations of an input: the elements of its outermost collection, or the rounds of a loop
//! that is written by hand.

use std::ops::Range;

use crate::choice::{Choice, Value};
use crate::shrink::place::alternative;
use crate::trace::{Label, Span, Trace};

/// The alternative that the last element of the outermost collection takes. Of a round of a loop,
/// the first number.
///
/// Two operations may need the same state and be two faults: reading a key, and replacing it. No
/// context tells them apart. The operation that shows the fault stands last in a minimized input.
pub(super) fn last_operation(trace: &Trace) -> Option<i128> {
    let number = |choice: &Choice| match choice.value {
        Value::Integer(value) => Some(value),
        _ => None,
    };
    if let Some(round) = outermost_rounds(trace).pop() {
        return trace.choices[round].iter().find_map(number);
    }
    alternative(trace.choices.get(last_element(trace)?.start)?)
}

/// The choices of the last element of the outermost collection.
pub(super) fn last_element(trace: &Trace) -> Option<Range<usize>> {
    outermost_elements(trace).last()
}

/// The choices of each element of the outermost collections, in order; or of each
/// [round](outermost_rounds) of a loop around them.
pub(super) fn outermost_elements(trace: &Trace) -> impl Iterator<Item = Range<usize>> + use<> {
    let rounds = outermost_rounds(trace);
    if rounds.is_empty() { elements(trace) } else { rounds }.into_iter()
}

/// The choices of each round of a loop that draws from the test case itself. None if a collection
/// lies outside of the loop.
pub(super) fn outermost_rounds(trace: &Trace) -> Vec<Range<usize>> {
    let mut rounds = rounds(trace);
    let is_inside = |element: &Range<usize>| {
        rounds.iter().any(|round| round.start <= element.start && element.end <= round.end)
    };
    if !elements(trace).iter().all(is_inside) {
        rounds.clear();
    }
    rounds
}

/// The choices of each element of the outermost collections, in order.
pub(super) fn elements(trace: &Trace) -> Vec<Range<usize>> {
    let depth = |span: &Span| {
        std::iter::successors(span.parent, |above| trace.spans[*above as usize].parent).count()
    };
    let elements =
        trace.spans.iter().filter(|span| span.label == Label::ELEMENT && !span.discarded);
    let least = elements.clone().map(depth).min();
    elements.filter(|span| Some(depth(span)) == least).map(Span::range).collect()
}

/// The rounds of a loop. Each begins with the first draw of the test case that is repeated, and
/// some have further draws.
///
/// The shrinker has rounds, too, of any loop at any draw, because it tries them all. Here nothing
/// is tried, so there is one loop.
fn rounds(trace: &Trace) -> Vec<Range<usize>> {
    let is_draw = |span: &&Span| span.parent.is_none() && span.label.is_draw() && !span.is_empty();
    let draws: Vec<&Span> = trace.spans.iter().filter(is_draw).collect();
    let places = |label: Label| {
        draws.iter().enumerate().filter(move |(_, draw)| draw.label == label).map(|(at, _)| at)
    };
    let Some(head) = draws.iter().find(|draw| places(draw.label).count() > 1) else {
        return Vec::new();
    };
    let heads: Vec<usize> = places(head.label).collect();
    let ends = heads.iter().skip(1).copied().chain([draws.len()]);
    let mut rounds: Vec<(usize, usize)> = heads.iter().copied().zip(ends).collect();
    // The last round may be one draw of several at one place, and what is drawn behind them.
    if rounds[..rounds.len() - 1].iter().all(|(at, end)| end - at == 1) {
        return Vec::new();
    }
    // The last draw of a `while` loop says that it ends.
    let is_coin =
        |at: usize, value| trace.choices[draws[at].start as usize].value == Value::Boolean(value);
    if let [goes_on @ .., ends] = &heads[..]
        && goes_on.iter().all(|at| is_coin(*at, true))
        && is_coin(*ends, false)
    {
        rounds.pop();
    }
    let range = |(at, end): (usize, usize)| {
        draws[at].start as usize..draws.get(end).map_or(trace.len(), |draw| draw.start as usize)
    };
    rounds.into_iter().map(range).collect()
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

    /// The operations of the input with these values.
    fn of(values: &[Value], target: impl FnOnce(&mut TestCase)) -> Vec<Range<usize>> {
        let mut driver = Driver::new();
        driver.start_candidate(Candidate::replaying(values), 100);
        assert!(execute(&mut driver, target).or_unwind().is_ok());
        assert_eq!(driver.trace().values(), values);
        outermost_elements(driver.trace()).collect()
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
