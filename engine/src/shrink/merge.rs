//! Makes one collection of two neighbours, by deleting the choices between their elements.

use std::ops::Range;

use super::place::{collections, elements, is_continue, values};
use super::search::{Search, Verdict};

/// Neighbours may have this many choices between them: the end of the one, and the beginning of the
/// next.
const BETWEEN_MAX: usize = 4;

/// Merges all neighbours at once, then two at a time.
pub(super) fn neighbours(search: &mut Search<'_>) {
    let all = gaps(search);
    if all.len() > 1 && delete(search, &all) == Verdict::Better {
        return;
    }
    let mut index = 0;
    while let Some(gap) = gaps(search).get(index).cloned()
        && !search.is_stopped()
    {
        if delete(search, &[gap]) != Verdict::Better {
            index += 1;
        }
    }
}

/// The choices between the last element of one collection and the first of the next.
fn gaps(search: &Search<'_>) -> Vec<Range<usize>> {
    let (choices, spans) = (search.choices(), search.spans());
    let ends: Vec<Range<usize>> = collections(spans)
        .into_iter()
        .filter(|index| !spans[*index].is_empty())
        .map(|index| {
            let whole = spans[index].range();
            let last =
                elements(choices, spans, index).last().map_or(whole.start, |element| element.end);
            // A full collection has no choice that ends it.
            let stops = last < whole.end && is_continue(&choices[last]);
            whole.start..if stops { last } else { whole.end }
        })
        .collect();
    ends.windows(2)
        .filter(|pair| pair[0].end <= pair[1].start && pair[1].start - pair[0].end <= BETWEEN_MAX)
        .map(|pair| pair[0].end..pair[1].start)
        .filter(|gap| !gap.is_empty())
        .collect()
}

fn delete(search: &mut Search<'_>, gaps: &[Range<usize>]) -> Verdict {
    search.attempt(|best, candidate| {
        let mut at = 0;
        for gap in gaps {
            candidate.extend(values(&best.choices, at..gap.start.max(at)));
            at = gap.end.max(at);
        }
        candidate.extend(values(&best.choices, at..best.len()));
    })
}
