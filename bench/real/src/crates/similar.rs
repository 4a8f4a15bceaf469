//! similar 2.3.0: the LCS diff drops what only one list has, and panics where the common prefix and
//! suffix overlap.

use dwindle::prelude::*;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A diff makes the new list of the old one.
pub fn lcs(tc: &mut TestCase) {
    let (old, new) = tc.draw(any::<(Vec<u8>, Vec<u8>)>());
    check(&old, &new);
}

/// The same as a drop-in target.
pub fn lcs_drop_in(tc: &mut TestCase) {
    super::drop_in(tc, |(old, new): (Vec<u8>, Vec<u8>)| check(&old, &new));
}

/// A diff can be made of any two lists.
pub fn lcs_panics(tc: &mut TestCase) {
    let (old, new) = tc.draw(any::<(Vec<u8>, Vec<u8>)>());
    capture_diff_slices(Algorithm::Lcs, &old, &new);
}

/// The same as a drop-in target.
pub fn lcs_panics_drop_in(tc: &mut TestCase) {
    super::drop_in(tc, |(old, new): (Vec<u8>, Vec<u8>)| {
        capture_diff_slices(Algorithm::Lcs, &old, &new);
    });
}

fn check(old: &[u8], new: &[u8]) {
    let mut made = Vec::new();
    for op in capture_diff_slices(Algorithm::Lcs, old, new) {
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                made.extend_from_slice(&old[old_index..old_index + len]);
            }
            DiffOp::Delete { .. } => {}
            DiffOp::Insert { new_index, new_len, .. }
            | DiffOp::Replace { new_index, new_len, .. } => {
                made.extend_from_slice(&new[new_index..new_index + new_len]);
            }
        }
    }
    assert_eq!(made, new);
}
