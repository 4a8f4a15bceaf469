//! Deletes several equal elements in a row, and changes a number elsewhere by their count.

use std::ops::Range;

use super::place::{Number, alternative, collections, elements, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::Choice;

const FRUITLESS_MAX: u64 = 200;

/// Deletes all elements of each run of equal elements, half of them, or one. A number comes down by
/// as many, because it may count them.
///
/// If elements begin with an alternative, as the steps of a program do, the number may also go up.
/// One step with a larger number may do the work of many equal steps.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let (numbers, greater) = numbers(search.choices());
    for index in collections(search.spans()) {
        let all = elements(search.choices(), search.spans(), index);
        for run in runs(search.choices(), &all) {
            let is_step = alternative(&search.choices()[all[run.start].start]).is_some();
            // The simplest numbers cannot come down, so only steps can use them.
            let places = if is_step { &numbers } else { &greater };
            let mut counts = vec![run.len(), run.len() / 2, 1];
            counts.dedup();
            for count in counts.into_iter().filter(|count| *count > 0) {
                let gone = all[run.end - count].start..all[run.end - 1].end;
                if counted_elsewhere(search, &mut fruitless, &gone, count as i128, places)
                    || fruitless.is_enough(search)
                {
                    return;
                }
            }
        }
    }
}

/// The runs of equal elements in a row, as ranges of element indices.
pub(super) fn runs(choices: &[Choice], elements: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if choices[elements[run.start].clone()] == choices[element.clone()] => {
                run.end = index + 1;
            }
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// The places of all numbers, and the places of those that are not the simplest.
fn numbers(choices: &[Choice]) -> (Vec<usize>, Vec<usize>) {
    let numbers: Vec<(usize, Number)> = choices
        .iter()
        .enumerate()
        .filter_map(|(at, choice)| Some((at, Number::of(choice)?)))
        .collect();
    let greater =
        numbers.iter().filter(|(_, number)| number.distance() > 0).map(|(at, _)| *at).collect();
    (numbers.into_iter().map(|(at, _)| at).collect(), greater)
}

/// Whether any number at `places`, changed by `count`, makes up for the deleted elements.
fn counted_elsewhere(
    search: &mut Search<'_>,
    fruitless: &mut Fruitless,
    gone: &Range<usize>,
    count: i128,
    places: &[usize],
) -> bool {
    let is_step = alternative(&search.choices()[gone.start]).is_some();
    for at in places.iter().copied().filter(|at| !gone.contains(at)) {
        let Some(number) = Number::of(&search.choices()[at]) else { continue };
        let down = if number.is_below() { count } else { -count };
        let comes_down = is_step || number.distance() >= count.unsigned_abs();
        for change in [(-down, is_step), (down, comes_down)]
            .into_iter()
            .filter_map(|(change, is_tried)| is_tried.then_some(change))
        {
            let Some(value) =
                number.offset().checked_add(change).and_then(|offset| number.at_offset(offset))
            else {
                continue;
            };
            if fruitless.is_enough(search) {
                return false;
            }
            let verdict = search.attempt(|best, candidate| {
                candidate.extend(values(&best.choices, 0..best.len()));
                candidate[at] = value;
                candidate.drain(gone.clone());
            });
            if verdict == Verdict::Better {
                return true;
            }
        }
    }
    false
}
