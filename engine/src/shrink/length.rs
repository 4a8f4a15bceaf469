//! Lowers a length that was drawn first, and deletes as many of the items that it counts.

use super::place::{Number, values};
use super::search::{Search, Verdict};

/// The caller tried the number at `at` as the simplest, and that did not fail. The number may be a
/// length if that trace was shorter. For each step of the number, one item was lost, which gives
/// the width of an item. Detecting a length this way costs no calls.
pub(super) fn lower(search: &mut Search<'_>, at: usize) {
    let Some(number) = search.choices().get(at).and_then(Number::of) else { return };
    let Some(shorter) = search.trial_length().map(|length| search.len().saturating_sub(length))
    else {
        return;
    };
    let distance = number.distance();
    if shorter > 0 && distance > 0 && distance <= shorter as u128 {
        surplus(search, at, shorter / distance as usize);
    }
}

/// Deletes runs of items from the end back to the length. The runs double as long as they can go,
/// then halve.
fn surplus(search: &mut Search<'_>, at: usize, width: usize) {
    let mut end = search.len();
    while end >= at + 1 + width && !search.is_stopped() {
        let mut step = 1;
        let mut growing = true;
        let before = end;
        while step > 0 {
            let room = (end - at - 1) / width;
            let wanted = step.min(room);
            if wanted > 0
                && remove(search, at, end - wanted * width, wanted * width, wanted)
                    == Verdict::Better
            {
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
    let Some(lower) =
        number.distance().checked_sub(less as u128).and_then(|distance| number.at(distance))
    else {
        return Verdict::Worse;
    };
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..start));
        candidate.extend(values(&best.choices, (start + count).min(best.len())..best.len()));
        candidate[at] = lower;
    })
}
