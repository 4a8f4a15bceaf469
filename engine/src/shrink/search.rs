//! The state of a shrink: the best so far, and how a candidate is tried against it.

use std::cmp::Ordering;

use super::cache::{self, Cache, Drawn, End};
use super::memory::Memory;
use super::{Budget, Finish, Runner, Shrunk};
use crate::choice::{Choice, Value};
use crate::order;
use crate::outcome::{Origin, Outcome};
use crate::trace::{Label, Span, Trace};

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is the new best.
    Better,
    /// It is the best, drawn from other values or from the same.
    Same,
    /// It does not fail with the origin, or is no simpler.
    Worse,
}

impl Verdict {
    /// Whether a search may go on from here. A candidate equal to the best counts: taking it for a failure made searches stop where they stood.
    pub(super) fn holds(self) -> bool {
        self != Verdict::Worse
    }
}

/// Says when a pass made so many calls without headway that it gives way to others. Candidates cost time also where the answer is known: they count too, but
/// little.
pub(super) struct Fruitless {
    calls_max: u64,
    calls: u64,
    known: u64,
    improvements: u64,
}

/// So many candidates with a known answer count as one call.
const KNOWN_PER_CALL: u64 = 4;

impl Fruitless {
    pub(super) fn new(search: &Search<'_>, calls_max: u64) -> Fruitless {
        Fruitless { calls_max, calls: search.calls, known: search.known, improvements: search.improvements }
    }

    /// Whether it is time to give way; also once the budget is used up.
    pub(super) fn is_enough(&mut self, search: &Search<'_>) -> bool {
        if search.improvements > self.improvements {
            (self.improvements, self.calls, self.known) = (search.improvements, search.calls, search.known);
        }
        search.is_stopped() || search.calls - self.calls + (search.known - self.known) / KNOWN_PER_CALL >= self.calls_max
    }
}

/// A search in the neighbourhood of what no pass improves.
#[derive(Clone, Copy)]
struct Exhausting {
    /// How many calls there are when it has to end.
    until: u64,
    /// How many improvements there were when it began.
    improvements: u64,
}

/// The best so far and all it takes to improve it.
pub(super) struct Search<'s> {
    best: Trace,
    best_hash: u64,
    origin: Origin,
    runner: &'s mut dyn Runner,
    budget: Budget<'s>,
    progress: &'s mut dyn FnMut(&Trace, u64),
    cache: Cache,
    others: Vec<(Origin, Trace)>,
    memory: Memory,
    trial: Trace,
    /// What became of the last candidate, if `trial` holds what it drew.
    trial_outcome: Option<Outcome>,
    /// How the last candidate ended, now or when it was run before.
    trial_end: Option<End>,
    candidate: Vec<Value>,
    /// The same where the target takes its input as it stands.
    input: Vec<u8>,
    calls: u64,
    /// How many candidates were not run because their answer is known.
    known: u64,
    calls_to_exhaust: u64,
    exhausting: Option<Exhausting>,
    improvements: u64,
    no_smaller_among: Option<u64>,
    /// Why it ended, once the budget is used up.
    finish: Option<Finish>,
}

impl<'s> Search<'s> {
    pub(super) fn new(start: &Trace, origin: Origin, runner: &'s mut dyn Runner, budget: Budget<'s>, progress: &'s mut dyn FnMut(&Trace, u64)) -> Search<'s> {
        Search {
            best_hash: cache::hash(start.choices.iter().map(|choice| &choice.value)),
            best: start.clone(),
            origin,
            runner,
            budget,
            progress,
            cache: Cache::default(),
            others: Vec::new(),
            memory: Memory::new(start),
            trial: Trace::default(),
            trial_outcome: None,
            trial_end: None,
            candidate: Vec::new(),
            input: Vec::new(),
            calls: 0,
            known: 0,
            calls_to_exhaust: 0,
            exhausting: None,
            improvements: 0,
            no_smaller_among: None,
            finish: None,
        }
    }

    /// The simplest failure so far.
    pub(super) fn best(&self) -> &Trace {
        &self.best
    }

    /// The choices of the best.
    pub(super) fn choices(&self) -> &[Choice] {
        &self.best.choices
    }

    /// The spans of the best.
    pub(super) fn spans(&self) -> &[Span] {
        &self.best.spans
    }

    /// What generators made that are not in use.
    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// How many choices the best has.
    pub(super) fn len(&self) -> usize {
        self.best.choices.len()
    }

    /// How often a candidate became the best.
    pub(super) fn improvements(&self) -> u64 {
        self.improvements
    }

    /// How many candidates were run.
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    /// Whether the budget is used up, or while it exhausts the part for that, so that no candidate is run any more.
    pub(super) fn is_stopped(&self) -> bool {
        self.finish.is_some() || self.exhausting.is_some_and(|exhausting| self.calls >= exhausting.until)
    }

    /// Runs `pass` with the calls that the budget has for exhaustion. They are counted apart, and whether it improved anything comes back.
    pub(super) fn exhaust(&mut self, pass: impl FnOnce(&mut Self)) -> bool {
        let (calls, improvements) = (self.calls, self.improvements);
        self.exhausting = Some(Exhausting { until: calls.saturating_add(self.budget.exhaust_max), improvements });
        pass(self);
        self.exhausting = None;
        let improved = self.improvements > improvements;
        if !improved {
            self.calls_to_exhaust += self.calls - calls;
        }
        improved
    }

    /// Of how many smaller sequences it is known that none fails, if a stated set of them was tried to the end.
    pub(super) fn no_smaller_among(&self) -> Option<u64> {
        self.no_smaller_among
    }

    /// Says so of the best as it stands.
    pub(super) fn set_no_smaller_among(&mut self, sequences: Option<u64>) {
        self.no_smaller_among = sequences;
    }

    /// What the last candidate drew, unless it was answered without running it or became the best.
    pub(super) fn trial(&self) -> Option<&Trace> {
        self.trial_outcome.map(|_| &self.trial)
    }

    /// Whether the last candidate was run and drew more than the best.
    pub(super) fn trial_overran(&self) -> bool {
        self.trial_outcome == Some(Outcome::Overrun)
    }

    /// How many choices the last candidate drew, if the target ran to an end and it did not become the best.
    pub(super) fn trial_length(&self) -> Option<usize> {
        match self.trial_end? {
            End::Ran(length) | End::Other(length) => Some(length as usize),
            End::Overrun | End::Rejected => None,
        }
    }

    /// Whether the last candidate failed, but with another origin.
    pub(super) fn trial_failed_otherwise(&self) -> bool {
        matches!(self.trial_end, Some(End::Other(_)))
    }

    /// Whether any candidate failed with another origin.
    pub(super) fn has_met_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Runs `pass` on the span of each collection, outer ones first. Where a pass deletes something, the collections behind it move.
    pub(super) fn each_collection(&mut self, mut pass: impl FnMut(&mut Self, usize)) {
        let mut index = 0;
        while index < self.spans().len() && !self.is_stopped() {
            if self.spans()[index].label == Label::COLLECTION {
                pass(self, index);
            }
            index += 1;
        }
    }

    /// Tries what `write` makes of the best.
    pub(super) fn attempt(&mut self, write: impl FnOnce(&Trace, &mut Vec<Value>)) -> Verdict {
        let mut candidate = std::mem::take(&mut self.candidate);
        candidate.clear();
        write(&self.best, &mut candidate);
        candidate.truncate(self.best.len());
        let verdict = self.run(&candidate);
        self.candidate = candidate;
        verdict
    }

    /// Tries the best with other values at these places. Places behind its end are left out.
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

    /// Runs `candidate` even if what becomes of it is known, for the trial it leaves.
    pub(super) fn run_again(&mut self, candidate: &[Value]) -> Verdict {
        self.run_as(cache::hash(candidate), candidate)
    }

    /// Tries an input that is taken as it stands, put together of `parts`.
    pub(super) fn attempt_raw<const N: usize>(&mut self, parts: [&[u8]; N]) -> Verdict {
        let mut input = std::mem::take(&mut self.input);
        input.clear();
        for part in parts {
            input.extend_from_slice(part);
        }
        let (hash, drawn) = self.cache.look_up_raw(&input);
        let verdict = self.answer_known(hash, drawn).unwrap_or_else(|| self.run_as(hash, &[Value::Bytes(input[..].into())]));
        self.input = input;
        verdict
    }

    fn run(&mut self, candidate: &[Value]) -> Verdict {
        let (hash, drawn) = self.cache.look_up(candidate);
        self.answer_known(hash, drawn).unwrap_or_else(|| self.run_as(hash, candidate))
    }

    /// The answer for a candidate that need not be run, as the last one now; given its hash, and what it drew if it was run.
    fn answer_known(&mut self, hash: u64, drawn: Option<Drawn>) -> Option<Verdict> {
        self.trial_outcome = None;
        self.trial_end = None;
        if hash == self.best_hash {
            self.known += 1;
            return Some(Verdict::Same);
        }
        let drawn = drawn?;
        self.known += 1;
        self.trial_end = Some(drawn.end);
        Some(if drawn.hash == self.best_hash { Verdict::Same } else { Verdict::Worse })
    }

    /// Runs `candidate`, the hash of which is given, whether or not that was done before.
    fn run_as(&mut self, hash: u64, candidate: &[Value]) -> Verdict {
        if self.finish.is_none() && (self.calls >= self.budget.calls_max || (self.budget.stop)()) {
            // What was at a fixpoint when the search around it began is at one still.
            let at_fixpoint = self.exhausting.is_some_and(|exhausting| exhausting.improvements == self.improvements);
            self.finish = Some(if at_fixpoint { Finish::Fixpoint } else { Finish::Budget });
        }
        if self.is_stopped() {
            return Verdict::Worse;
        }
        self.calls += 1;
        let outcome = self.runner.run(candidate, self.best.len(), &mut self.trial);
        self.trial_outcome = Some(outcome);
        let length = self.trial.choices.len() as u32;
        let end = match outcome {
            Outcome::Overrun => End::Overrun,
            Outcome::Rejected => End::Rejected,
            Outcome::Failed(other) if other != self.origin => End::Other(length),
            Outcome::Passed | Outcome::Failed(_) => End::Ran(length),
        };
        self.trial_end = Some(end);
        // What was cut short is cut short again: the limit is never raised.
        let drawn = self.cache.insert(hash, &self.trial.choices, end);
        match outcome {
            Outcome::Failed(origin) if origin == self.origin => match order::compare(&self.trial.choices, &self.best.choices) {
                Ordering::Less => {
                    std::mem::swap(&mut self.best, &mut self.trial);
                    self.memory.note(&self.trial, &self.best);
                    self.best_hash = drawn.hash;
                    self.trial_outcome = None;
                    self.improvements += 1;
                    self.no_smaller_among = None;
                    (self.progress)(&self.best, self.calls);
                    Verdict::Better
                }
                Ordering::Equal => Verdict::Same,
                Ordering::Greater => Verdict::Worse,
            },
            Outcome::Failed(other) => {
                self.keep_other(other);
                Verdict::Worse
            }
            Outcome::Overrun | Outcome::Rejected | Outcome::Passed => Verdict::Worse,
        }
    }

    fn keep_other(&mut self, origin: Origin) {
        match self.others.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, simplest)) if order::compare(&self.trial.choices, &simplest.choices).is_lt() => simplest.clone_from(&self.trial),
            Some(_) => {}
            None => self.others.push((origin, self.trial.clone())),
        }
    }

    pub(super) fn finish(self) -> Shrunk {
        Shrunk {
            best: self.best,
            calls: self.calls,
            calls_to_exhaust: self.calls_to_exhaust,
            no_smaller_among: self.no_smaller_among,
            finish: self.finish.unwrap_or(Finish::Fixpoint),
            others: self.others,
        }
    }
}
