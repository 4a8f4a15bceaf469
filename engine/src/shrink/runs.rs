//! Deletes several equal elements in a row, and counts that on a number elsewhere.

use std::ops::Range;

use super::place::{Number, collections, elements, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::Choice;

const FRUITLESS_MAX: u64 = 200;

/// Of each run of equal elements all, half of them, or one, while a number becomes greater or less by as many: what a program does so often, another of its numbers may
/// have to follow.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    for index in collections(search.spans()) {
        let all = elements(search.choices(), search.spans(), index);
        for run in runs(search.choices(), &all) {
            let mut counts = vec![run.len(), run.len() / 2, 1];
            counts.dedup();
            for count in counts.into_iter().filter(|count| *count > 0) {
                let gone = all[run.end - count].start..all[run.end - 1].end;
                if counted_elsewhere(search, &mut fruitless, &gone, count as i128) || fruitless.is_enough(search) {
                    return;
                }
            }
        }
    }
}

/// Where equal elements stand in a row, as indices of elements.
pub(super) fn runs(choices: &[Choice], elements: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if choices[elements[run.start].clone()] == choices[element.clone()] => run.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

fn counted_elsewhere(search: &mut Search<'_>, fruitless: &mut Fruitless, gone: &Range<usize>, count: i128) -> bool {
    for at in (0..search.len()).filter(|at| !gone.contains(at)) {
        let Some(number) = Number::of(&search.choices()[at]) else { continue };
        for offset in [number.offset().checked_add(count), number.offset().checked_sub(count)].into_iter().flatten() {
            let Some(value) = number.at_offset(offset) else { continue };
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
