//! Decides whether an input contains a cause.
//!
//! The search keeps a list of goals, and the points at which it can go back and choose otherwise.
//! It uses no recursion, because a minimized input may be deep.

use super::needed::has_items;
use super::wanted::Wanted;
use crate::choice::{Choice, Constraint, Value};
use crate::explain::classes::claims::{Alternative, Claims, Place, Says, Term};
use crate::explain::classes::covers::holds_alternative;
use crate::explain::classes::levels;
use crate::explain::classes::pattern::{STEPS_MAX, matches};
use crate::explain::classes::tree::are_equal;
use crate::explain::classes::tree::{Node, Tree, is_of_kind, is_selection};
use crate::shrink::place::{alternative, is_continue};
use crate::trace::Trace;

/// Whether an input contains a cause.
pub(crate) enum Contained {
    /// Each choice of the cause, and the choice of the input that stands for it.
    At(Vec<(usize, usize)>),
    No,
    /// An answer takes too many comparisons.
    Unknown,
}

/// Whether the input of `failing` contains the cause, or may contain it: nothing is called another
/// cause without a decision.
pub(crate) fn contains(wanted: &Wanted<'_>, failing: &Trace) -> bool {
    !matches!(contained(wanted, failing), Contained::No)
}

/// Searches for the cause in the input of `failing`.
pub(crate) fn contained(wanted: &Wanted<'_>, failing: &Trace) -> Contained {
    contained_if(wanted, failing, None)
}

/// Searches for the cause in the input of `failing`, in a way that the function takes. With `None`
/// it gives up. With a function, a string may have items between those of a pattern.
pub(crate) fn contained_if(
    wanted: &Wanted<'_>,
    failing: &Trace,
    takes: Option<&mut Takes<'_>>,
) -> Contained {
    let is_checked = takes.is_some();
    let mut always = |_: &[(usize, usize)]| Some(true);
    let takes = takes.unwrap_or(&mut always);
    let mut search = Search {
        wanted,
        is_checked,
        other: failing,
        other_tree: &Tree::of(failing),
        goals: Vec::new(),
        choices: Vec::new(),
        bound: Vec::new(),
        lengths: Vec::new(),
        parts: Vec::new(),
        steps: 0,
    };
    match search.run(takes) {
        Some(true) => Contained::At(search.bound),
        Some(false) => Contained::No,
        None => Contained::Unknown,
    }
}

/// Whether a way is taken: pairs of a choice of the cause and the choice that stands for it.
pub(crate) type Takes<'a> = dyn FnMut(&[(usize, usize)]) -> Option<bool> + 'a;

/// What is still to be shown.
#[derive(Clone, Copy)]
enum Goal<'s> {
    /// These two parts match.
    Pair(Node, Node),
    /// These spans match, or a span inside the second one matches: this one or a later one.
    Dive(usize, usize, usize),
    /// These spans match, whatever must be equal to them.
    Plain(usize, usize),
    /// The first parts stand between the second ones in order.
    Row(&'s [Node], &'s [Node]),
    /// The goals before this one are reached, and need no other way.
    Cut(usize),
}

/// A place to which the search goes back.
struct Branch<'s> {
    goal: Goal<'s>,
    next: Option<usize>,
    goals: usize,
    bound: usize,
    lengths: usize,
    parts: usize,
}

struct Search<'s> {
    wanted: &'s Wanted<'s>,
    /// Whether a string may have items between those of a pattern.
    is_checked: bool,
    other: &'s Trace,
    other_tree: &'s Tree,
    /// Each goal with the one after it. A list shares its end with others.
    goals: Vec<(Goal<'s>, Option<usize>)>,
    choices: Vec<Branch<'s>>,
    /// Which choice stands for a choice of the cause.
    bound: Vec<(usize, usize)>,
    /// The lengths of the collections of the cause, as they are in the input.
    lengths: Vec<(usize, usize)>,
    /// Which span stands for the first of two equal parts of the cause.
    parts: Vec<(usize, usize)>,
    steps: usize,
}

impl<'s> Search<'s> {
    /// Whether the input contains the cause in a way that the function takes. `None` after too many
    /// comparisons, or when the function gives up.
    fn run(&mut self, takes: &mut Takes<'_>) -> Option<bool> {
        let (wanted, tree) = (self.wanted, self.other_tree);
        let top = Goal::Row(wanted.tree.children(None), tree.children(None));
        let mut next = Some(self.push(top, None));
        loop {
            self.steps += 1;
            let reached = match next.map(|at| self.goals[at]) {
                Some((goal, after)) => self.reach(goal, after),
                None if takes(&self.bound)? => return Some(true),
                None => Err(()),
            };
            next = match reached {
                Ok(next) => next,
                Err(()) => match self.back() {
                    Some(next) => Some(next),
                    None => return Some(false),
                },
            };
            if self.steps > STEPS_MAX {
                return None;
            }
        }
    }

    fn push(&mut self, goal: Goal<'s>, next: Option<usize>) -> usize {
        self.goals.push((goal, next));
        self.goals.len() - 1
    }

    /// Remembers that `goal` may be reached in place of what is tried now.
    fn branch(&mut self, goal: Goal<'s>, next: Option<usize>) {
        let (goals, bound) = (self.goals.len(), self.bound.len());
        let (lengths, parts) = (self.lengths.len(), self.parts.len());
        self.choices.push(Branch { goal, next, goals, bound, lengths, parts });
    }

    fn back(&mut self) -> Option<usize> {
        let Branch { goal, next, goals, bound, lengths, parts } = self.choices.pop()?;
        self.goals.truncate(goals);
        self.bound.truncate(bound);
        self.lengths.truncate(lengths);
        self.parts.truncate(parts);
        Some(self.push(goal, next))
    }

    /// The goals that remain, or an error if this one cannot be reached.
    fn reach(&mut self, goal: Goal<'s>, after: Option<usize>) -> Result<Option<usize>, ()> {
        match goal {
            Goal::Cut(count) => {
                self.choices.truncate(count);
                Ok(after)
            }
            Goal::Row(of_base, of_other) => self.row(of_base, of_other, after),
            Goal::Pair(Node::Choice(base), Node::Choice(other)) => {
                if self.choice(base, other) {
                    Ok(after)
                } else {
                    Err(())
                }
            }
            Goal::Pair(Node::Span(base), Node::Span(other)) => {
                if self.wanted.dives[base] {
                    return Ok(Some(self.push(Goal::Dive(base, other, other), after)));
                }
                self.span(base, other, after)
            }
            Goal::Pair(..) => Err(()),
            Goal::Plain(base, other) => self.plain_span(base, other, after),
            Goal::Dive(base, top, from) => {
                let label = self.wanted.base.spans[base].label;
                let spans = &self.other.spans;
                let is_inside = |at: usize| {
                    at == top || spans[at].parent.is_some_and(|parent| parent as usize >= top)
                };
                let inside = (from..spans.len()).take_while(|at| is_inside(*at));
                let mut passed = 0;
                let found = inside
                    .inspect(|_| passed += 1)
                    .find(|at| spans[*at].label == label && !spans[*at].discarded);
                self.steps += passed / 8;
                let found = found.ok_or(())?;
                self.branch(Goal::Dive(base, top, found + 1), after);
                self.span(base, found, after)
            }
        }
    }

    /// Matches the first part of the base with the first that is like it.
    fn row(
        &mut self,
        of_base: &'s [Node],
        of_other: &'s [Node],
        after: Option<usize>,
    ) -> Result<Option<usize>, ()> {
        let base = self.wanted.base;
        let ends = |trace: &Trace, node: &Node| match node {
            Node::Choice(at) => {
                is_continue(&trace.choices[*at]) && alternative(&trace.choices[*at]).is_none()
            }
            Node::Span(_) => false,
        };
        let skipped = of_base.iter().take_while(|node| ends(base, node)).count();
        let of_base = &of_base[skipped..];
        let Some(first) = of_base.first() else { return Ok(after) };
        for (at, node) in of_other.iter().enumerate() {
            self.steps += usize::from(at % 8 == 7);
            if self.is_like(*first, *node) {
                let rest = &of_other[at + 1..];
                let count = self.choices.len();
                if !is_selection(self.other, *node) {
                    self.branch(Goal::Row(of_base, rest), after);
                }
                let mut next = Some(self.push(Goal::Row(&of_base[1..], rest), after));
                let Claims { equal, loose, .. } = self.wanted.claims;
                let is_free = self.wanted.relations.is_empty() && equal.is_empty();
                if is_free && loose.is_empty() && !self.is_checked {
                    next = Some(self.push(Goal::Cut(count), next));
                }
                return Ok(Some(self.push(Goal::Pair(*first, *node), next)));
            }
            if is_selection(self.other, *node) {
                break;
            }
        }
        Err(())
    }

    /// Whether two parts can match at all.
    fn is_like(&self, base: Node, other: Node) -> bool {
        match (base, other) {
            (Node::Span(base), Node::Span(other)) => {
                self.wanted.base.spans[base].label == self.other.spans[other].label
            }
            (Node::Choice(base), Node::Choice(other)) => {
                is_of_kind(&self.wanted.base.choices[base], &self.other.choices[other])
            }
            _ => false,
        }
    }

    fn span(
        &mut self,
        base: usize,
        other: usize,
        after: Option<usize>,
    ) -> Result<Option<usize>, ()> {
        let equal = &self.wanted.claims.equal;
        let first = equal.iter().find(|(_, second)| *second == base).map(|(first, _)| first);
        let of_first = self.parts.iter().rev().find(|(part, _)| Some(part) == first);
        if let Some((_, of_first)) = of_first {
            self.steps += self.other.spans[other].len() / 8;
            if !are_equal((self.other, *of_first), (self.other, other)) {
                return Err(());
            }
        } else if equal.iter().any(|(first, _)| *first == base) {
            self.branch(Goal::Plain(base, other), after);
        } else {
            return self.plain_span(base, other, after);
        }
        self.parts.push((base, other));
        Ok(after)
    }

    fn plain_span(
        &mut self,
        base: usize,
        other: usize,
        after: Option<usize>,
    ) -> Result<Option<usize>, ()> {
        let Wanted { claims, tree, .. } = self.wanted;
        let mut of_other = self.other_tree.children(Some(other));
        if let Some(elements) = self.other_tree.elements(self.other, other) {
            self.lengths.push((base, elements.len()));
            if !self.relations_hold() {
                return Err(());
            }
            if claims.closed.contains(&base) {
                let nodes = self.wanted.closed_elements(base, (of_other, &elements));
                of_other = nodes.ok_or(())?;
            }
        }
        let first = self.other.choices.get(self.other.spans[other].start as usize);
        let first_of_base = self.wanted.base.spans[base].start as usize;
        if claims.loose.contains(&Place::Span(base)) {
            let start = |trace: &Trace, span: usize| trace.spans[span].start as usize;
            self.bound.push((start(self.wanted.base, base), start(self.other, other)));
            return Ok(after);
        }
        let is_free = self.is_deep(base, other)
            || claims.claims.iter().any(|claim| {
                claim.place == Place::Span(base)
                    && match &claim.says {
                        Says::Any => true,
                        Says::Alternatives(all) if !self.wanted.lifted[base] => first
                            .is_some_and(|choice| self.holds(all, first_of_base, &choice.value)),
                        _ => false,
                    }
            });
        if is_free {
            return Ok(after);
        }
        Ok(Some(self.push(Goal::Row(tree.children(Some(base)), of_other), after)))
    }

    /// Whether the cause takes any value here that is deep enough, and this one is.
    fn is_deep(&mut self, base: usize, other: usize) -> bool {
        let deep = self.wanted.claims.claims.iter().find_map(|claim| match claim.says {
            Says::Deep(levels) if claim.place == Place::Span(base) => Some(levels),
            _ => None,
        });
        deep.is_some_and(|levels| {
            self.steps += self.other.spans[other].len() / 8;
            levels::count(self.other, other) >= levels
        })
    }

    /// Whether the choice at `at` may select another alternative.
    fn holds(&self, all: &[Alternative], at: usize, value: &Value) -> bool {
        let is_apart = self.wanted.last == Some(at)
            && self.wanted.claims.apart.iter().any(|apart| Value::Integer(*apart) == *value);
        !is_apart && holds_alternative(all, value)
    }

    fn choice(&mut self, base: usize, other: usize) -> bool {
        let (of_base, of_other) = (&self.wanted.base.choices[base], &self.other.choices[other]);
        self.bound.push((base, other));
        self.value(base, of_base, of_other) && self.relations_hold()
    }

    fn value(&mut self, at: usize, of_base: &Choice, of_other: &Choice) -> bool {
        let place = Place::Choice(at);
        let Claims { claims, loose, patterns, counts, .. } = self.wanted.claims;
        if counts.contains(&at) {
            return true;
        }
        let mut says = claims.iter().filter(|claim| claim.place == place).map(|claim| &claim.says);
        if let (Some(one), Some(other)) = (alternative(of_base), alternative(of_other)) {
            return one == other
                || says.any(|says| match says {
                    Says::Alternatives(all) => self.holds(all, at, &of_other.value),
                    _ => false,
                });
        }
        let pattern = patterns.iter().find(|pattern| pattern.choice == at);
        let is_loose = loose.contains(&place);
        if is_loose && pattern.is_none() || matches!(of_base.constraint, Constraint::Path) {
            return true;
        }
        if self.wanted.is_claimed(at, &of_other.value) {
            return true;
        }
        pattern.is_some_and(|pattern| {
            matches(pattern, is_loose, &of_base.value, &of_other.value, &mut self.steps)
                || self.is_checked && has_items(pattern, is_loose, &of_base.value, &of_other.value)
        })
    }

    /// Whether no claimed relation is broken by what has been matched so far.
    fn relations_hold(&self) -> bool {
        let value = |base: usize| {
            let (_, other) = self.bound.iter().rev().find(|(of, _)| *of == base)?;
            Some(self.other.choices[*other].value.clone())
        };
        let length = |base: usize| {
            let (_, length) = self.lengths.iter().rev().find(|(of, _)| *of == base)?;
            Some(Value::Integer(*length as i128))
        };
        let loose = &self.wanted.claims.loose;
        self.wanted.relations.iter().all(|(at, relation, term)| {
            let other = match term {
                Term::Value(other) => value(*other),
                Term::Length(span) => length(*span),
            };
            match (value(*at), other) {
                (Some(value), Some(other)) => {
                    loose.contains(&Place::Choice(*at)) || relation.holds(&value, &other)
                }
                _ => true,
            }
        })
    }
}
