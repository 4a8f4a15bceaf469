//! Deletes a longer element and puts a second copy of a shorter one next to the first.

use std::ops::Range;

use super::place::{elements, values};
use super::search::{Search, Verdict};

/// Longer collections have too many pairs.
const ELEMENTS_MAX: usize = 10;

/// Deletes each element while a shorter one is doubled where it stands.
pub(super) fn each(search: &mut Search<'_>) {
    search.each_collection(|search, index| {
        let mut again = true;
        while again && !search.is_stopped() {
            let ranges = elements(search.choices(), search.spans(), index);
            again = ranges.len() <= ELEMENTS_MAX
                && ranges.iter().any(|gone| {
                    ranges.iter().any(|kept| {
                        kept.len() < gone.len()
                            && double(search, gone.clone(), kept.clone()) == Verdict::Better
                    })
                });
        }
    });
}

fn double(search: &mut Search<'_>, gone: Range<usize>, kept: Range<usize>) -> Verdict {
    search.attempt(|best, candidate| {
        for (at, choice) in best.choices.iter().enumerate() {
            if at == kept.start {
                candidate.extend(values(&best.choices, kept.clone()));
            }
            if !gone.contains(&at) {
                candidate.push(choice.value.clone());
            }
        }
    })
}
