//! The known causes of a bug, and whether one of them explains a failure.
//!
//! A cause may need that a number is odd, or that some numbers have a sum, and no claim says it.
//! Then its numbers are [loose](Claims::loose), and each input with numbers in their places
//! seems to contain the cause. So the target runs:
//!
//! - The cause must also fail with the values of the input in these places. More numbers may have
//!   a [sum](super::balance): then the failure must stay when two of them move, and keep their sum.
//!   If an input contains the cause in several ways, one of them is enough.
//! - The input gets other values in place of all numbers and strings of these kinds, with which the
//!   cause passes. A failure that is still there has another reason.
//!
//! Strings may stand for others than those that claims and patterns allow, if the input
//! [needs](super::needed) them.

use std::ops::RangeInclusive;

use super::balance::{self, Balance};
use super::cause::Cause;
use super::contains::{Contained, contained, contained_if, contains};
use super::needed::Strings;
use super::wanted::Wanted;
use crate::choice::{Choice, Constraint, Value};
use crate::explain::classes::claims::{Claims, Place};
use crate::explain::classes::draw::{Piece, put_in};
use crate::explain::classes::number_line::NumberLine;
use crate::explain::classes::operations::innermost_element;
use crate::explain::classes::strings::{items, value_of};
use crate::outcome::{Origin, Outcome};
use crate::shrink::place::moved;
use crate::shrink::{Candidate, Runner};
use crate::trace::{Span, Trace};

/// How many more choices than the input a run may draw.
const ROOM: usize = 64;
/// How many ways in which an input may contain a cause are run.
const WAYS_MAX: usize = 16;

/// The known causes of a bug, prepared for many questions.
pub struct KnownCauses<'a> {
    causes: Vec<Wanted<'a>>,
    /// For each cause, what takes the place of loose values, once it is known.
    neutral: Vec<Option<Neutral>>,
    /// For each cause, which of its loose numbers have a sum, once it is known.
    balances: Vec<Option<Vec<Balance>>>,
    origin: Origin,
    /// The runs that the answers have taken.
    pub(crate) runs: u64,
}

/// What takes the place of loose values.
#[derive(Clone, Copy)]
enum Neutral {
    /// Strings of the same length without an item twice, and the simplest numbers.
    Distinct,
    Simplest,
    Greatest,
    /// The cause fails with each of the others.
    Nothing,
}

impl<'a> KnownCauses<'a> {
    /// The causes of the failures of `origin`.
    pub fn new(causes: &'a [Cause], origin: Origin) -> KnownCauses<'a> {
        KnownCauses {
            causes: causes.iter().map(Cause::wanted).collect(),
            neutral: vec![None; causes.len()],
            balances: vec![None; causes.len()],
            origin,
            runs: 0,
        }
    }

    /// The index of a cause that explains the failing input, or may explain it. May run the target.
    pub fn explaining(&mut self, failing: &Trace, runner: &mut dyn Runner) -> Option<usize> {
        self.contained_in(failing, runner).map(|(index, _)| index)
    }

    /// A cause that explains the failing input, and how the input contains it.
    pub(crate) fn contained_in(
        &mut self,
        failing: &Trace,
        runner: &mut dyn Runner,
    ) -> Option<(usize, Contained)> {
        let mut undecided = None;
        for index in 0..self.causes.len() {
            match self.found(index, failing, runner) {
                Contained::No => {}
                Contained::Unknown => undecided = Some((index, Contained::Unknown)),
                Contained::At(matched) => {
                    if !self.has_another_reason(index, failing, runner) {
                        return Some((index, Contained::At(matched)));
                    }
                }
            }
        }
        undecided
    }

    /// How the failing input contains a cause. If values of the cause are loose, and have no sum
    /// that more numbers may have, the cause must also fail with the values in their places. The
    /// input must [need](super::needed) the strings of the cause.
    fn found(&mut self, index: usize, failing: &Trace, runner: &mut dyn Runner) -> Contained {
        let has_sums = !self.balances(index, runner).is_empty();
        let wanted = &self.causes[index];
        let Claims { loose, patterns, .. } = wanted.claims;
        if loose.is_empty() && patterns.is_empty() {
            return contained(wanted, failing);
        }
        let (origin, runs) = (self.origin, &mut self.runs);
        let mut fails = |values: &[Value]| fails(values, origin, runs, runner);
        if has_sums {
            let balances = self.balances[index].as_deref().unwrap_or_default();
            let mut ways = 0;
            let mut takes = |matched: &[(usize, usize)]| {
                ways += 1;
                let stays = balance::stays(balances, matched, failing, &mut fails);
                // Numbers that cannot move say nothing, but the other ways need evidence.
                (ways <= WAYS_MAX).then(|| stays.unwrap_or(ways == 1))
            };
            return contained_if(wanted, failing, Some(&mut takes));
        }
        let mut tried: Vec<(Vec<Value>, bool)> = vec![(wanted.base.values(), true)];
        let mut strings = Strings::of(wanted, failing);
        let mut takes = |matched: &[(usize, usize)]| {
            let values = instance(wanted, failing, matched);
            let before = tried.iter().find(|(tried, _)| *tried == values).map(|(_, fails)| *fails);
            if before.is_none() && tried.len() > WAYS_MAX {
                return None;
            }
            let is_failing = before.unwrap_or_else(|| {
                let fails = fails(&values);
                tried.push((values.clone(), fails));
                fails
            });
            Some(is_failing && strings.are_needed(matched, &values, &mut fails))
        };
        contained_if(wanted, failing, Some(&mut takes))
    }

    /// Whether the failure is still there without the loose values of the cause.
    fn has_another_reason(
        &mut self,
        index: usize,
        failing: &Trace,
        runner: &mut dyn Runner,
    ) -> bool {
        let Wanted { base, claims, .. } = self.causes[index];
        let kinds: Vec<&Constraint> = claims
            .loose
            .iter()
            .filter_map(|place| match place {
                Place::Choice(at) => Some(&base.choices[*at].constraint),
                Place::Span(_) => None,
            })
            .collect();
        if kinds.is_empty() {
            return false;
        }
        let (origin, runs) = (self.origin, &mut self.runs);
        let mut failing_without = |trace: &Trace, neutral: Neutral| {
            *runs += 1;
            let values = without(trace, &kinds, neutral);
            let mut drawn = Trace::default();
            let outcome = runner.run(Candidate::replaying(&values), trace.len() + ROOM, &mut drawn);
            (outcome == Outcome::Failed(origin)).then_some(drawn)
        };
        let neutral = *self.neutral[index].get_or_insert_with(|| {
            let all = [Neutral::Distinct, Neutral::Simplest, Neutral::Greatest];
            let passing = all.into_iter().find(|neutral| failing_without(base, *neutral).is_none());
            passing.unwrap_or(Neutral::Nothing)
        });
        if matches!(neutral, Neutral::Nothing) {
            return false;
        }
        let Some(still) = failing_without(failing, neutral) else { return false };
        // The neutral values may be the reason of another cause.
        let mut others = self.causes.iter().enumerate().filter(|(other, _)| *other != index);
        !others.any(|(_, wanted)| contains(wanted, &still))
    }

    /// Which of the loose numbers of a cause have a sum that more numbers may have: those of one
    /// element have it alone.
    fn balances(&mut self, index: usize, runner: &mut dyn Runner) -> &[Balance] {
        let Wanted { base, claims, .. } = self.causes[index];
        let (origin, runs) = (self.origin, &mut self.runs);
        let mut fails = |values: &[Value]| fails(values, origin, runs, runner);
        self.balances[index].get_or_insert_with(|| {
            let of = |at: usize| innermost_element(base, at);
            let mut found = balance::find(base, &claims.loose, &mut fails);
            found.retain(|(one, other)| of(*one).is_none() || of(*one) != of(*other));
            found
        })
    }
}

/// Whether a run with these values fails.
fn fails(values: &[Value], origin: Origin, runs: &mut u64, runner: &mut dyn Runner) -> bool {
    *runs += 1;
    let mut drawn = Trace::default();
    let candidate = Candidate::replaying(values);
    runner.run(candidate, values.len() + ROOM, &mut drawn) == Outcome::Failed(origin)
}

/// The minimized input of a cause, with the values and parts of another input in its loose places.
pub(crate) fn instance(
    wanted: &Wanted<'_>,
    failing: &Trace,
    matched: &[(usize, usize)],
) -> Vec<Value> {
    let base = wanted.base;
    let of = |own: usize| matched.iter().rev().find(|(bound, _)| *bound == own).map(|(_, at)| *at);
    let pieces = wanted.claims.loose.iter().filter_map(|place| match place {
        Place::Choice(own) => {
            let value = &failing.choices[of(*own)?].value;
            let allows = base.choices[*own].constraint.allows(value);
            allows.then(|| Piece::choice(0, *own, value.clone()))
        }
        Place::Span(span) => {
            let Span { start, label, .. } = base.spans[*span];
            let at = of(start as usize)?;
            let is_there = |other: &&Span| other.start as usize == at && other.label == label;
            let other = failing.spans.iter().find(is_there)?;
            let values = moved(&failing.choices, other.range(), &base.choices[start as usize]);
            Some(Piece::exchanged(base, *span, values.collect()))
        }
    });
    put_in(base, &pieces.collect::<Vec<Piece>>())
}

/// The values of an input, with neutral ones in place of all values of some kinds.
fn without(trace: &Trace, kinds: &[&Constraint], neutral: Neutral) -> Vec<Value> {
    let mut letters = Letters { next: 0, begun: Vec::new() };
    let value = |choice: &Choice| {
        if !kinds.contains(&&choice.constraint) {
            return choice.value.clone();
        }
        match (neutral, NumberLine::under(&choice.constraint), items(&choice.value)) {
            (Neutral::Greatest, Some(line), _) => line.value(line.max()),
            (Neutral::Distinct, _, Some(items)) => {
                let value = value_of(&choice.value, &letters.take(items.len()));
                let is_possible = choice.constraint.allows(&value);
                if is_possible { value } else { choice.constraint.simplest() }
            }
            _ => choice.constraint.simplest(),
        }
    };
    trace.choices.iter().map(value).collect()
}

/// Letters one after another, from the first one again behind the last one.
struct Letters {
    next: usize,
    begun: Vec<usize>,
}

impl Letters {
    const ALL: [RangeInclusive<u8>; 2] = [b'b'..=b'z', b'B'..=b'Z'];

    /// The next letters. They do not begin as earlier ones: strings of one length must differ.
    fn take(&mut self, count: usize) -> Vec<char> {
        let all: Vec<char> = Self::ALL.into_iter().flatten().map(char::from).collect();
        while self.begun.len() < all.len() && self.begun.contains(&(self.next % all.len())) {
            self.next += 1;
        }
        if count > 0 {
            self.begun.push(self.next % all.len());
        }
        let from = self.next;
        self.next += count;
        (from..self.next).map(|at| all[at % all.len()]).collect()
    }
}
