//! Two strings that fail with other items only if both change alike: two keys may need the same
//! beginning, or must differ in one place.

use super::draw::Piece;
use super::strings::{items, value_of};
use super::study::Study;
use crate::choice::Value;

/// Which bits of the items change.
const BITS: [u32; 6] = [1, 2, 8, 16, 32, 64];
/// How many items that both strings have are changed alone.
const SHARED_MAX: usize = 4;

/// What two strings need together.
pub(super) enum Together {
    /// All their items may change alike.
    All,
    /// An item that both have may be another one.
    Shared,
}

/// Whether many changes of one of the strings let the failure go, and it comes back with the same
/// change of the other one.
pub(super) fn change_together(study: &mut Study<'_>, one: usize, other: usize) -> Option<Together> {
    if come_back(study, [one, other], None) {
        return Some(Together::All);
    }
    let [of_one, of_other] = [one, other].map(|at| items(&study.base.choices[at].value));
    let (mut shared, of_other) = (of_one?, of_other?);
    shared.sort_unstable();
    shared.dedup();
    shared.retain(|item| of_other.contains(item));
    let mut shared = shared.into_iter().take(SHARED_MAX);
    shared.any(|item| come_back(study, [one, other], Some(item))).then_some(Together::Shared)
}

fn come_back(study: &mut Study<'_>, strings: [usize; 2], shared: Option<char>) -> bool {
    let (mut passing, mut come_back) = (0, 0);
    for bits in BITS {
        let changed = strings.map(|at| {
            let value = changed(&study.base.choices[at].value, shared, bits)?;
            let is_allowed = study.base.choices[at].constraint.allows(&value);
            is_allowed.then(|| Piece::choice(0, at, value))
        });
        let [Some(first), Some(second)] = changed else { continue };
        let alone = [&first, &second].map(|piece| study.fails(std::slice::from_ref(piece)));
        if alone == [Some(false); 2] {
            passing += 1;
            come_back += usize::from(study.fails(&[first, second]) == Some(true));
        }
    }
    come_back >= 2 && 2 * come_back > passing
}

/// The string with these bits of each item changed, or of one item. `None` if it has no items.
fn changed(value: &Value, shared: Option<char>, bits: u32) -> Option<Value> {
    let items = items(value)?.into_iter();
    let change = |item| match shared {
        Some(shared) if shared != item => Some(item),
        _ => char::from_u32(u32::from(item) ^ bits),
    };
    let changed: Option<Vec<char>> = items.map(change).collect();
    changed.filter(|items| !items.is_empty()).map(|items| value_of(value, &items))
}
