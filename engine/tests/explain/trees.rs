//! Claims about recursive values.

use dwindle_engine::internals::explain::{Claim, Says};
use dwindle_engine::prelude::*;

use crate::explained;

#[derive(Debug, Generate)]
enum Tree {
    Leaf(#[expect(dead_code, reason = "only the form of the tree matters")] u8),
    Node(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn depth(&self) -> usize {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Node(left, right) => 1 + left.depth().max(right.depth()),
        }
    }

    /// How often one can go to the left.
    fn depth_on_the_left(&self) -> usize {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Node(left, _) => 1 + left.depth_on_the_left(),
        }
    }
}

#[test]
fn any_tree_as_deep_as_the_minimized_one_fails() {
    let mut found = explained(|tc| tc.draw(any::<Tree>()).depth() < 3);
    let deep = found.claims.claims.iter().filter(|claim| claim.says == Says::Deep(4));
    assert_eq!(deep.count(), 1, "{:?}", found.lines());
    assert!(found.lines().iter().any(|line| line.contains("any value at least 4 levels deep")));
    assert!(found.claims.passing.is_some(), "{:?}", found.lines());
    assert!(found.is_sound());
}

#[test]
fn a_depth_on_one_side_is_not_taken_for_the_depth_of_a_tree() {
    let mut found = explained(|tc| tc.draw(any::<Tree>()).depth_on_the_left() < 3);
    // The innermost tree of two levels may be any tree that is no leaf.
    let is_deep = |claim: &Claim| matches!(claim.says, Says::Deep(levels) if levels > 2);
    assert!(!found.claims.claims.iter().any(is_deep), "{:?}", found.lines());
    assert!(found.is_sound());
}
