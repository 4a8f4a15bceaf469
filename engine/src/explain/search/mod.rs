//! Looks for claims about a minimized failure, and for what else decides which failures a cause
//! explains.
//!
//! 1. `single` looks at one place at a time, large spans first, while everything else stays. It
//!    tries targeted values before random ones. `interval` finds the ends of intervals.
//! 2. `alternatives` tries other alternatives. These claims are existential.
//! 3. `related` frees two values at once and claims a relation between them. `several` does so with
//!    three and more.
//! 4. `together` varies all claimed places at once. It takes back claims until the rest holds.
//! 5. `passing` looks for the nearest input that passes.
//! 6. For causes, `loose`, `inside` and `counts` look at what no claim can say, `closed` at what a
//!    cause must not explain, and `refuted` at random inputs that pass.

mod equal;
mod interval;
mod single;
mod several;
mod related;
mod alternatives;
mod together;
pub(crate) mod passing;
mod pattern_search;
pub(crate) mod loose_strings;
mod loose_parts;
mod loose;
mod bounded;
mod roots;
mod closed;
mod counts;
mod refuted;
mod inside;

use super::classes::claims::{Claims, Ending, Place, Says};
use super::classes::study::Study;
use crate::sorted::sort_by_key;

/// Looks for claims with all passes, each within its share of `runs_max` runs.
pub(crate) fn search(study: &mut Study<'_>, found: &mut Claims, runs_max: u64) {
    let share = |percent: u64| runs_max / 100 * percent + runs_max % 100 * percent / 100;
    study.trials.runs_max = share(55);
    let mut claims = single::free(study);
    single::further(study, &mut claims);
    alternatives::find(study, &mut claims);
    related::find(study, &mut claims);
    let was_cut = study.trials.is_over();
    study.trials.runs_max = share(70);
    (found.together, found.is_mixed) = together::hold(study, &mut claims);
    study.trials.runs_max = share(80);
    found.passing = passing::find(study, &claims);
    study.trials.runs_max = share(99);
    found.closed = closed::find(study, &claims);
    found.inside = inside::find(study, &claims);
    found.counts = counts::find(study, &claims);
    found.equal = equal::find(study, &claims);
    found.apart = closed::other_operations(study, &claims);
    (found.loose, found.patterns) = loose::find(study, &claims);
    if !found.is_mixed {
        let parts = loose_parts::find(study, &claims, &found.equal).into_iter().map(Place::Span);
        found.loose.extend(parts);
    }
    for claim in &mut claims {
        if !matches!(claim.says, Says::Alternatives(_)) {
            claim.tries = study.tries(claim.place);
        }
    }
    sort_by_key(&mut claims, |claim| match claim.place {
        Place::Span(span) => (study.base.spans[span].start as usize, 0, span),
        Place::Choice(at) => (at, 1, at),
    });
    found.claims = claims;
    refuted::narrow(study, found);
    if was_cut || study.trials.is_over() {
        found.ending = Ending::Budget;
    }
}
