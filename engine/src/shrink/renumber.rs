//! Deletes an element and lowers every number that may be the index of a later one.

use std::collections::HashMap;
use std::ops::Range;

use super::place::{Number, alternative, elements};
use super::search::{Fruitless, Search, Verdict};

const FRUITLESS_MAX: u64 = 200;

/// Tries each element of each collection, from the last one on. Indices count either all elements
/// or those with the same alternative.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    search.each_collection(|search, index| {
        let mut left = Ranked::of(search, index, usize::MAX);
        while let Some((gone, rank, rank_alike)) = left.pop(search)
            && !fruitless.is_enough(search)
        {
            // The counted elements may hold numbers that are not indices. The last way leaves these
            // unchanged.
            let ways =
                [Some((rank, true)), rank_alike.map(|rank| (rank, true)), Some((rank, false))];
            let mut ways =
                ways.into_iter().flatten().map(|(rank, also_inside)| (rank as u128, also_inside));
            // If no number is greater than the rank, this is a plain deletion, which other passes
            // try.
            if ways.any(|(rank, also_inside)| {
                rank < left.greatest
                    && delete(search, index, &gone, rank, also_inside) == Verdict::Better
            }) {
                left = Ranked::of(search, index, rank);
            }
        }
    });
}

/// The elements of a collection that are left to try.
struct Ranked {
    elements: Vec<Range<usize>>,
    /// How many of these elements there are with each alternative.
    alike: HashMap<i128, usize>,
    /// The greatest number of the trace that may be an index.
    greatest: u128,
}

impl Ranked {
    fn of(search: &Search<'_>, index: usize, elements_max: usize) -> Ranked {
        let mut elements = elements(search.choices(), search.spans(), index);
        elements.truncate(elements_max);
        let mut alike = HashMap::new();
        for kind in elements.iter().filter_map(|range| alternative(&search.choices()[range.start]))
        {
            *alike.entry(kind).or_default() += 1;
        }
        let indices =
            search.choices().iter().filter_map(Number::of).filter(|number| !number.is_below());
        Ranked { elements, alike, greatest: indices.map(Number::distance).max().unwrap_or(0) }
    }

    /// Takes the last element. Returns it with the count of all elements before it. If it has an
    /// alternative, also returns the count of those with the same one.
    fn pop(&mut self, search: &Search<'_>) -> Option<(Range<usize>, usize, Option<usize>)> {
        let last = self.elements.pop()?;
        let alike =
            alternative(&search.choices()[last.start]).and_then(|kind| self.alike.get_mut(&kind));
        let rank_alike = alike.map(|count| {
            *count -= 1;
            *count
        });
        Some((last, self.elements.len(), rank_alike))
    }
}

fn delete(
    search: &mut Search<'_>,
    index: usize,
    gone: &Range<usize>,
    rank: u128,
    also_inside: bool,
) -> Verdict {
    let inside = search.spans()[index].range();
    search.attempt(|best, candidate| {
        candidate.extend(best.choices.iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(
            |(at, choice)| {
                let number = Number::of(choice).filter(|_| also_inside || !inside.contains(&at));
                let lowered = number
                    .filter(|number| number.distance() > rank && !number.is_below())
                    .and_then(|number| number.at(number.distance() - 1));
                lowered.unwrap_or_else(|| choice.value.clone())
            },
        ));
    })
}
