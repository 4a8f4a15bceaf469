//! In which order the passes run, and when they begin again.

use super::search::Search;
use super::{
    absorb, alternative, child, delete, discarded, duplicate, exhaust, floats, integers, merge, nearby, pairs, rename, renumber, simplest, sort, strings,
    together,
};

pub(super) type Pass = fn(&mut Search<'_>);

/// The passes by price. What costs little and takes much stands first.
const STAGES: &[&[Pass]] = &[
    &[child::each, delete::quick, simplest::classes, merge::neighbours, simplest::values, discarded::all],
    &[delete::full, delete::rounds, together::level, strings::shorten, together::equal],
    &[absorb::each, pairs::give_all],
    &[integers::each, floats::each, strings::simplify],
    &[pairs::mirror, renumber::each, sort::siblings, rename::each, alternative::each],
    &[pairs::transfer, together::class, pairs::lower_both],
    &[delete::pairs, pairs::trade, pairs::borrow, child::lowered, duplicate::each, strings::punctuation, alternative::later, sort::without_one],
];

/// What is tried where no pass above finds anything more, by price.
const LAST: &[Pass] = &[nearby::each, exhaust::each];

/// Runs the passes until none of them improves anything.
///
/// A stage that made the trace shorter begins again at the cheap passes; one that only changed values goes on, since zig-zags between cheap and dear
/// passes are what costs most.
pub(super) fn run(search: &mut Search<'_>) {
    loop {
        sweep_until_nothing_improves(search);
        let improvements = search.improvements();
        for pass in LAST {
            pass(search);
            if search.improvements() > improvements {
                break;
            }
        }
        if search.is_stopped() || search.improvements() == improvements {
            return;
        }
    }
}

fn sweep_until_nothing_improves(search: &mut Search<'_>) {
    let mut improvements = None;
    while improvements != Some(search.improvements()) && !search.is_stopped() {
        improvements = Some(search.improvements());
        let mut stage = 0;
        while stage < STAGES.len() && !search.is_stopped() {
            let length = search.len();
            for pass in STAGES[stage] {
                pass(search);
            }
            stage = if search.len() < length { 0 } else { stage + 1 };
        }
    }
}
