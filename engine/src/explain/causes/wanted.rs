//! A cause, prepared for many questions.

use super::lifted;
use crate::choice::Value;
use crate::explain::classes::claims::{Claims, Place, Relation, Says, Sides, Term};
use crate::explain::classes::covers::is_said;
use crate::explain::classes::operations::last_element;
use crate::explain::classes::tree::outermost;
use crate::explain::classes::tree::{Node, Tree};
use crate::trace::Trace;

/// A cause, prepared for many questions.
pub(crate) struct Wanted<'a> {
    pub(crate) base: &'a Trace,
    pub(crate) claims: &'a Claims,
    pub(crate) tree: Tree,
    /// Which spans may stand at any depth of a recursive value.
    pub(crate) dives: Vec<bool>,
    /// Spans in which other alternatives are other reasons.
    pub(crate) lifted: Vec<bool>,
    pub(crate) relations: Vec<(usize, Relation, Term)>,
    /// The choice that begins the last operation.
    pub(crate) last: Option<usize>,
}

impl<'a> Wanted<'a> {
    pub(crate) fn of(base: &'a Trace, claims: &'a Claims) -> Wanted<'a> {
        let relations = claims.claims.iter().filter_map(|claim| match (claim.place, &claim.says) {
            (Place::Choice(at), Says::Related(relation, term)) => Some((at, *relation, *term)),
            _ => None,
        });
        let dives = |span| outermost(base, span) == Some(span) || claims.inside.contains(&span);
        let dives = (0..base.spans.len()).map(dives).collect();
        let last = last_element(base).map(|last| last.start);
        let (tree, lifted) = (Tree::of(base), lifted::spans(base, claims));
        Wanted { base, claims, tree, dives, lifted, relations: relations.collect(), last }
    }

    /// Where the elements of a closed collection must stand, one after the other, in another one. A
    /// claim may allow further elements on one side. `None` if there are too many, or too few.
    pub(crate) fn closed_elements<'s>(
        &self,
        span: usize,
        (nodes, elements): (&'s [Node], &[usize]),
    ) -> Option<&'s [Node]> {
        let length = self.tree.elements(self.base, span)?.len();
        let further = elements.len().checked_sub(length)?;
        if further == 0 {
            return Some(nodes);
        }
        let sides = self.claims.claims.iter().find_map(|claim| match claim.says {
            Says::Further(sides) if claim.place == Place::Span(span) => Some(sides),
            _ => None,
        });
        let place = |element: usize| nodes.iter().position(|node| *node == Node::Span(element));
        match sides? {
            Sides::Before => {
                let first = elements.get(further).and_then(|element| place(*element));
                Some(&nodes[first.unwrap_or(nodes.len())..])
            }
            Sides::Behind => Some(&nodes[..place(elements[length])?]),
            Sides::Anywhere => Some(nodes),
        }
    }

    /// Whether the claims about a choice allow this value. Without a claim it must be the same.
    pub(crate) fn is_claimed(&self, at: usize, other: &Value) -> bool {
        let own = &self.base.choices[at].value;
        let mut claims =
            self.claims.claims.iter().filter(|claim| claim.place == Place::Choice(at)).peekable();
        if claims.peek().is_none() {
            return own == other;
        }
        claims.all(|claim| is_said(&claim.says, own, other))
    }
}
