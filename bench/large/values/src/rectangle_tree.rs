//! rstar 0.14: a tree of points in the plane. Calls.

use rstar::{AABB, RTree};

/// One call on the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Puts a point.
    Insert([i8; 2]),
    /// Takes a point out.
    Remove([i8; 2]),
    /// A new tree of these points, all at once.
    Load(Vec<[i8; 2]>),
    /// The nearest points.
    Nearest([i8; 2], u8),
    /// The points near a place.
    Within([i8; 2], u8),
    /// The points in a rectangle.
    In([i8; 2], [i8; 2]),
    /// Takes out the points of a rectangle.
    Drain([i8; 2], [i8; 2]),
    /// Pairs of points of this tree and of one with these points whose boxes meet.
    Meet(Vec<[i8; 2]>),
}

/// Does the calls one after the other.
///
/// # Panics
///
/// Inside `rstar`.
pub fn check(ops: &[Op]) {
    let mut tree: RTree<[i32; 2]> = RTree::new();
    for op in ops {
        apply(&mut tree, op);
    }
    let _ = tree.iter().count();
}

fn point(point: [i8; 2]) -> [i32; 2] {
    point.map(i32::from)
}

fn apply(tree: &mut RTree<[i32; 2]>, op: &Op) {
    match op {
        Op::Insert(at) => tree.insert(point(*at)),
        Op::Remove(at) => {
            let _ = tree.remove(&point(*at));
        }
        Op::Load(points) => *tree = RTree::bulk_load(points.iter().copied().map(point).collect()),
        Op::Nearest(at, number) => {
            let _ = tree.nearest_neighbor(point(*at));
            let _ = tree.nearest_neighbor_iter(point(*at)).take(usize::from(*number)).count();
        }
        Op::Within(at, radius) => {
            let squared = i32::from(*radius) * i32::from(*radius);
            let _ = tree.locate_within_distance(point(*at), squared).count();
        }
        Op::In(from, to) => {
            let area = AABB::from_corners(point(*from), point(*to));
            let _ = tree.locate_in_envelope(area).count();
        }
        Op::Drain(from, to) => {
            let area = AABB::from_corners(point(*from), point(*to));
            let _ = tree.drain_in_envelope_intersecting(area).count();
        }
        Op::Meet(points) => {
            let other = RTree::bulk_load(points.iter().copied().map(point).collect());
            let _ = tree.intersection_candidates_with_other_tree(&other).count();
        }
    }
}
