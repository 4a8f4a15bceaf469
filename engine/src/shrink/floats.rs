//! Makes floats simpler: finite, integral, with fewer binary places, smaller.

use super::least::least;
use super::search::Search;
use crate::choice::{Constraint, FloatRange, Value};

/// Makes equal floats simpler together, then each float by itself.
pub(super) fn each(search: &mut Search<'_>) {
    for together in [true, false] {
        let mut at = 0;
        while at < search.len() && !search.is_stopped() {
            if let Some((value, range)) = float(search, at) {
                let is_equal = |other: &usize| {
                    float(search, *other)
                        .is_some_and(|(other, _)| other.to_bits() == value.to_bits())
                };
                let places: Vec<usize> =
                    if together { (0..search.len()).filter(is_equal).collect() } else { vec![at] };
                // The pass works on a group where its first float stands.
                if !together || places.len() > 1 && places[0] == at {
                    some(search, &places, range);
                }
            }
            at += 1;
        }
    }
}

fn float(search: &Search<'_>, at: usize) -> Option<(f64, FloatRange)> {
    match search.choices().get(at).map(|choice| (&choice.value, &choice.constraint)) {
        Some((Value::Float(value), Constraint::Float(range)))
            if value.to_bits() != range.simplest().to_bits() =>
        {
            Some((*value, *range))
        }
        _ => None,
    }
}

/// Makes equal floats simpler. The first of them has this range.
fn some(search: &mut Search<'_>, places: &[usize], range: FloatRange) {
    let at = places[0];
    let mut put = |value: f64| set(search, places, value);
    if put(range.simplest()) {
        return;
    }
    let Some((mut value, _)) = float(search, at) else { return };
    let mut put = |value: f64| set(search, places, value);
    if value.is_sign_negative() && put(-value) {
        value = -value;
    }
    if !value.is_finite() {
        let sign = if value.is_nan() { 1.0 } else { value.signum() };
        let finite = [1.0, -1.0, sign * range.greatest_finite(), f64::INFINITY, f64::NEG_INFINITY];
        match finite.into_iter().find(|finite| put(*finite)) {
            Some(finite) if finite.is_finite() => value = finite,
            _ => return,
        }
    }
    let signed = |magnitude: f64| magnitude.copysign(value);
    let mut magnitude = value.abs();
    if magnitude >= COUNTED_MAX {
        // Counting does not reach these numbers, so the pass tries powers of two.
        let bias = |exponent: u128| f64::from_bits((exponent as u64 + 1023) << 52);
        let high = u128::from(magnitude.to_bits() >> 52) - 1023;
        least(high + 1, &mut |exponent| put(signed(bias(exponent))));
        let Some((lower, _)) = float(search, at) else { return };
        magnitude = lower.abs();
        if magnitude >= COUNTED_MAX {
            return;
        }
    }
    let mut put = |value: f64| set(search, places, value);
    // The pass looks for the fewest binary places, then for the fewest units of the last place.
    for places in 0..=PLACES_MAX {
        let unit = 2f64.powi(-places);
        let (floor, ceil) = ((magnitude / unit).floor(), (magnitude / unit).ceil());
        let Some(units) = [floor, ceil].into_iter().find(|units| put(signed(units * unit))) else {
            if floor.to_bits() == ceil.to_bits() {
                return;
            }
            continue;
        };
        // An even number of units needs one place less, so only odd numbers are worth a try.
        let (step, first) = if places == 0 { (1.0, 0.0) } else { (2.0, 1.0) };
        let steps = ((units - first) / step) as u128;
        if steps > 0 && !put(signed(first * unit)) {
            least(steps, &mut |steps| put(signed((steps as f64 * step + first) * unit)));
        }
        return;
    }
}

/// Integers up to here are counted exactly.
const COUNTED_MAX: f64 = 9_007_199_254_740_992.0;
const PLACES_MAX: i32 = 60;

fn set(search: &mut Search<'_>, places: &[usize], value: f64) -> bool {
    let allows = |at: &usize| {
        search
            .choices()
            .get(*at)
            .is_some_and(|choice| choice.constraint.allows(&Value::Float(value)))
    };
    let changes: Vec<(usize, Value)> = places.iter().map(|at| (*at, Value::Float(value))).collect();
    places.iter().all(allows) && search.set(&changes).holds()
}
