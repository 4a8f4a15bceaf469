//! A cause, prepared for many questions.

use super::claims::{Claims, Place, Relation, Says, Term};
use super::covers::is_said;
use super::inside::outermost;
use super::lifted;
use super::operations::last_element;
use super::tree::Tree;
use crate::choice::Value;
use crate::trace::Trace;

/// A cause, prepared for many questions.
pub(super) struct Wanted<'a> {
    pub(super) base: &'a Trace,
    pub(super) claims: &'a Claims,
    pub(super) tree: Tree,
    /// Which spans may stand at any depth of a recursive value.
    pub(super) dives: Vec<bool>,
    /// Spans in which other alternatives are other reasons.
    pub(super) lifted: Vec<bool>,
    pub(super) relations: Vec<(usize, Relation, Term)>,
    /// The choice that begins the last operation.
    pub(super) last: Option<usize>,
}

impl<'a> Wanted<'a> {
    pub(super) fn of(base: &'a Trace, claims: &'a Claims) -> Wanted<'a> {
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
    /// Whether the claims about a choice allow this value. Without a claim it must be the same.
    pub(super) fn is_claimed(&self, at: usize, other: &Value) -> bool {
        let own = &self.base.choices[at].value;
        let mut claims =
            self.claims.claims.iter().filter(|claim| claim.place == Place::Choice(at)).peekable();
        if claims.peek().is_none() {
            return own == other;
        }
        claims.all(|claim| is_said(&claim.says, own, other))
    }
}
