//! A cause, prepared for many questions.

use super::claims::{Claims, Place, Relation, Says, Term};
use super::inside::outermost;
use super::lifted;
use super::operations::last_element;
use super::tree::Tree;
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
}
