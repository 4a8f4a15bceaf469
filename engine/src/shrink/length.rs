//! Lowers a length that was drawn first, and deletes as many of what it counts.

use super::place::{Number, values};
use super::search::{Search, Verdict};

/// How many numbers are asked whether they are lengths.
const PROBES_MAX: usize = 24;

/// A number is a length if the trace gets shorter when it is one less: by so many choices as one of what it counts takes.
pub(super) fn each(search: &mut Search<'_>) {
    let mut at = 0;
    let mut probes = 0;
    while at < search.len() && probes < PROBES_MAX && !search.is_stopped() {
        if let Some(number) = Number::of(&search.choices()[at])
            && number.distance() > 0
        {
            probes += 1;
            if let Some(width) = width(search, at, number) {
                surplus(search, at, width);
            }
        }
        at += 1;
    }
}

fn width(search: &mut Search<'_>, at: usize, number: Number) -> Option<usize> {
    let length = search.len();
    let lower = number.at(number.distance() - 1)?;
    let verdict = search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..best.len()));
        candidate[at] = lower;
    });
    let drawn = if verdict == Verdict::Better { search.len() } else { search.trial()?.len() };
    length.checked_sub(drawn).filter(|width| *width > 0)
}

/// From the end to the length: runs that double as long as they can go, then halve.
fn surplus(search: &mut Search<'_>, at: usize, width: usize) {
    let mut end = search.len();
    while end >= at + 1 + width && !search.is_stopped() {
        let mut step = 1;
        let mut growing = true;
        let before = end;
        while step > 0 {
            let room = (end - at - 1) / width;
            let wanted = step.min(room);
            if wanted > 0 && remove(search, at, end - wanted * width, wanted * width, wanted) == Verdict::Better {
                end = (end - wanted * width).min(search.len());
                step = if growing { step * 2 } else { step / 2 };
            } else {
                growing = false;
                step /= 2;
            }
        }
        if end == before {
            end -= 1;
        }
    }
}

fn remove(search: &mut Search<'_>, at: usize, start: usize, count: usize, less: usize) -> Verdict {
    let Some(number) = search.choices().get(at).and_then(Number::of) else { return Verdict::Worse };
    let Some(lower) = number.distance().checked_sub(less as u128).and_then(|distance| number.at(distance)) else { return Verdict::Worse };
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..start));
        candidate.extend(values(&best.choices, (start + count).min(best.len())..best.len()));
        candidate[at] = lower;
    })
}
