//! The state of a shrink: the best so far, and how the search tries a candidate against it.

mod apart;
mod descent;
mod fruitless;
#[cfg(feature = "fuzzing")]
mod raw;
mod trial;

use std::cmp::Ordering;

use self::apart::Apart;
use super::cache::{self, Cache, Drawn};
use super::memory::Memory;
use super::{Budget, Candidate, Finish, Runner, Shrunk};
use crate::choice::{Choice, Value};
use crate::hashed::Hashes;
use crate::order;
use crate::outcome::{Origin, Outcome};
use crate::trace::{Label, Span, Trace};

pub(super) use self::descent::hash_of;
pub(super) use self::fruitless::Fruitless;

/// The result of trying a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The candidate is the new best.
    Better,
    /// The candidate drew the same choices as the best, from the same values or from others.
    Same,
    /// The candidate does not fail with the origin, or it is no simpler than the best.
    Worse,
}

impl Verdict {
    /// Whether a search may go on from here. A candidate equal to the best counts, too. When it
    /// counted as a failure, searches stopped where they stood.
    pub(super) fn holds(self) -> bool {
        self != Verdict::Worse
    }
}

/// A search around a best that no pass improves.
#[derive(Clone, Copy)]
struct Exhausting {
    /// The number of calls at which this search must end.
    until: u64,
    /// The number of improvements when this search began.
    improvements: u64,
    /// Whether [`Around::stop`](super::Around::stop) may end this search.
    is_around: bool,
}

/// The best so far and all that is needed to improve it.
pub(super) struct Search<'s> {
    best: Trace,
    best_hash: u64,
    /// The best with its strings and whole floats taken apart, while passes work on that.
    apart: Option<Apart>,
    origin: Origin,
    runner: &'s mut dyn Runner,
    budget: Budget<'s>,
    progress: &'s mut dyn FnMut(&Trace, u64),
    cache: Cache,
    others: Vec<(Origin, Trace)>,
    memory: Memory,
    trial: Trace,
    /// Whether `trial` holds what the last candidate drew.
    has_trial: bool,
    /// What the last candidate drew, now or in an earlier run.
    trial_drawn: Option<Drawn>,
    candidate: Vec<Value>,
    /// The candidate as bytes, for a target that takes its input as it stands.
    #[cfg(feature = "fuzzing")]
    input: Vec<u8>,
    calls: u64,
    /// How many candidates the search answered without running them.
    known: u64,
    calls_to_exhaust: u64,
    exhausting: Option<Exhausting>,
    improvements: u64,
    no_smaller_among: Option<u64>,
    calls_to_fixpoint: Option<u64>,
    /// The hashes of known ends, if this search begins at a kick. It stops when it arrives at one.
    known_ends: Option<Hashes>,
    /// Why the search ended, once the budget is used up.
    finish: Option<Finish>,
}

impl<'s> Search<'s> {
    pub(super) fn new(
        start: &Trace,
        origin: Origin,
        runner: &'s mut dyn Runner,
        budget: Budget<'s>,
        progress: &'s mut dyn FnMut(&Trace, u64),
    ) -> Search<'s> {
        Search {
            best_hash: cache::hash(start.choices.iter().map(|choice| &choice.value)),
            best: start.clone(),
            apart: None,
            origin,
            runner,
            budget,
            progress,
            cache: Cache::default(),
            others: Vec::new(),
            memory: Memory::new(start),
            trial: Trace::default(),
            has_trial: false,
            trial_drawn: None,
            candidate: Vec::new(),
            #[cfg(feature = "fuzzing")]
            input: Vec::new(),
            calls: 0,
            known: 0,
            calls_to_exhaust: 0,
            exhausting: None,
            improvements: 0,
            no_smaller_among: None,
            calls_to_fixpoint: None,
            known_ends: None,
            finish: None,
        }
    }

    /// The simplest failure so far, taken apart or whole.
    pub(super) fn best(&self) -> &Trace {
        self.apart.as_ref().map_or(&self.best, |apart| &apart.best)
    }

    /// The choices of the best.
    pub(super) fn choices(&self) -> &[Choice] {
        &self.best().choices
    }

    /// The spans of the best.
    pub(super) fn spans(&self) -> &[Span] {
        &self.best().spans
    }

    /// The values of generators that were drawn but are not in use.
    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// How many choices the best has.
    pub(super) fn len(&self) -> usize {
        self.best().len()
    }

    /// How often a candidate became the best.
    pub(super) fn improvements(&self) -> u64 {
        self.improvements
    }

    /// How many candidates the search ran.
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    /// Whether the search runs no more candidates, because the budget is used up. During
    /// exhaustion, the part of the budget for exhaustion counts, too.
    pub(super) fn is_stopped(&self) -> bool {
        self.finish.is_some()
            || self.known_ends.as_ref().is_some_and(|ends| ends.contains(&self.best_hash))
            || self.exhausting.is_some_and(|exhausting| self.calls >= exhausting.until)
    }

    /// Runs `pass` with the calls that the budget has for exhaustion. Returns whether the pass
    /// improved the best.
    pub(super) fn exhaust(&mut self, pass: impl FnOnce(&mut Self)) -> bool {
        self.calls_to_fixpoint.get_or_insert(self.calls);
        self.beside_fixpoint((self.budget.exhaust_max, false), pass)
    }

    /// Runs `pass` with the calls that the budget has for the search around the best, if there are
    /// any. Returns whether the pass improved the best.
    pub(super) fn around(&mut self, pass: impl FnOnce(&mut Self)) -> bool {
        match &self.budget.around {
            Some(around) => self.beside_fixpoint((around.calls_max, true), pass),
            None => false,
        }
    }

    /// Runs `pass` with at most `calls_max` calls. Returns whether the pass improved the best. If
    /// it did not, its calls are counted separately.
    fn beside_fixpoint(
        &mut self,
        (calls_max, is_around): (u64, bool),
        pass: impl FnOnce(&mut Self),
    ) -> bool {
        let (calls, improvements) = (self.calls, self.improvements);
        let until = calls.saturating_add(calls_max);
        self.exhausting = Some(Exhausting { until, improvements, is_around });
        pass(self);
        self.exhausting = None;
        let improved = self.improvements > improvements;
        if !improved {
            self.calls_to_exhaust += self.calls - calls;
        }
        improved
    }

    /// How many smaller sequences are known not to fail, if the search tried a stated set of them
    /// to the end.
    pub(super) fn no_smaller_among(&self) -> Option<u64> {
        self.no_smaller_among
    }

    /// Sets that number for the current best.
    pub(super) fn set_no_smaller_among(&mut self, sequences: Option<u64>) {
        self.no_smaller_among = sequences;
    }

    /// Runs `pass` on the span of each collection, outer ones first. If the pass deletes something,
    /// the collections behind it move.
    pub(super) fn each_collection(&mut self, mut pass: impl FnMut(&mut Self, usize)) {
        let mut index = 0;
        while index < self.spans().len() && !self.is_stopped() {
            if self.spans()[index].label == Label::COLLECTION {
                pass(self, index);
            }
            index += 1;
        }
    }

    /// Runs `pass` on what stands outside of all spans, then on each span.
    pub(super) fn each_parent(&mut self, mut pass: impl FnMut(&mut Self, Option<u32>)) {
        pass(self, None);
        let mut index = 0;
        while index < self.spans().len() && !self.is_stopped() {
            pass(self, Some(index as u32));
            index += 1;
        }
    }

    /// Tries the candidate that `write` makes from the best.
    pub(super) fn attempt(&mut self, write: impl FnOnce(&Trace, &mut Vec<Value>)) -> Verdict {
        let mut candidate = std::mem::take(&mut self.candidate);
        candidate.clear();
        write(self.best(), &mut candidate);
        candidate.truncate(self.len());
        let verdict = self.run(&candidate);
        self.candidate = candidate;
        verdict
    }

    /// Tries the best with other values at these places. Places behind its end are ignored.
    pub(super) fn set(&mut self, changes: &[(usize, Value)]) -> Verdict {
        self.attempt(|best, candidate| {
            candidate.extend(best.choices.iter().map(|choice| choice.value.clone()));
            for (at, value) in changes {
                if let Some(place) = candidate.get_mut(*at) {
                    place.clone_from(value);
                }
            }
        })
    }

    /// Runs `candidate` even if its answer is known, because the caller needs its trial.
    pub(super) fn run_again(&mut self, candidate: &[Value]) -> Verdict {
        self.run_as(cache::hash(candidate), candidate)
    }

    fn run(&mut self, candidate: &[Value]) -> Verdict {
        let (hash, drawn) = self.cache.look_up(candidate);
        self.answer_known(hash, drawn).unwrap_or_else(|| self.run_as(hash, candidate))
    }

    /// Returns the answer for a candidate that need not run, and makes it the last candidate. The
    /// caller gives its hash, and what it drew if that is known.
    fn answer_known(&mut self, hash: u64, drawn: Option<Drawn>) -> Option<Verdict> {
        (self.has_trial, self.trial_drawn) = (false, None);
        if hash == self.best_hash || self.apart.as_ref().is_some_and(|apart| apart.hash == hash) {
            self.known += 1;
            return Some(Verdict::Same);
        }
        let drawn = drawn.filter(|drawn| self.is_conclusive(*drawn))?;
        self.known += 1;
        self.trial_drawn = Some(drawn);
        Some(if drawn.hash == self.best_hash { Verdict::Same } else { Verdict::Worse })
    }

    /// Whether the search need not run a candidate that drew this. Without a kick it need not: the
    /// limit of choices never rises, and what was no improvement never becomes one.
    fn is_conclusive(&self, drawn: Drawn) -> bool {
        match drawn.outcome {
            Outcome::Overrun => drawn.length as usize >= self.best.len(),
            Outcome::Failed(true) => self.known_ends.is_none() || drawn.hash == self.best_hash,
            Outcome::Rejected | Outcome::Passed | Outcome::Failed(false) => true,
        }
    }

    /// Runs `candidate`, even if it was run before. The caller gives its hash.
    fn run_as(&mut self, hash: u64, candidate: &[Value]) -> Verdict {
        self.note_if_over();
        if self.is_stopped() {
            return Verdict::Worse;
        }
        self.calls += 1;
        let candidate = Candidate::replaying(candidate);
        let choices_max = self.best.len();
        let outcome = self.runner.run(candidate, choices_max, &mut self.trial);
        if let Some(apart) = &mut self.apart {
            apart.note_trial(&self.trial);
        }
        let ended = outcome.map(|origin| origin == self.origin);
        let drawn = self.cache.insert(hash, &self.trial.choices, choices_max, ended);
        (self.has_trial, self.trial_drawn) = (true, Some(drawn));
        match outcome {
            Outcome::Failed(origin) if origin == self.origin => {
                match order::compare(&self.trial.choices, &self.best.choices) {
                    Ordering::Less => {
                        self.accept_trial(drawn.hash);
                        Verdict::Better
                    }
                    Ordering::Equal => Verdict::Same,
                    Ordering::Greater => Verdict::Worse,
                }
            }
            Outcome::Failed(other) => {
                self.keep_other(other);
                Verdict::Worse
            }
            Outcome::Overrun | Outcome::Rejected | Outcome::Passed => Verdict::Worse,
        }
    }

    /// Ends the search if its budget is used up, or only the search around the best.
    fn note_if_over(&mut self) {
        if let (Some(phase), Some(around)) = (&mut self.exhausting, &mut self.budget.around)
            && phase.is_around
            && (around.stop)()
        {
            phase.until = 0;
        }
        if self.finish.is_none() && (self.calls >= self.budget.calls_max || (self.budget.stop)()) {
            // The best was at a fixpoint when the search around it began. Without an improvement
            // since then, it still is.
            let at_fixpoint = self
                .exhausting
                .is_some_and(|exhausting| exhausting.improvements == self.improvements);
            self.finish = Some(if at_fixpoint { Finish::Fixpoint } else { Finish::Budget });
        }
    }

    /// Makes the trial the best. The caller gives its hash.
    fn accept_trial(&mut self, hash: u64) {
        std::mem::swap(&mut self.best, &mut self.trial);
        self.memory.note(&self.trial, &self.best);
        self.best_hash = hash;
        if self.apart.is_some() {
            self.apart = Apart::new(&self.best);
        }
        self.has_trial = false;
        self.improvements += 1;
        self.no_smaller_among = None;
        (self.progress)(&self.best, self.calls);
    }

    fn keep_other(&mut self, origin: Origin) {
        match self.others.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, simplest))
                if order::compare(&self.trial.choices, &simplest.choices).is_lt() =>
            {
                simplest.clone_from(&self.trial);
            }
            Some(_) => {}
            None => self.others.push((origin, self.trial.clone())),
        }
    }

    pub(super) fn finish(self) -> Shrunk {
        Shrunk {
            best: self.best,
            calls: self.calls,
            calls_to_fixpoint: self.calls_to_fixpoint.unwrap_or(self.calls),
            calls_to_exhaust: self.calls_to_exhaust,
            no_smaller_among: self.no_smaller_among,
            finish: self.finish.unwrap_or(Finish::Fixpoint),
            others: self.others,
        }
    }
}
