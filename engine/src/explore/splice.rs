//! Copies of a case that get a part of another one.

use fastrand::Rng;

use crate::choice::Value;
use crate::trace::{Label, Span, Trace};

/// Returns the choices of `parent`, with a part of `other` in place of a part with the same label,
/// or with elements of `other` beside an element. `None` if no part fits.
pub(super) fn spliced(rng: &mut Rng, parent: &Trace, other: &Trace) -> Option<Vec<Value>> {
    let place = any_of(rng, parent.spans.iter().filter(|span| !span.is_empty()))?;
    let fits = |span: &&Span| span.label == place.label && !span.is_empty();
    let part = any_of(rng, other.spans.iter().filter(fits))?;
    let mut values = parent.values();
    let (range, copied) = if place.label == Label::ELEMENT {
        let at = if rng.bool() { place.start } else { place.end } as usize;
        (at..at, elements(rng, other, part))
    } else {
        (place.range(), part.range())
    };
    values.splice(range, other.choices[copied].iter().map(|choice| choice.value.clone()));
    Some(values)
}

/// The choices of one or more elements in a row, in the collection of `element`. Often they begin
/// with its first element, and often they end with its last.
fn elements(rng: &mut Rng, trace: &Trace, element: &Span) -> std::ops::Range<usize> {
    let of_collection =
        |span: &&Span| span.label == Label::ELEMENT && span.parent == element.parent;
    let all: Vec<&Span> = trace.spans.iter().filter(of_collection).collect();
    let first = if rng.bool() { 0 } else { rng.usize(..all.len()) };
    let last = if rng.bool() { all.len() - 1 } else { rng.usize(first..all.len()) };
    all[first].start as usize..all[last].end as usize
}

fn any_of<'a>(
    rng: &mut Rng,
    mut spans: impl Iterator<Item = &'a Span> + Clone,
) -> Option<&'a Span> {
    let count = spans.clone().count();
    if count == 0 { None } else { spans.nth(rng.usize(..count)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::Value;
    use crate::generators as g;
    use crate::test_case::Driver;
    use crate::{Generator, any};

    /// The record of a random draw for which `is_wanted` holds.
    fn drawn<G: Generator>(generator: &G, is_wanted: impl Fn(&G::Value) -> bool) -> Trace {
        let mut tc = Driver::new();
        for seed in 0..1000 {
            tc.start_random(seed, 1000);
            let value = tc.draw_silent(generator);
            tc.finish();
            if is_wanted(&value) {
                return tc.trace().clone();
            }
        }
        panic!("nothing fits");
    }

    #[test]
    fn elements_of_the_other_case_come_in_between() {
        let low = g::vec(g::integers(0..100u32));
        let parent = drawn(&low, |list| list.len() == 4);
        let other = drawn(&low.clone(), |list| list.len() == 6);
        let mut rng = Rng::with_seed(0);
        let mut tc = Driver::new();
        let mut longest = 0;
        for _ in 0..200 {
            let values = spliced(&mut rng, &parent, &other).expect("both have elements");
            tc.start_replay(&values, 1000);
            let list = tc.draw_silent(&low);
            // Either elements came in, or the whole list is the other one.
            assert!((5..=10).contains(&list.len()), "{list:?}");
            longest = longest.max(list.len());
        }
        assert_eq!(longest, 10, "all elements of the other case come in at once");
    }

    #[test]
    fn an_empty_case_gives_no_splice() {
        let list = drawn(&g::vec(any::<u8>()), |list| list.len() == 3);
        let mut rng = Rng::with_seed(0);
        assert!(spliced(&mut rng, &Trace::default(), &list).is_none());
        assert!(spliced(&mut rng, &list, &Trace::default()).is_none());
    }

    #[test]
    fn the_parent_stays_around_the_part() {
        let pairs = (any::<u64>(), g::vec(any::<bool>()));
        let parent = drawn(&pairs, |(_, list)| list.len() == 3);
        let other = drawn(&pairs, |(number, list)| list.len() == 5 && *number > 1000);
        let mut rng = Rng::with_seed(1);
        let first = |values: &[Value]| values.first().cloned();
        let kept = (0..100)
            .filter_map(|_| spliced(&mut rng, &parent, &other))
            .filter(|values| first(values) == first(&parent.values()))
            .count();
        assert!(kept > 50, "{kept} of 100 keep the number");
    }
}
