//! Whether a claim holds: tries it with targeted values first, then with random ones.

use super::claims::{Claim, Place, Relation, Says, Tries};
use super::draw::{Piece, other_values, put_in};
use super::number_line::NumberLine;
use super::study::Study;
use super::targeted;
use super::trials::TrialVerdict;
use crate::choice::{Constraint, Value};
use crate::hashed::{Hashes, hash};
use crate::shrink::place::is_datum;

/// How many random tries a claim about one place gets.
pub(crate) const TRIES: u64 = 30;
/// A range with at most this number of values is tried out.
const VALUES_MAX: i128 = 24;
/// How many other spans of one label take the place of a span.
const EXCHANGED_MAX: usize = 4;
/// How many targeted values the choices of a span get, each and together.
const TARGETED_EACH: usize = 10;
const TARGETED_ALL: usize = 40;

/// What some tries say of claims.
#[derive(Clone, Debug)]
pub(crate) enum Evidence {
    /// Each try failed with the same origin. These are the different ones.
    Holds(Tries),
    /// An input with these pieces did not fail with the same origin.
    Refuted(Vec<Piece>),
    /// The target accepted too few tries.
    Unknown,
}

impl Study<'_> {
    /// Draws inputs of the class of `claims` until `tries` of them have failed. At least two thirds
    /// of the tries must count, which are `SmartCheck`'s numbers (Pike 2014, section 5.1).
    pub(crate) fn vary(&mut self, claims: &[Claim], tries: u64) -> Evidence {
        let (mut failed, mut different) = (0, Hashes::default());
        let own = hash(self.base.choices.iter().map(|choice| &choice.value));
        for _ in 0..2 * tries {
            if failed == tries || self.trials.is_over() {
                break;
            }
            let Some(pieces) = self.draw(claims) else { continue };
            let drawn = hash(&put_in(self.base, &pieces));
            if drawn == own {
                continue;
            }
            match self.judge(claims, &pieces) {
                Some(TrialVerdict::Fails) => {
                    failed += 1;
                    different.insert(drawn);
                }
                Some(TrialVerdict::Passes | TrialVerdict::FailsOtherwise) => {
                    return Evidence::Refuted(pieces);
                }
                Some(TrialVerdict::NoEvidence) | None => {}
            }
        }
        if 3 * failed >= 2 * tries {
            let different = different.len() as u64;
            Evidence::Holds(Tries { failed: different, of: different })
        } else {
            Evidence::Unknown
        }
    }

    /// Tries single candidates of a claim. Returns how many failed, or `None` if one did not.
    fn all_fail(&mut self, claim: &Claim, candidates: Vec<Piece>) -> Option<u64> {
        let mut failed = 0;
        for piece in candidates {
            match self.judge(std::slice::from_ref(claim), &[piece])? {
                TrialVerdict::Fails => failed += 1,
                TrialVerdict::Passes | TrialVerdict::FailsOtherwise => return None,
                TrialVerdict::NoEvidence => {}
            }
        }
        Some(failed)
    }

    /// Whether a claim about one place holds while everything else stays.
    pub(crate) fn confirmed(&mut self, place: Place, says: Says) -> Option<Claim> {
        self.forget(place);
        let claim = Claim::untried(place, says);
        if let Some(every) = self.every_value(&claim) {
            let count = every.len() as u64;
            let failed = self.all_fail(&claim, every)?;
            if failed == 0 || 3 * failed < 2 * count {
                return None;
            }
        } else {
            let targeted = self.targeted(&claim);
            self.all_fail(&claim, targeted)?;
            if !matches!(self.vary(std::slice::from_ref(&claim), TRIES), Evidence::Holds(_)) {
                return None;
            }
        }
        Some(claim)
    }

    /// All other values of the claimed class, if there are few.
    fn every_value(&self, claim: &Claim) -> Option<Vec<Piece>> {
        let Place::Choice(at) = claim.place else { return None };
        let choice = &self.base.choices[at];
        let constraint = match &claim.says {
            Says::Any => &choice.constraint,
            Says::Within(constraint) => constraint,
            _ => return None,
        };
        let values: Vec<Value> = match constraint {
            Constraint::Boolean(_) => vec![Value::Boolean(false), Value::Boolean(true)],
            Constraint::Integer(range)
                if range.max.checked_sub(range.min).is_some_and(|width| width < VALUES_MAX) =>
            {
                (range.min..=range.max).map(Value::Integer).collect()
            }
            _ => return None,
        };
        let others = values.into_iter().filter(|value| *value != choice.value);
        Some(others.map(|value| Piece::choice(0, at, value)).collect())
    }

    /// The values that are tried first.
    fn targeted(&self, claim: &Claim) -> Vec<Piece> {
        match (claim.place, &claim.says) {
            (Place::Choice(at), Says::Any) => self.targeted_at(at, at..at + 1),
            (Place::Choice(at), Says::Within(constraint)) => {
                let mut pieces = self.targeted_at(at, at..at + 1);
                pieces.retain(|piece| constraint.allows(&piece.values[0]));
                pieces
            }
            (Place::Span(span), Says::Any) => {
                let range = self.base.spans[span].range();
                let data = range.clone().filter(|at| is_datum(&self.base.choices[*at]));
                let inside = data.flat_map(|at| {
                    let mut pieces = self.targeted_at(at, range.clone());
                    pieces.truncate(TARGETED_EACH);
                    pieces
                });
                self.exchanged(span).into_iter().chain(inside.take(TARGETED_ALL)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn targeted_at(&self, at: usize, range: std::ops::Range<usize>) -> Vec<Piece> {
        let values = self.targeted_values(at, range);
        values.into_iter().map(|value| Piece::choice(0, at, value)).collect()
    }

    /// Targeted values for one choice, compared with the values outside of a range.
    pub(crate) fn targeted_values(&self, at: usize, range: std::ops::Range<usize>) -> Vec<Value> {
        let replaced = vec![false; self.base.len()];
        let others = other_values(&self.base.choices, &replaced, range);
        let spans = 0..self.base.spans.len();
        let elements = spans.filter_map(|span| self.tree.elements(self.base, span));
        let lengths: Vec<usize> = elements.map(|elements| elements.len()).collect();
        targeted::values(&self.base.choices[at], &others, &lengths)
    }

    /// Other spans with the same label, in the place of this one.
    fn exchanged(&self, span: usize) -> Vec<Piece> {
        let own = self.base.spans[span];
        let others = self.base.spans.iter().filter(|other| {
            other.label == own.label
                && !other.is_empty()
                && !other.discarded
                && (other.end <= own.start || own.end <= other.start)
        });
        others
            .take(EXCHANGED_MAX)
            .map(|other| {
                let choices = &self.base.choices[other.range()];
                let values = choices.iter().map(|choice| choice.value.clone()).collect();
                Piece::exchanged(self.base, span, values)
            })
            .collect()
    }

    /// The relations that hold between two values of the base, the most general one first.
    pub(crate) fn relations(value: &Value, other: &Value) -> Vec<Relation> {
        Relation::ALL.into_iter().filter(|relation| relation.holds(value, other)).collect()
    }

    /// Whether this choice is a number.
    pub(crate) fn line(&self, at: usize) -> Option<NumberLine> {
        NumberLine::of(&self.base.choices[at])
    }
}
