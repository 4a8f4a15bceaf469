//! Claims about a minimized failure: which of its values matter, and how.
//!
//! A minimized input shows one failure. The claims describe a class of failures around it: here any
//! value fails, there any number up to 99, and this value must equal that one. Each claim says in
//! how many tries it held. The ideas come from `SmartCheck` (Pike 2014, section 5) and from the
//! explain phase of Hypothesis.
//!
//! The search knows nothing of the property. It runs candidates, as the shrinker does.
//!
//! - `classes`: what all of this tests is whether each input of a class fails. A class is a list of
//!   claims. `draw` draws inputs of a class, and `covers` decides whether an input belongs to it. A
//!   run that was rejected, or that drew something outside of the class, says nothing.
//! - `search`: the passes that find claims, in their order.
//! - `causes`: a minimized failure with its claims is a cause of its bug. `contains` decides
//!   whether a failing input contains it, and `known` whether that is the reason.
//! - `forms`: a new cause may be a further form of a known one.
//! - `lines` and `varied`: claims as words, and classes for a person who explores.
//!
//! # What the claims do not say
//! - Universal claims come from tries. One input in some hundred of the class may still pass.
//! - An input outside of the class may fail, too.
//! - Claims about remainders, sums, and three values that depend on each other do not exist. Such
//!   values keep the claim that they have alone, or get none.

mod causes;
mod classes;
mod forms;
mod lines;
mod search;
mod varied;

use crate::choice::Value;
use crate::outcome::{Origin, Outcome};
use crate::shrink::{Candidate, Runner};
use crate::trace::Trace;

pub use causes::cause::Cause;
pub use causes::known::KnownCauses;
pub use causes::next::{Next, next};
pub use causes::outside::Outside;
pub use classes::claims::{
    Alternative, Claim, Claims, Ending, Kinds, Passing, Pattern, Place, Relation, Says, Sides,
    Step, Term, Tries,
};
use classes::draw::put_in;
use classes::study::Study;
use classes::trials::{TrialVerdict, Trials};
use classes::{covers, tree};
pub use forms::further_form::further_form;
use search::{passing, search};
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
            counts: Vec::new(),
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
