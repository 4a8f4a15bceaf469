//! Deletes an element and lowers every number that may be the index of a later one.

use super::place::{Number, alternative, collections, elements};
use super::search::{Fruitless, Search, Verdict};

const FRUITLESS_MAX: u64 = 200;

/// Each element of each collection, from the last one on. Indices count either all elements or those with the same alternative.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    for index in collections(search.spans()) {
        let mut position = elements(search.choices(), search.spans(), index).len();
        while position > 0 && !fruitless.is_enough(search) {
            position -= 1;
            let ranges = elements(search.choices(), search.spans(), index);
            let Some(gone) = ranges.get(position) else { continue };
            let kind = alternative(&search.choices()[gone.start]);
            let alike = ranges[..position].iter().filter(|range| kind.is_some() && alternative(&search.choices()[range.start]) == kind).count();
            // What is counted may be numbers itself, which are no indices.
            let ways = [(position, true), (alike, true), (position, false)];
            ways.into_iter().any(|(rank, also_inside)| delete(search, index, position, rank as u128, also_inside) == Verdict::Better);
        }
    }
}

fn delete(search: &mut Search<'_>, index: usize, position: usize, rank: u128, also_inside: bool) -> Verdict {
    let Some(gone) = elements(search.choices(), search.spans(), index).get(position).cloned() else { return Verdict::Worse };
    let inside = search.spans()[index].range();
    search.attempt(|best, candidate| {
        candidate.extend(best.choices.iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(at, choice)| {
            let number = Number::of(choice).filter(|_| also_inside || !inside.contains(&at));
            let lowered = number.filter(|number| number.distance() > rank && !number.is_below()).and_then(|number| number.at(number.distance() - 1));
            lowered.unwrap_or_else(|| choice.value.clone())
        }));
    })
}
