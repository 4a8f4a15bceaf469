//! Inputs for the passes that change how the parts of trees are held together.

use super::inputs::{Input, numbers};
use super::values::Tree;
use crate::any;
use crate::generators as g;

pub(super) fn of_structure() -> Vec<Input> {
    vec![
        Input {
            pass: "regroup::dissolve",
            property: |tc| tc.draw(any::<Tree>()).leaves() != [1, 2, 3, 4, 5, 6],
            // Many[Pair(1, 2), Pair(3, 4), Pair(5, 6)] and Many[1, 2, 3, 4, 5, 6]
            start: numbers([2, 2, 0, 1, 0, 2, 2, 0, 3, 0, 4, 2, 0, 5, 0, 6, 0]),
            end: numbers([2, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 0]),
            exhaust_max: 0,
        },
        Input {
            pass: "regroup::graft",
            property: |tc| {
                let trees = tc.draw(g::vec(any::<Tree>()));
                let pairs: usize = trees.iter().map(Tree::pairs).sum();
                pairs < 2 || trees.iter().any(|tree| tree.leaves().iter().any(|leaf| *leaf < 7))
            },
            // [Pair(7, 7), Pair(7, 7)] and [Pair(7, Pair(7, 7))]
            start: numbers([2, 0, 7, 0, 7, 2, 0, 7, 0, 7, 0]),
            end: numbers([2, 0, 7, 1, 0, 7, 0, 7, 0]),
            exhaust_max: 0,
        },
    ]
}
