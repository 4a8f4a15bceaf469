//! Whether two failures come and go in the same contexts. Then they are likely one fault.
//!
//! Two inputs that differ in one part stand for two states of the target, or two ways to one state.
//! If both ways lead to one state, the same change of the common parts makes both pass, or lets
//! both fail. This is the equivalence of Nerode, decided by tries. Two faults differ in some
//! context: what is needed by one is not needed by the other.
//!
//! Contexts in which both fail say little, because a fault that needs nothing of the common parts
//! fails in all of them. So some contexts must let both pass.

use std::collections::HashMap;

use super::contains::contains;
use super::wanted::Wanted;
use crate::choice::Value;
use crate::explain::classes::draw::Piece;
use crate::explain::classes::operations::{
    last_element, last_operation, outermost_elements, outermost_rounds,
};
use crate::explain::classes::study::Study;
use crate::explain::classes::tree::Tree;
use crate::explain::classes::tree::outermost;
use crate::explain::classes::trials::{Run, TrialVerdict};
use crate::shrink::place::{alternative, is_continue, is_datum};
use crate::trace::{Label, Trace};

/// How many contexts are tried.
const CONTEXTS: usize = 120;
/// How many are tried if some let both pass, and nothing is decided yet.
const CONTEXTS_MAX: usize = 4 * CONTEXTS;
/// At least this number of contexts must let both pass.
const PASSING_MIN: u32 = 5;
/// At one place, at least this number of changes must let both pass, and as many must let both
/// fail.
const EACH_MIN: u32 = 2;
/// How many contexts may let only one fail, if a known cause explains why.
const UNCLEAR_MAX: u32 = 3;

/// Two failing inputs and their common parts.
pub(crate) struct Contexts<'a> {
    one: &'a Trace,
    other: &'a Trace,
    /// How many choices at the beginning, and at the end, are the same.
    before: usize,
    behind: usize,
    /// Whether each is one recursive value.
    are_single: bool,
    /// Whether both have one form. Then a choice of one stands for the same choice of the other.
    is_alike: bool,
    /// The spans of the first input that lie in a common part.
    spans: Vec<usize>,
    /// The choices of the first input that lie in a common part and are data.
    data: Vec<usize>,
    /// The places at which both inputs may have a further element, and an element that stands
    /// beside it in the first one. `None`: a further round of a loop.
    gaps: Vec<(usize, Option<usize>)>,
}

/// What contexts say about two failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// Both fail and pass in the same contexts.
    Full,
    /// No context tells them apart, and some let both pass. That is too little for `Full`.
    Partial,
    /// A context tells them apart, or none lets both pass. Or the budget was used up before.
    None,
}

/// One change of a common part of the first input.
struct Change {
    at: usize,
    end: usize,
    values: Vec<Value>,
}

/// How many choices at the beginning and at the end of two inputs are the same.
pub(crate) fn common(one: &Trace, other: &Trace) -> (usize, usize) {
    let len = one.len().min(other.len());
    let is_same = |a: usize, b: usize| one.choices[a] == other.choices[b];
    let before = (0..len).take_while(|at| is_same(*at, *at)).count();
    let behind =
        (1..=len - before).take_while(|from| is_same(one.len() - from, other.len() - from)).count();
    (before, behind)
}

/// The same, without parts of outermost elements: an element that differs in one part differs. The
/// equal parts of two operations may have different roles, for example in the first and in the
/// second of two insertions.
fn common_elements(one: &Trace, other: &Trace) -> (usize, usize) {
    let (mut before, mut behind) = common(one, other);
    if are_single(one, other) {
        return (before, behind);
    }
    for trace in [one, other] {
        for range in outermost_elements(trace) {
            if range.start < before && before < range.end {
                before = range.start;
            }
            let from = trace.len() - behind;
            if range.start < from && from < range.end {
                behind = trace.len() - range.end;
            }
        }
    }
    (before, behind)
}

/// Whether each of two inputs is one recursive value, and not several operations.
fn are_single(one: &Trace, other: &Trace) -> bool {
    [one, other].into_iter().all(|trace| {
        let has_inside = |span: usize| outermost(trace, span).is_some_and(|top| top != span);
        outermost_elements(trace).count() <= 1 && (0..trace.spans.len()).any(has_inside)
    })
}

impl<'a> Contexts<'a> {
    pub(crate) fn of(one: &'a Trace, other: &'a Trace) -> Contexts<'a> {
        let (before, behind) = common_elements(one, other);
        let mut contexts = Contexts {
            one,
            other,
            before,
            behind,
            are_single: are_single(one, other),
            is_alike: Tree::is_alike(one, other),
            spans: Vec::new(),
            data: Vec::new(),
            gaps: Vec::new(),
        };
        contexts.data = (0..one.len())
            .filter(|at| {
                let choice = &one.choices[*at];
                contexts.in_other(*at, at + 1).is_some()
                    && (is_datum(choice) || alternative(choice).is_some() && !is_continue(choice))
            })
            .collect();
        contexts.spans = (0..one.spans.len())
            .filter(|span| {
                let span = &one.spans[*span];
                !span.discarded && !span.is_empty() && contexts.has_span(span.label, span.range())
            })
            .collect();
        for (index, span) in one.spans.iter().enumerate() {
            if span.label == Label::ELEMENT && !span.discarded {
                for at in [span.start as usize, span.end as usize] {
                    if contexts.is_gap(at) && !contexts.gaps.iter().any(|(gap, _)| *gap == at) {
                        contexts.gaps.push((at, Some(index)));
                    }
                }
            }
        }
        let ends = |trace| -> Vec<usize> {
            let rounds = outermost_rounds(trace).into_iter();
            rounds.flat_map(|round| [round.start, round.end]).collect()
        };
        let (mut gaps, others) = (ends(one), ends(other));
        gaps.dedup();
        gaps.retain(|at| {
            contexts.in_other(*at, *at).is_some_and(|(there, _)| others.contains(&there))
        });
        contexts.gaps.extend(gaps.into_iter().map(|at| (at, None)));
        contexts
    }

    /// The range of the other input that a range of common choices stands for.
    fn in_other(&self, at: usize, end: usize) -> Option<(usize, usize)> {
        let (one, other) = (self.one.len(), self.other.len());
        let is_same = |at: usize| self.one.choices[at].value == self.other.choices[at].value;
        if end <= self.before || self.is_alike && (at..end).all(is_same) {
            Some((at, end))
        } else if at >= one - self.behind {
            Some((at + other - one, end + other - one))
        } else {
            None
        }
    }

    fn has_span(&self, label: Label, range: std::ops::Range<usize>) -> bool {
        let Some((at, end)) = self.in_other(range.start, range.end) else { return false };
        self.other.spans.iter().any(|span| span.label == label && span.range() == (at..end))
    }

    /// Whether an element begins or ends at this place of both inputs.
    fn is_gap(&self, at: usize) -> bool {
        let Some((at, _)) = self.in_other(at, at) else { return false };
        let mut elements = self.other.spans.iter().filter(|span| span.label == Label::ELEMENT);
        elements.any(|span| span.start as usize == at || span.end as usize == at)
    }

    /// Without changes before the part that differs: two ways to one state may be different steps.
    pub(crate) fn behind(mut self) -> Contexts<'a> {
        let from = self.one.len() - self.behind;
        self.data.retain(|at| *at >= from);
        self.spans.retain(|span| self.one.spans[*span].start as usize >= from);
        self.gaps.retain(|(at, _)| *at >= from);
        self
    }

    /// How far both inputs fail and pass in the same contexts. Not at all if their last operations
    /// differ.
    ///
    /// For a full agreement, one change at some place must let both pass and another one must let
    /// both fail. So the inputs need more than that nothing changes there. A failure that one of
    /// `known` explains does not count. `own` is the known cause that explains the second input,
    /// but not the first: if it explains the first one with a change, the change is the reason.
    pub(crate) fn agree(
        &self,
        study: &mut Study<'_>,
        known: &[Wanted<'_>],
        own: Option<&Wanted<'_>>,
    ) -> Agreement {
        if last_operation(self.one) != last_operation(self.other) {
            return Agreement::None;
        }
        let mut places: HashMap<(usize, usize), (u32, u32)> = HashMap::new();
        let is_known = |trace: &Trace| known.iter().any(|wanted| contains(wanted, trace));
        let (mut pass, mut unclear, mut is_cut) = (0, 0, false);
        for tried in 0..CONTEXTS_MAX {
            if tried >= CONTEXTS && (pass == 0 || self.is_full(pass, unclear, &places)) {
                break;
            }
            let Some(change) = self.change(study) else { continue };
            let Some((one, other)) = self.run(study, &change) else {
                is_cut = true;
                break;
            };
            let (failed, passed) = places.entry((change.at, change.end)).or_default();
            match (one.verdict, other.verdict) {
                (TrialVerdict::NoEvidence, _) | (_, TrialVerdict::NoEvidence) => {}
                (TrialVerdict::Fails, TrialVerdict::Fails) => {
                    if !self.is_alike
                        && *failed < EACH_MIN
                        && !is_known(&one.trace)
                        && !own.is_some_and(|own| contains(own, &one.trace))
                        && self.needs_last(study, &change)
                    {
                        *failed += 1;
                    }
                }
                (one, other) if one == other => {
                    pass += 1;
                    *passed += 1;
                }
                // Another fault may be the reason.
                (one_ended, _) if unclear < UNCLEAR_MAX => {
                    let failing = if one_ended == TrialVerdict::Fails { &one } else { &other };
                    if !is_known(&failing.trace) {
                        return Agreement::None;
                    }
                    unclear += 1;
                }
                _ => return Agreement::None,
            }
        }
        if self.is_full(pass, unclear, &places) {
            Agreement::Full
        } else if pass > 0 && !is_cut {
            Agreement::Partial
        } else {
            Agreement::None
        }
    }

    /// Whether it is enough that this number of contexts let both pass. For each place, how many
    /// contexts let both fail, and how many let both pass.
    fn is_full(
        &self,
        pass: u32,
        unclear: u32,
        places: &HashMap<(usize, usize), (u32, u32)>,
    ) -> bool {
        let matters = |(place, (failed, passed)): (&(usize, usize), &(u32, u32))| {
            (place.0 == place.1 || self.are_single && unclear == 0)
                && *failed >= EACH_MIN
                && *passed >= EACH_MIN
        };
        pass >= PASSING_MIN && (self.is_alike || places.iter().any(matters))
    }

    /// Whether some context lets only one of the inputs fail. A failure that one of `known`
    /// explains does not count.
    pub(crate) fn differ(&self, study: &mut Study<'_>, known: &[Wanted<'_>]) -> bool {
        (0..CONTEXTS / 2).any(|_| {
            let Some(change) = self.change(study) else { return false };
            let Some((one, other)) = self.run(study, &change) else { return false };
            let failing = match (one.verdict, other.verdict) {
                (TrialVerdict::Fails, TrialVerdict::Passes) => &one.trace,
                (TrialVerdict::Passes, TrialVerdict::Fails) => &other.trace,
                _ => return false,
            };
            !known.iter().any(|wanted| contains(wanted, failing))
        })
    }

    /// Whether the first input passes with a change, but without its last operation.
    fn needs_last(&self, study: &mut Study<'_>, change: &Change) -> bool {
        if self.are_single {
            return self.needs_rest(study, change);
        }
        let Some(last) = last_element(self.one) else { return true };
        if change.end > last.start {
            return false;
        }
        let mut values = self.one.values();
        values.drain(last);
        values.splice(change.at..change.end, change.values.iter().cloned());
        study.trials.run(&values).is_some_and(|run| run.verdict == TrialVerdict::Passes)
    }

    /// Whether the first input passes with the new part alone. The old part says nothing, and a
    /// large new one may hold another fault.
    fn needs_rest(&self, study: &mut Study<'_>, change: &Change) -> bool {
        let old = self.one.choices[change.at..change.end].iter().map(|choice| &choice.value);
        if change.values.len() > self.one.len() || old.eq(&change.values) {
            return false;
        }
        let is_changed = |span: &&usize| self.one.spans[**span].range() == (change.at..change.end);
        let whole = self.spans.iter().find(is_changed).and_then(|span| outermost(self.one, *span));
        whole.is_some_and(|whole| {
            let piece = Piece::exchanged(self.one, whole, change.values.clone());
            study.fails(&[piece]) == Some(false)
        })
    }

    fn run(&self, study: &mut Study<'_>, change: &Change) -> Option<(Run, Run)> {
        let put = |trace: &Trace, at: usize, end: usize| {
            let mut values = trace.values();
            values.splice(at..end, change.values.iter().cloned());
            values
        };
        let one = study.trials.run(&put(self.one, change.at, change.end))?;
        let (at, end) = self.in_other(change.at, change.end)?;
        let other = study.trials.run(&put(self.other, at, end))?;
        Some((one, other))
    }

    /// A random change. `None` if there is no such change this time.
    fn change(&self, study: &mut Study<'_>) -> Option<Change> {
        let kind = study.rng.u8(..8);
        match kind {
            0..4 => {
                let (at, element) = study.rng.choice(&self.gaps).copied()?;
                let values = match element {
                    Some(element) => redrawn(study, element)?,
                    None => round(study)?,
                };
                Some(Change { at, end: at, values })
            }
            4 | 5 if !self.are_single || kind == 5 => {
                let at = study.rng.choice(&self.data).copied()?;
                let values = study.targeted_values(at, at..at + 1);
                let value = study.rng.choice(values)?;
                Some(Change { at, end: at + 1, values: vec![value] })
            }
            _ => {
                let span = study.rng.choice(&self.spans).copied()?;
                let range = self.one.spans[span].range();
                let is_element = self.one.spans[span].label == Label::ELEMENT;
                let values =
                    if is_element && kind == 7 { Vec::new() } else { redrawn(study, span)? };
                Some(Change { at: range.start, end: range.end, values })
            }
        }
    }
}

/// A round of a loop, from a random run.
fn round(study: &mut Study<'_>) -> Option<Vec<Value>> {
    let run = study.trials.run_random(&[], study.rng.u64(..))?;
    let range = study.rng.choice(outermost_rounds(&run.trace))?;
    Some(run.trace.choices[range].iter().map(|choice| choice.value.clone()).collect())
}

fn redrawn(study: &mut Study<'_>, span: usize) -> Option<Vec<Value>> {
    let Study { base, tree, trials, redraws, .. } = study;
    let redrawn = redraws.next(trials, (base, &*tree), span)?;
    Some(redrawn.choices.into_iter().map(|choice| choice.value).collect())
}
