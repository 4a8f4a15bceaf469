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
            for rank in [position, alike] {
                if delete(search, index, position, rank as u128) == Verdict::Better {
                    break;
                }
            }
        }
    }
}

fn delete(search: &mut Search<'_>, index: usize, position: usize, rank: u128) -> Verdict {
    let Some(gone) = elements(search.choices(), search.spans(), index).get(position).cloned() else { return Verdict::Worse };
    search.attempt(|best, candidate| {
        candidate.extend(best.choices.iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, choice)| {
            let lowered =
                Number::of(choice).filter(|number| number.distance() > rank && !number.is_below()).and_then(|number| number.at(number.distance() - 1));
            lowered.unwrap_or_else(|| choice.value.clone())
        }));
    })
}
