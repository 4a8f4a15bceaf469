//! Whether a new cause is a further form of a known one.

use super::joined::joined;
use super::same::same;
use crate::explain::Budget;
use crate::explain::causes::balance::exchanged;
use crate::explain::causes::cause::Cause;
use crate::outcome::Origin;
use crate::shrink::Runner;
use crate::sorted::sort_by;

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
    let (index, loose) = if let Some(index) = joined(own, known, origin, runner, budget) {
        // Each pair of numbers with one sum would be a further form.
        let with = |other: &Cause| exchanged(&own.minimized, &other.minimized);
        let found = known.iter().rev().map(with).find(|places| !places.is_empty());
        (index, found.unwrap_or_default())
    } else {
        let same = same(&own.minimized, known, origin, runner, Budget { runs_max, seed, stop })?;
        (same.index, same.loose)
    };
    own.claims.loose.extend(loose);
    sort_by(&mut own.claims.loose, Ord::cmp);
    own.claims.loose.dedup();
    Some(index)
}
