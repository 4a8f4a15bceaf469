//! Searches around an input that no pass improves.

use fastrand::Rng;

use super::super::around::{self, Kicks};
use super::super::search::Search;
use super::kick::KICKS;
use super::{input, put_at, sweep};
use crate::trace::Trace;

/// The kicks of raw inputs.
struct OfBytes;

/// Searches until the budget for it is used up, or until it improves the best. For a single byte,
/// it tries all lower values instead. Nothing else is simpler.
pub(super) fn each(search: &mut Search<'_>) {
    match *input(search) {
        [] => {}
        [byte] => {
            let _ = (0..byte).any(|low| search.is_stopped() || put_at(search, 0, &[low]));
        }
        _ => around::each(search, &OfBytes),
    }
}

/// How many bytes a kick may have more than the best.
const LONGER_MAX: usize = 8;

impl Kicks for OfBytes {
    const KINDS: usize = KICKS.len();

    fn kick(
        &self,
        search: &mut Search<'_>,
        rng: &mut Rng,
        kind: usize,
        base: &Trace,
    ) -> Option<Trace> {
        let mut bytes = base.raw_input().map(|input| input.to_vec()).unwrap_or_default();
        KICKS[kind](rng, &mut bytes);
        bytes.truncate(input(search).len() + LONGER_MAX);
        search.kick_raw(&bytes)
    }

    fn descend(&self, search: &mut Search<'_>) {
        sweep(search, "");
    }
}
