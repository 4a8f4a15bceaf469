//! Deletes elements of several collections at once. If lists must stay equally long, or hold the
//! same elements, one list alone cannot lose an element.

use crate::sorted::sort_by_key;
use std::ops::Range;

use super::place::{collections, elements, values};
use super::search::{Fruitless, Search, Verdict};

/// How many calls without an improvement end the pass.
const FRUITLESS_MAX: u64 = 60;
/// Traces with more collections have too many pairs of them.
const COLLECTIONS_MAX: usize = 100;
/// In groups of up to this many collections, the pass also compares two collections at a time.
const PAIRED_MAX: usize = 6;

/// Works on all collections with one number of elements. It deletes the elements at one place, then
/// two equal elements at any places.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut sizes: Vec<usize> = groups(search).iter().map(|group| group[0].len()).collect();
    while let Some(size) = sizes.pop()
        && !fruitless.is_enough(search)
    {
        // Collections that lost an element form a group of another size.
        if columns(search, size, &mut fruitless) || equal_elements(search, size, &mut fruitless) {
            sizes = groups(search).iter().map(|group| group[0].len()).collect();
        }
    }
}

/// The elements of collections that lie beside each other and have the same number of elements.
/// Each group has at least two collections.
fn groups(search: &Search<'_>) -> Vec<Vec<Vec<Range<usize>>>> {
    let mut groups: Vec<Vec<Vec<Range<usize>>>> = Vec::new();
    let found = collections(search.spans());
    if found.len() > COLLECTIONS_MAX {
        return groups;
    }
    for index in found {
        let elements = elements(search.choices(), search.spans(), index);
        if elements.is_empty() {
            continue;
        }
        let start = elements[0].start;
        let is_beside = |group: &&mut Vec<Vec<Range<usize>>>| {
            group[0].len() == elements.len()
                && group.iter().all(|other| other[other.len() - 1].end <= start)
        };
        match groups.iter_mut().find(is_beside) {
            Some(group) => group.push(elements),
            None => groups.push(vec![elements]),
        }
    }
    groups.retain(|group| group.len() > 1);
    sort_by_key(&mut groups, |group| group[0].len());
    groups
}

fn group_of(search: &Search<'_>, size: usize) -> Option<Vec<Vec<Range<usize>>>> {
    groups(search).into_iter().find(|group| group[0].len() == size)
}

fn columns(search: &mut Search<'_>, size: usize, fruitless: &mut Fruitless) -> bool {
    let Some(group) = group_of(search, size) else { return false };
    (0..size).rev().any(|place| {
        let gone: Vec<Range<usize>> =
            group.iter().map(|elements| elements[place].clone()).collect();
        !fruitless.is_enough(search) && delete(search, &gone)
    })
}

fn equal_elements(search: &mut Search<'_>, size: usize, fruitless: &mut Fruitless) -> bool {
    let Some(group) = group_of(search, size).filter(|group| group.len() <= PAIRED_MAX) else {
        return false;
    };
    for (index, one) in group.iter().enumerate() {
        for other in &group[index + 1..] {
            for (first, second) in
                one.iter().flat_map(|first| other.iter().map(move |second| (first, second)))
            {
                let is_equal =
                    search.choices()[first.clone()].iter().eq(&search.choices()[second.clone()]);
                if is_equal
                    && !fruitless.is_enough(search)
                    && delete(search, &[first.clone(), second.clone()])
                {
                    return true;
                }
            }
        }
    }
    false
}

fn delete(search: &mut Search<'_>, gone: &[Range<usize>]) -> bool {
    let verdict = search.attempt(|best, candidate| {
        let mut at = 0;
        for range in gone {
            candidate.extend(values(&best.choices, at..range.start));
            at = range.end;
        }
        candidate.extend(values(&best.choices, at..best.len()));
    });
    verdict == Verdict::Better
}
