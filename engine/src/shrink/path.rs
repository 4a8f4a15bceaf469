//! Follows the shrinks that a generator was given: from each value to the first simpler one that
//! still fails.

use super::search::{Search, Verdict};
use crate::choice::{Constraint, PATH_END, Value};

/// Takes each path one step further down, as long as some step holds. The passes that set values to
/// the simplest try the whole way down at once.
///
/// This is the greedy descent of `QuickCheck` (Claessen and Hughes 2000), on one choice. In falsify
/// (de Vries 2023, section 6.2.1), it works on a tree of choices.
pub(super) fn each(search: &mut Search<'_>) {
    for at in 0..search.len() {
        while one_further(search, at) {}
    }
}

fn one_further(search: &mut Search<'_>, at: usize) -> bool {
    let Some(steps) = stopped(search, at) else { return false };
    for step in 0..PATH_END {
        let further: Vec<u8> = steps.iter().copied().chain([step, PATH_END]).collect();
        match search.set(&[(at, Value::Bytes(further.into()))]) {
            Verdict::Better => return true,
            // The step drew the best again, so the generator has no further values.
            Verdict::Same => return false,
            Verdict::Worse if search.is_stopped() => return false,
            Verdict::Worse => {}
        }
    }
    false
}

/// Returns the steps of the path at `at`, if the path ends where it could go on.
fn stopped(search: &Search<'_>, at: usize) -> Option<Vec<u8>> {
    let choice = search.choices().get(at).filter(|choice| choice.constraint == Constraint::Path)?;
    let Value::Bytes(path) = &choice.value else { return None };
    path.strip_suffix(&[PATH_END]).map(<[u8]>::to_vec)
}
