//! Draws inputs of a claimed class: free parts anew, and others within what is claimed of them.

use fastrand::Rng;

use super::claims::{Alternative, Claim, Place, Relation, Says, Sides, Term};
use super::deep;
use super::number_line::NumberLine;
use super::redraw::{Redrawn, Redraws};
use super::relation::both;
use super::strings;
use super::targeted;
use super::tree::Tree;
use super::trials::Trials;
use crate::choice::{Choice, Constraint, Value};
use crate::random::Random;
use crate::shrink::place::is_datum;
use crate::sorted::sort_by_key;
use crate::trace::Trace;

/// One in this number of values is a targeted one.
const TARGETED: usize = 3;
/// How often a value is drawn until it has a relation.
const ATTEMPTS: usize = 8;

/// New choices in the place of some of the base. An empty place stands before the choice at `at`.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The index of the claim that the piece is drawn for.
    pub(crate) claim: usize,
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) values: Vec<Value>,
    lengths: Vec<(u64, usize)>,
}

impl Piece {
    /// A piece that changes one choice.
    pub(crate) fn choice(claim: usize, at: usize, value: Value) -> Piece {
        Piece { claim, at, end: at + 1, values: vec![value], lengths: Vec::new() }
    }

    /// A piece with the values of another span in the place of a span.
    pub(crate) fn exchanged(base: &Trace, span: usize, values: Vec<Value>) -> Piece {
        let range = base.spans[span].range();
        Piece { claim: 0, at: range.start, end: range.end, values, lengths: Vec::new() }
    }

    /// A piece in the place of a span.
    pub(crate) fn span(claim: usize, base: &Trace, span: usize, redrawn: Redrawn) -> Piece {
        let range = base.spans[span].range();
        let values = redrawn.choices.into_iter().map(|choice| choice.value).collect();
        Piece { claim, at: range.start, end: range.end, values, lengths: redrawn.lengths }
    }
}

/// The values of the base with the pieces put in. Of pieces that overlap, the first and longest
/// counts.
pub(crate) fn put_in(base: &Trace, pieces: &[Piece]) -> Vec<Value> {
    let mut sorted: Vec<&Piece> = pieces.iter().collect();
    // Insertions stand before what is replaced; a longer replacement covers a shorter one.
    sort_by_key(&mut sorted, |piece| {
        let is_replacement = piece.end > piece.at;
        (piece.at, is_replacement, std::cmp::Reverse(piece.end))
    });
    let copied = |range: std::ops::Range<usize>| {
        base.choices[range].iter().map(|choice| choice.value.clone())
    };
    let (mut values, mut at) = (Vec::with_capacity(base.len()), 0);
    for piece in sorted.into_iter().filter(|piece| piece.end <= base.len()) {
        if piece.at < at {
            continue;
        }
        values.extend(copied(at..piece.at));
        values.extend(piece.values.iter().cloned());
        at = piece.end;
    }
    values.extend(copied(at..base.len()));
    values
}

/// One input that is being drawn.
pub(crate) struct Drawing<'a> {
    base: &'a Trace,
    tree: &'a Tree,
    claims: &'a [Claim],
    pieces: Vec<Piece>,
    /// The choices of the base with the values drawn so far.
    now: Vec<Choice>,
    /// Which choices a span drawn anew has replaced.
    replaced: Vec<bool>,
    /// The claims that wait for the value that theirs relates to.
    waiting: Vec<usize>,
}

impl<'a> Drawing<'a> {
    pub(crate) fn new(base: &'a Trace, tree: &'a Tree, claims: &'a [Claim]) -> Drawing<'a> {
        Drawing {
            base,
            tree,
            claims,
            pieces: Vec::new(),
            now: base.choices.clone(),
            replaced: vec![false; base.len()],
            waiting: Vec::new(),
        }
    }

    pub(crate) fn draw(
        mut self,
        trials: &mut Trials<'_>,
        redraws: &mut Redraws,
        rng: &mut Rng,
    ) -> Option<Vec<Piece>> {
        let mut order: Vec<usize> = (0..self.claims.len()).collect();
        rng.shuffle(&mut order);
        let related = |claim: &usize| matches!(self.claims[*claim].says, Says::Related(..));
        self.waiting = order.iter().copied().filter(related).collect();
        // A value with a relation is drawn within what else is claimed of it.
        let waits = |place: Place| self.waiting.iter().any(|at| self.claims[*at].place == place);
        order.retain(|claim| !waits(self.claims[*claim].place));
        let is_span = |claim: &usize| matches!(self.claims[*claim].place, Place::Span(_));
        let (spans, choices): (Vec<usize>, Vec<usize>) = order.into_iter().partition(is_span);
        for claim in spans.into_iter().chain(choices) {
            match self.claims[claim].place {
                Place::Span(span) => self.span(claim, span, trials, redraws, rng)?,
                Place::Choice(at) if !self.replaced[at] => self.choice(claim, at, rng)?,
                Place::Choice(_) => {}
            }
        }
        while !self.waiting.is_empty() {
            let next = self.waiting.iter().position(|claim| !self.waits(*claim))?;
            let claim = self.waiting.remove(next);
            self.relate(claim, rng)?;
        }
        Some(self.pieces)
    }

    fn span(
        &mut self,
        claim: usize,
        span: usize,
        trials: &mut Trials<'_>,
        redraws: &mut Redraws,
        rng: &mut Rng,
    ) -> Option<()> {
        let source = (self.base, self.tree);
        match &self.claims[claim].says {
            Says::Any => {
                let mut anew = redraws.next(trials, source, span)?;
                self.target(&mut anew, span, rng);
                self.replace(claim, span, anew);
            }
            Says::Deep(levels) => {
                let anew = deep::drawn(*levels, redraws, trials, source, span, rng)?;
                self.replace(claim, span, anew);
            }
            Says::Alternatives(all) => {
                let free: Vec<&Alternative> =
                    all.iter().filter(|alternative| alternative.always_fails()).collect();
                // The alternative of the base has its share, too.
                if let Some(alternative) = free.get(rng.usize(..=free.len())) {
                    let value = Value::Integer(alternative.value);
                    let anew = redraws.with_alternative(trials, source, span, &value)?;
                    self.replace(claim, span, anew);
                }
            }
            Says::Further(sides) => {
                let elements = self.tree.elements(self.base, span)?;
                let mut count = 0;
                while count < 8 && rng.usize(..4) > 0 {
                    count += 1;
                    let among = rng.choice(&elements)?;
                    let values = if rng.usize(..TARGETED) == 0 {
                        let copied = &self.now[self.base.spans[*among].range()];
                        copied.iter().map(|choice| choice.value.clone()).collect()
                    } else {
                        let mut anew = redraws.next(trials, source, *among)?;
                        self.target(&mut anew, *among, rng);
                        anew.choices.into_iter().map(|choice| choice.value).collect()
                    };
                    let at = self.place_of_further(*sides, &elements, rng);
                    let lengths = vec![(self.tree.key(span), 1)];
                    self.pieces.push(Piece { claim, at, end: at, values, lengths });
                }
            }
            Says::Within(_) | Says::Containing(_) | Says::Related(..) => {}
        }
        Some(())
    }

    fn place_of_further(&self, sides: Sides, elements: &[usize], rng: &mut Rng) -> usize {
        let start = |element: usize| self.base.spans[element].start as usize;
        let (first, last) = (elements[0], elements[elements.len() - 1]);
        let end = self.base.spans[last].end as usize;
        match sides {
            Sides::Before => start(first),
            Sides::Behind => end,
            Sides::Anywhere => {
                elements.get(rng.usize(..=elements.len())).map_or(end, |element| start(*element))
            }
        }
    }

    /// Sometimes gives one choice of a redrawn span a targeted value.
    fn target(&self, redrawn: &mut Redrawn, span: usize, rng: &mut Rng) {
        let data: Vec<usize> =
            (0..redrawn.choices.len()).filter(|at| is_datum(&redrawn.choices[*at])).collect();
        if rng.usize(..TARGETED) > 0 {
            return;
        }
        let Some(at) = rng.choice(data) else { return };
        let range = self.base.spans[span].range();
        if let Some(value) = self.targeted(&redrawn.choices[at], range, rng) {
            redrawn.choices[at].value = value;
        }
    }

    /// A targeted value for `choice`, compared with the values outside of `range`.
    fn targeted(
        &self,
        choice: &Choice,
        range: std::ops::Range<usize>,
        rng: &mut Rng,
    ) -> Option<Value> {
        let others = other_values(&self.now, &self.replaced, range);
        let values = targeted::values(choice, &others, &self.lengths());
        rng.choice(values)
    }

    /// The lengths of all collections, as far as they are known.
    fn lengths(&self) -> Vec<usize> {
        let spans = 0..self.base.spans.len();
        spans.filter_map(|span| self.length(span)).collect()
    }

    fn replace(&mut self, claim: usize, span: usize, redrawn: Redrawn) {
        self.replaced[self.base.spans[span].range()].fill(true);
        self.pieces.push(Piece::span(claim, self.base, span, redrawn));
    }

    fn choice(&mut self, claim: usize, at: usize, rng: &mut Rng) -> Option<()> {
        let choice = &self.base.choices[at];
        let value = match &self.claims[claim].says {
            Says::Any => self.value(at, &choice.constraint, rng),
            Says::Within(constraint) => self.value(at, constraint, rng),
            Says::Containing(sides) => self.containing(at, *sides, rng)?,
            Says::Alternatives(all) => {
                let free = all.iter().filter(|alternative| alternative.always_fails());
                let mut values: Vec<Value> =
                    free.map(|alternative| Value::Integer(alternative.value)).collect();
                values.push(choice.value.clone());
                rng.choice(values)?
            }
            Says::Deep(_) | Says::Further(_) | Says::Related(..) => return Some(()),
        };
        self.set(claim, at, value);
        Some(())
    }

    fn set(&mut self, claim: usize, at: usize, value: Value) {
        self.now[at].value = value.clone();
        self.pieces.push(Piece::choice(claim, at, value));
    }

    /// A value for the choice at `at` under a constraint.
    fn value(&self, at: usize, constraint: &Constraint, rng: &mut Rng) -> Value {
        if rng.usize(..TARGETED) == 0 {
            let choice =
                Choice { value: self.now[at].value.clone(), constraint: constraint.clone() };
            if let Some(value) = self.targeted(&choice, at..at + 1, rng) {
                return value;
            }
        }
        // Of a range of floats, the generator mostly draws the ends.
        if let (Constraint::Float(_), Some(line)) = (constraint, NumberLine::under(constraint))
            && rng.bool()
        {
            let width = line.max().abs_diff(line.min());
            return line.value(line.min().saturating_add_unsigned(rng.u128(..=width)));
        }
        Random::new(rng.u64(..)).next(constraint, &self.now)
    }

    /// The string of the base with random characters around it.
    fn containing(&self, at: usize, sides: Sides, rng: &mut Rng) -> Option<Value> {
        let Choice { value, constraint } = &self.base.choices[at];
        let around = Random::new(rng.u64(..)).next(constraint, &self.now);
        let value = strings::with(value, &around, sides, rng)?;
        constraint.allows(&value).then_some(value)
    }

    /// Whether the value that a claim relates to is not drawn yet.
    fn waits(&self, claim: usize) -> bool {
        let Says::Related(_, Term::Value(other)) = self.claims[claim].says else { return false };
        self.waiting.iter().any(|claim| self.claims[*claim].place == Place::Choice(other))
    }

    fn relate(&mut self, claim: usize, rng: &mut Rng) -> Option<()> {
        let (Place::Choice(at), Says::Related(relation, term)) =
            (self.claims[claim].place, &self.claims[claim].says)
        else {
            return None;
        };
        if self.replaced[at] {
            return Some(());
        }
        let other = match term {
            Term::Value(other) if self.replaced[*other] => return None,
            Term::Value(other) => self.now[*other].value.clone(),
            Term::Length(span) => Value::Integer(self.length(*span)? as i128),
        };
        let choice = &self.base.choices[at];
        let constraint = match relation.range(choice, &other) {
            Some(range) => range,
            None if *relation == Relation::Equal => {
                let is_possible = choice.constraint.allows(&other);
                return is_possible.then(|| self.set(claim, at, other));
            }
            None => match relation {
                Relation::Different | Relation::Contains(_) | Relation::PartOf(_) => {
                    choice.constraint.clone()
                }
                _ => return None,
            },
        };
        let constraint =
            self.claims.iter().try_fold(constraint, |all, claim| match &claim.says {
                Says::Within(own) if claim.place == Place::Choice(at) => both(&all, own),
                _ => Some(all),
            })?;
        for _ in 0..ATTEMPTS {
            let value = match relation {
                Relation::PartOf(sides) => strings::part(&other, &constraint, *sides, rng)?,
                Relation::Contains(sides) => {
                    strings::with(&other, &self.value(at, &constraint, rng), *sides, rng)?
                }
                _ => self.value(at, &constraint, rng),
            };
            if constraint.allows(&value) && relation.holds(&value, &other) {
                self.set(claim, at, value);
                return Some(());
            }
        }
        None
    }

    /// The number of elements of a collection. `None` if the collection is part of something
    /// that was drawn anew and has none there.
    fn length(&self, span: usize) -> Option<usize> {
        let key = self.tree.key(span);
        let of_base = self.tree.elements(self.base, span)?.len();
        let range = self.base.spans[span].range();
        let in_piece = |piece: &Piece| {
            piece.lengths.iter().find(|(of, _)| *of == key).map(|(_, length)| *length)
        };
        let around = self.pieces.iter().find(|piece| {
            piece.at < piece.end && piece.at <= range.start && range.end <= piece.end
        });
        match around {
            Some(piece) => in_piece(piece),
            None => Some(of_base + self.pieces.iter().filter_map(in_piece).sum::<usize>()),
        }
    }
}

/// The values of the choices outside of `range` that are data and still stand.
pub(crate) fn other_values(
    choices: &[Choice],
    replaced: &[bool],
    range: std::ops::Range<usize>,
) -> Vec<Value> {
    let outside = (0..choices.len()).filter(|at| !range.contains(at) && !replaced[*at]);
    outside.filter(|at| is_datum(&choices[*at])).map(|at| choices[at].value.clone()).collect()
}
