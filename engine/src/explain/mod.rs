//! Claims about a minimized failure: which of its values matter, and how.
//!
//! A minimized input shows one failure. The claims describe a class of failures around it: here any
//! value fails, there any number up to 99, and this value must equal that one. Each claim says in
//! how many tries it held. The ideas come from `SmartCheck` (Pike 2014, section 5) and from the
//! explain phase of Hypothesis.
//!
//! The search knows nothing of the property. It runs candidates, as the shrinker does:
//!
//! 1. `single` looks at one place at a time, large spans first, while everything else stays. It
//!    tries targeted values before random ones (`targeted`, `redraw`). `interval` finds the ends of
//!    intervals, and `deep` makes recursive values that are deep enough.
//! 2. `related` frees two values at once and claims a relation between them. `several` does so with
//!    three and more.
//! 3. `alternatives` tries other alternatives. These claims are existential.
//! 4. `together` varies all claimed places at once. It takes back claims until the rest holds.
//! 5. `passing` looks for the nearest input that passes.
//! 6. For causes, `loose` and `inside` look at what no claim can say, `closed` at what a cause must
//!    not explain, and `refuted` at random inputs that pass.
//!
//! All of these test one thing: whether each input of a class fails. A class is a list of claims.
//! `draw` draws inputs of a class, and `covers` decides whether an input belongs to it. A run that
//! was rejected, or that drew something outside of the class, says nothing.
//!
//! # What the claims do not say
//! - Universal claims come from tries. One input in some hundred of the class may still pass.
//! - An input outside of the class may fail, too.
//! - Claims about remainders, sums, and three values that depend on each other do not exist. Such
//!   values keep the claim that they have alone, or get none.

mod claims;
mod number_line;
mod numerals;
mod strings;
mod relation;
mod tree;
mod trials;
mod targeted;
mod redraw;
mod joined;
mod meeting;
mod operations;
mod aligned;
mod on_a_line;
mod regrouped;
mod reordered;
mod balance;
mod needed;
mod known;
mod levels;
mod lifted;
mod deep;
mod draw;
mod covers;
mod study;
mod equal;
mod evidence;
mod interval;
mod single;
mod several;
mod related;
mod alternatives;
mod together;
mod passing;
mod pattern_search;
mod loose_strings;
mod loose_parts;
mod strings_together;
mod loose;
mod lines;
mod pattern;
mod contains;
mod cause;
mod outside;
mod bounded;
mod roots;
mod next;
mod varied;
mod wanted;
mod contexts;
mod closed;
mod refuted;
mod inside;
mod same;
mod signs;
mod shared_bound;
mod further_form;

use crate::choice::Value;
use crate::outcome::{Origin, Outcome};
use crate::shrink::{Candidate, Runner};
use crate::sorted::sort_by_key;
use crate::trace::Trace;

pub use cause::Cause;
pub use claims::{
    Alternative, Claim, Claims, Ending, Kinds, Passing, Pattern, Place, Relation, Says, Sides,
    Step, Term, Tries,
};
use draw::put_in;
pub use further_form::further_form;
pub use known::KnownCauses;
pub use next::{Next, next};
pub use outside::Outside;
use study::Study;
use trials::{TrialVerdict, Trials};
pub use varied::places;

/// How many runs claims are worth.
pub const RUNS: u64 = 2000;

/// How often the minimized input must fail before and after the search.
const REPEATS: usize = 4;

/// When a search for claims must stop, and its seed.
pub struct Budget<'a> {
    /// The greatest number of runs. [`RUNS`] is a good number.
    pub runs_max: u64,
    /// The seed of all random choices. One seed gives one result.
    pub seed: u64,
    /// Whether to stop now. The search asks before each run.
    pub stop: &'a mut dyn FnMut() -> bool,
}

impl Budget<'_> {
    /// What a run with these values draws if it fails with `origin`. `None` if it does not, or if
    /// the budget is used up.
    fn failing(
        &mut self,
        values: &[Value],
        origin: Origin,
        runner: &mut dyn Runner,
    ) -> Option<Trace> {
        if self.runs_max == 0 || (self.stop)() {
            return None;
        }
        self.runs_max -= 1;
        let mut drawn = Trace::default();
        let outcome = runner.run(Candidate::replaying(values), values.len(), &mut drawn);
        (outcome == Outcome::Failed(origin)).then_some(drawn)
    }
}

/// Looks for claims about `minimized`, which fails with `origin`.
///
/// A failure that does not repeat gets no claims. With a budget that ends early, the result holds
/// only claims that were tried together.
pub fn explain(
    minimized: &Trace,
    origin: Origin,
    runner: &mut dyn Runner,
    budget: Budget<'_>,
) -> Claims {
    let Budget { runs_max, seed, stop } = budget;
    let trials = Trials::new(runner, origin, runs_max, stop, minimized.len());
    let mut study = Study::new(minimized, trials, seed);
    let mut found = Claims::none();
    match repeats(&mut study) {
        Some(true) => search(&mut study, &mut found, runs_max),
        Some(false) => found.ending = Ending::Flaky,
        None => found.ending = Ending::Budget,
    }
    study.trials.runs_max = runs_max;
    if found.ending != Ending::Flaky && repeats(&mut study) == Some(false) {
        found = Claims { ending: Ending::Flaky, claims: Vec::new(), passing: None, ..found };
    }
    found.runs = study.trials.runs();
    found
}

/// Looks again for the nearest input that passes: see [`Claims::passing`]. Of the numbers and
/// alternatives, only those that `claims` do not free change.
pub fn nearest_passing(
    minimized: &Trace,
    claims: &Claims,
    origin: Origin,
    runner: &mut dyn Runner,
    budget: Budget<'_>,
) -> Option<Passing> {
    let Budget { runs_max, seed, stop } = budget;
    let trials = Trials::new(runner, origin, runs_max, stop, minimized.len());
    passing::find(&mut Study::new(minimized, trials, seed), &claims.claims)
}

/// Whether the minimized input fails in each of some runs with the same choices. `None` if the
/// budget is used up.
fn repeats(study: &mut Study<'_>) -> Option<bool> {
    let values = study.base.values();
    for _ in 0..REPEATS {
        let run = study.trials.run_again(&values)?;
        if run.verdict != TrialVerdict::Fails || run.trace.choices != study.base.choices {
            return Some(false);
        }
    }
    Some(true)
}

fn search(study: &mut Study<'_>, found: &mut Claims, runs_max: u64) {
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

impl Claims {
    /// One claim, to draw inputs in which only its place differs.
    pub fn of(claim: Claim) -> Claims {
        Claims { claims: vec![claim], ..Claims::none() }
    }

    /// No claims: nothing may vary.
    pub fn none() -> Claims {
        Claims {
            claims: Vec::new(),
            loose: Vec::new(),
            patterns: Vec::new(),
            closed: Vec::new(),
            inside: Vec::new(),
            equal: Vec::new(),
            apart: Vec::new(),
            is_mixed: false,
            together: Tries::default(),
            passing: None,
            runs: 0,
            ending: Ending::Done,
        }
    }

    /// Whether the claimed class holds the input of `trace`: it has the structure and the values of
    /// `minimized` outside of the claimed places, and values as claimed inside of them.
    pub fn covers(&self, minimized: &Trace, trace: &Trace) -> bool {
        covers::covers(&self.claims, (minimized, &tree::Tree::of(minimized)), trace)
    }
}

/// Draws fresh inputs of a claimed class.
pub struct Fresh<'a> {
    study: Study<'a>,
    claims: &'a Claims,
}

impl<'a> Fresh<'a> {
    /// A source of inputs of the class of `claims`, which describe `minimized`. It may run the
    /// target, because only the target can run its generators.
    pub fn new(
        claims: &'a Claims,
        minimized: &'a Trace,
        runner: &'a mut dyn Runner,
        seed: u64,
        never: &'a mut dyn FnMut() -> bool,
    ) -> Fresh<'a> {
        let trials = Trials::new(runner, Origin(0), u64::MAX, never, minimized.len());
        Fresh { study: Study::new(minimized, trials, seed), claims }
    }

    /// The choices of one input. `None` if this draw came to no input; the next one may.
    pub fn draw(&mut self) -> Option<Vec<Value>> {
        let pieces = self.study.draw(&self.claims.claims)?;
        Some(put_in(self.study.base, &pieces))
    }
}
