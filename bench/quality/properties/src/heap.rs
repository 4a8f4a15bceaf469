//! Binary heaps, and a function that does not sort them.

use std::fmt;

/// A node with its two sides, whose values are no smaller.
#[derive(Clone, Debug, PartialEq)]
pub struct Heap(pub i64, pub Side, pub Side);

/// The left or the right of a node.
pub type Side = Option<Box<Heap>>;

impl Heap {
    /// Nodes, the empty ones among them.
    pub(crate) fn size(&self) -> usize {
        let side = |side: &Side| side.as_ref().map_or(1, |heap| heap.size());
        1 + side(&self.1) + side(&self.2)
    }

    pub(crate) fn is_sorted_right(&self) -> bool {
        let mut values = Vec::new();
        self.values(&mut values);
        values.sort_unstable();
        self.wrong_sorted() == values
    }

    /// From a stack: the right side comes first.
    fn values(&self, values: &mut Vec<i64>) {
        values.push(self.0);
        for side in [&self.2, &self.1].into_iter().flatten() {
            side.values(values);
        }
    }

    /// The bug: what the merged sides hold is taken as it lies, not merged again.
    fn wrong_sorted(&self) -> Vec<i64> {
        let mut values = vec![self.0];
        if let Some(merged) = merge(self.1.clone(), self.2.clone()) {
            merged.values(&mut values);
        }
        values
    }
}

fn merge(one: Side, other: Side) -> Side {
    match (one, other) {
        (None, heap) | (heap, None) => heap,
        (Some(one), Some(other)) if one.0 <= other.0 => {
            Some(Box::new(Heap(one.0, merge(one.2, Some(other)), one.1)))
        }
        (Some(one), Some(other)) => {
            Some(Box::new(Heap(other.0, merge(other.2, Some(one)), other.1)))
        }
    }
}

impl fmt::Display for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}", self.0)?;
        for side in [&self.1, &self.2] {
            match side {
                Some(heap) => write!(f, ", {heap}")?,
                None => f.write_str(", None")?,
            }
        }
        f.write_str(")")
    }
}
