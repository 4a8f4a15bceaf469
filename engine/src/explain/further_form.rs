//! Whether a new cause is a further form of a known one.

use super::Budget;
use super::cause::Cause;
use super::joined::joined;
use super::same::same;
use crate::outcome::Origin;
use crate::shrink::Runner;
use crate::sorted::sort_by;

/// How often causes are compared in random contexts. A comparison often ends without a verdict.
const COMPARISONS: u64 = 2;

/// The index of the known cause of which `own` is a further form. Then the claims of `own` also
/// allow what both forms allow together. The budget is for each comparison.
pub fn further_form(
    own: &mut Cause,
    known: &[Cause],
    origin: Origin,
    runner: &mut dyn Runner,
    budget: Budget<'_>,
) -> Option<usize> {
    let Budget { runs_max, seed, stop } = budget;
    let budget = Budget { runs_max, seed, stop: &mut *stop };
    if let Some(index) = joined(own, known, origin, runner, budget) {
        return Some(index);
    }
    let mut compare = |again: u64| {
        let budget = Budget { runs_max, seed: seed.wrapping_add(again), stop: &mut *stop };
        same(&own.minimized, known, origin, runner, budget)
    };
    let same = (0..COMPARISONS).find_map(&mut compare)?;
    own.claims.loose.extend(same.loose);
    sort_by(&mut own.claims.loose, Ord::cmp);
    own.claims.loose.dedup();
    Some(same.index)
}
