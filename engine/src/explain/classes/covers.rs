//! Decides whether the input of a trace belongs to the class of some claims.

use super::claims::{Alternative, Claim, Place, Says, Sides, Term};
use super::levels;
use super::strings::is_part;
use super::tree::{Node, Tree};
use crate::choice::{Constraint, Value};
use crate::shrink::place::is_continue;
use crate::trace::Trace;

/// At most this number of comparisons. Elements can be matched in many ways.
const STEPS_MAX: usize = 20_000;

/// Whether `trace` has the structure of the base outside the free parts, its values where there is
/// no claim, and values as claimed elsewhere.
///
/// The answer is `false` if there are too many ways to match the elements of collections.
pub(crate) fn covers(claims: &[Claim], (base, tree): (&Trace, &Tree), trace: &Trace) -> bool {
    let other = Tree::of(trace);
    let top = Pair { base: None, other: None };
    let mut matching = Matching {
        claims,
        base: (base, tree),
        other: (trace, &other),
        bound: Vec::new(),
        lengths: Vec::new(),
        steps: 0,
    };
    let mut pending = Vec::new();
    matching.children(top, &mut pending) && matching.solve(pending)
}

#[derive(Clone, Copy)]
struct Pair {
    base: Option<usize>,
    other: Option<usize>,
}

/// What is still to be compared: a node of the base with one of the trace.
type Pending = Vec<(Node, Node)>;

struct Matching<'a> {
    claims: &'a [Claim],
    base: (&'a Trace, &'a Tree),
    other: (&'a Trace, &'a Tree),
    /// Which choice of the trace stands for a choice of the base.
    bound: Vec<(usize, usize)>,
    /// The lengths of the collections of the base, in the trace.
    lengths: Vec<(usize, usize)>,
    steps: usize,
}

impl Matching<'_> {
    fn claims_at(&self, place: Place) -> impl Iterator<Item = &Says> {
        self.claims.iter().filter(move |claim| claim.place == place).map(|claim| &claim.says)
    }

    /// Compares everything that is pending, the last first.
    fn solve(&mut self, mut pending: Pending) -> bool {
        while let Some(pair) = pending.pop() {
            self.steps += 1;
            if self.steps > STEPS_MAX {
                return false;
            }
            let is_alike = match pair {
                (Node::Choice(base), Node::Choice(other)) => self.choice(base, other),
                (Node::Span(base), Node::Span(other)) => {
                    if let Some(sides) = self.further(base) {
                        return self.elements(base, other, sides, &pending);
                    }
                    self.span(base, other, &mut pending)
                }
                _ => false,
            };
            if !is_alike {
                return false;
            }
        }
        self.relations_hold()
    }

    fn further(&self, span: usize) -> Option<Sides> {
        self.claims_at(Place::Span(span)).find_map(|says| match says {
            Says::Further(sides) => Some(*sides),
            _ => None,
        })
    }

    fn children(&self, pair: Pair, pending: &mut Pending) -> bool {
        let (of_base, of_other) =
            (self.base.1.children(pair.base), self.other.1.children(pair.other));
        pending.extend(of_base.iter().copied().zip(of_other.iter().copied()).rev());
        of_base.len() == of_other.len()
    }

    fn span(&mut self, base: usize, other: usize, pending: &mut Pending) -> bool {
        if self.base.0.spans[base].label != self.other.0.spans[other].label {
            return false;
        }
        if let Some(elements) = self.other.1.elements(self.other.0, other) {
            self.lengths.push((base, elements.len()));
        }
        let is_free = self.claims_at(Place::Span(base)).any(|says| match says {
            Says::Any => true,
            Says::Deep(levels) => levels::count(self.other.0, other) >= *levels,
            Says::Alternatives(all) => {
                let first = self.other.0.choices.get(self.other.0.spans[other].start as usize);
                first.is_some_and(|choice| holds_alternative(all, &choice.value))
            }
            _ => false,
        });
        if is_free {
            self.lengths_inside(base, other);
            return true;
        }
        self.children(Pair { base: Some(base), other: Some(other) }, pending)
    }

    /// Finds the collections of the base in a span that is free, by their keys.
    fn lengths_inside(&mut self, base: usize, other: usize) {
        let inside = |trace: &Trace, span: usize| {
            let range = trace.spans[span].range();
            let within = move |inner: &crate::trace::Span| {
                range.start <= inner.start as usize && inner.end as usize <= range.end
            };
            (span + 1..trace.spans.len())
                .filter(|inner| within(&trace.spans[*inner]))
                .collect::<Vec<usize>>()
        };
        for wanted in inside(self.base.0, base) {
            let found = inside(self.other.0, other)
                .into_iter()
                .find(|span| self.other.1.key(*span) == self.base.1.key(wanted));
            if let Some(found) = found
                && let Some(elements) = self.other.1.elements(self.other.0, found)
            {
                self.lengths.push((wanted, elements.len()));
            }
        }
    }

    /// Matches the elements of the base with some of those of the trace, in order.
    fn elements(&mut self, base: usize, other: usize, sides: Sides, pending: &Pending) -> bool {
        let (Some(of_base), Some(of_other)) =
            (self.base.1.elements(self.base.0, base), self.other.1.elements(self.other.0, other))
        else {
            return false;
        };
        if of_base.len() > of_other.len() {
            return false;
        }
        self.lengths.push((base, of_other.len()));
        let spare = of_other.len() - of_base.len();
        match sides {
            Sides::Behind => self.aligned(&of_base, &of_other[..of_base.len()], pending),
            Sides::Before => self.aligned(&of_base, &of_other[spare..], pending),
            Sides::Anywhere => self.subsequence(&of_base, &of_other, &mut Vec::new(), pending),
        }
    }

    fn aligned(&mut self, of_base: &[usize], of_other: &[usize], pending: &Pending) -> bool {
        let pairs = of_base.iter().zip(of_other).rev();
        let mut all = pending.clone();
        all.extend(pairs.map(|(base, other)| (Node::Span(*base), Node::Span(*other))));
        let before = (self.bound.len(), self.lengths.len());
        if self.solve(all) {
            return true;
        }
        self.bound.truncate(before.0);
        self.lengths.truncate(before.1);
        false
    }

    fn subsequence(
        &mut self,
        of_base: &[usize],
        of_other: &[usize],
        chosen: &mut Vec<usize>,
        pending: &Pending,
    ) -> bool {
        let Some(first) = of_base.get(chosen.len()) else {
            return self.aligned(of_base, chosen, pending);
        };
        let left = of_base.len() - chosen.len();
        for at in 0..=of_other.len().saturating_sub(left) {
            let Some(candidate) = of_other.get(at) else { break };
            // An element that does not match alone matches in no way.
            if !self.matches_alone(*first, *candidate) {
                continue;
            }
            chosen.push(*candidate);
            if self.subsequence(of_base, &of_other[at + 1..], chosen, pending) {
                return true;
            }
            chosen.pop();
            if self.steps > STEPS_MAX {
                return false;
            }
        }
        false
    }

    fn matches_alone(&mut self, base: usize, other: usize) -> bool {
        let mut alone = Matching {
            claims: self.claims,
            base: self.base,
            other: self.other,
            bound: Vec::new(),
            lengths: Vec::new(),
            steps: self.steps,
        };
        let matches = alone.solve(vec![(Node::Span(base), Node::Span(other))]);
        self.steps = alone.steps;
        matches
    }

    fn choice(&mut self, base: usize, other: usize) -> bool {
        let (of_base, of_other) = (&self.base.0.choices[base], &self.other.0.choices[other]);
        self.bound.push((base, other));
        let mut says = self.claims_at(Place::Choice(base)).peekable();
        if says.peek().is_none() {
            return of_base.value == of_other.value;
        }
        let is_same_kind = std::mem::discriminant(&of_base.constraint)
            == std::mem::discriminant(&of_other.constraint);
        is_same_kind
            && is_continue(of_base) == is_continue(of_other)
            && says.all(|says| is_said(says, &of_base.value, &of_other.value))
    }

    /// Whether all claimed relations hold between what has been matched so far.
    fn relations_hold(&self) -> bool {
        let value = |base: usize| {
            let (_, other) = self.bound.iter().rev().find(|(of, _)| *of == base)?;
            Some(self.other.0.choices[*other].value.clone())
        };
        let length = |base: usize| {
            let (_, length) = self.lengths.iter().rev().find(|(of, _)| *of == base)?;
            Some(Value::Integer(*length as i128))
        };
        self.claims.iter().all(|claim| match (claim.place, &claim.says) {
            (Place::Choice(at), Says::Related(relation, term)) => {
                let other = match term {
                    Term::Value(other) => value(*other),
                    Term::Length(span) => length(*span),
                };
                // What is part of a free span has no relation.
                match (value(at), other) {
                    (Some(value), Some(other)) => relation.holds(&value, &other),
                    _ => true,
                }
            }
            _ => true,
        })
    }
}

/// Whether a claim about the choice with the value `base` allows `other`. A relation is not decided
/// here.
pub(crate) fn is_said(says: &Says, base: &Value, other: &Value) -> bool {
    match says {
        Says::Any | Says::Deep(_) | Says::Related(..) | Says::Further(_) => true,
        Says::Within(constraint) => is_within(constraint, other),
        Says::Containing(sides) => is_part(base, other, *sides),
        Says::Alternatives(all) => base == other || holds_alternative(all, other),
    }
}

/// Whether this value selects an alternative that failed in every try.
pub(crate) fn holds_alternative(all: &[Alternative], value: &Value) -> bool {
    all.iter().any(|alternative| {
        alternative.always_fails() && Value::Integer(alternative.value) == *value
    })
}

/// Whether `value` lies within a claimed range. The range of the choice itself may differ.
fn is_within(constraint: &Constraint, value: &Value) -> bool {
    match (constraint, value) {
        (Constraint::Text(length, _), Value::Text(text)) => {
            (length.min..=length.max).contains(&text.chars().count())
        }
        _ => constraint.allows(value),
    }
}
