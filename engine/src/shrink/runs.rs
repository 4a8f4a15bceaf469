//! Deletes several equal elements in a row, and counts that on a number elsewhere.

use std::ops::Range;

use super::place::{Number, alternative, collections, elements, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::Choice;

const FRUITLESS_MAX: u64 = 200;

/// Of each run of equal elements all, half of them, or one, while a number comes down by as many: it may count them.
///
/// Where elements begin with an alternative, as the steps of a program do, it also goes the other way: what was done so often may be done by a larger number.
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

/// Whether any number, changed by `count`, makes up for what is gone.
fn counted_elsewhere(search: &mut Search<'_>, fruitless: &mut Fruitless, gone: &Range<usize>, count: i128) -> bool {
    let is_step = alternative(&search.choices()[gone.start]).is_some();
    for at in (0..search.len()).filter(|at| !gone.contains(at)) {
        let Some(number) = Number::of(&search.choices()[at]) else { continue };
        let down = if number.is_below() { count } else { -count };
        let comes_down = is_step || number.distance() >= count.unsigned_abs();
        for change in [(-down, is_step), (down, comes_down)].into_iter().filter_map(|(change, is_tried)| is_tried.then_some(change)) {
            let Some(value) = number.offset().checked_add(change).and_then(|offset| number.at_offset(offset)) else { continue };
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
