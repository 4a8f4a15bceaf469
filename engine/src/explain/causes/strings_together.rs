//! Two strings that fail with other items only if both change alike: two keys may need the same
//! beginning, or must differ in one place.

use crate::choice::{Choice, Constraint, Value};
use crate::explain::classes::draw::Piece;
use crate::explain::classes::strings::{items, value_of};
use crate::explain::classes::study::Study;
use crate::trace::Trace;

/// Which bits of the items change.
const BITS: [u32; 6] = [1, 2, 8, 16, 32, 64];
/// How many items that both strings have are changed alone.
const SHARED_MAX: usize = 4;

/// What two strings need together.
pub(crate) enum Together {
    /// All their items may change alike.
    All,
    /// An item that both have may be another one.
    Shared,
}

/// Whether many changes of one of the strings let the failure go, and it comes back with the same
/// change of the other one.
pub(crate) fn change_together(study: &mut Study<'_>, one: usize, other: usize) -> Option<Together> {
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
            let Choice { constraint, value } = &study.base.choices[at];
            let value = changed((constraint, value), shared, bits)?;
            Some(Piece::choice(0, at, value))
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

/// Whether the input of a cause needs each of these strings, and still fails with most changes of
/// all of them. It has other values.
pub(crate) fn are_alike(
    (base, values): (&Trace, &[Value]),
    strings: &[usize],
    fails: &mut dyn FnMut(&[Value]) -> bool,
) -> bool {
    let constraint = |at: usize| &base.choices[at].constraint;
    let is_needed = |at: &usize| {
        let mut simpler = values.to_vec();
        simpler[*at] = constraint(*at).simplest();
        !fails(&simpler)
    };
    if !strings.iter().all(is_needed) {
        return false;
    }
    let alike = |bits| -> Option<Vec<Value>> {
        let mut alike = values.to_vec();
        for at in strings {
            alike[*at] = changed((constraint(*at), &values[*at]), None, bits)?;
        }
        Some(alike)
    };
    let alike: Vec<Vec<Value>> = BITS.into_iter().filter_map(alike).collect();
    let failed = alike.iter().filter(|values| fails(values)).count();
    failed > 0 && 2 * failed >= alike.len()
}

/// The string with these bits of each item changed, or of one item. `None` if it has no items, or
/// is not allowed.
fn changed(
    (constraint, string): (&Constraint, &Value),
    shared: Option<char>,
    bits: u32,
) -> Option<Value> {
    let items = items(string)?.into_iter();
    let change = |item| match shared {
        Some(shared) if shared != item => Some(item),
        _ => char::from_u32(u32::from(item) ^ bits),
    };
    let changed: Option<Vec<char>> = items.map(change).collect();
    let changed = value_of(string, &changed.filter(|items| !items.is_empty())?);
    constraint.allows(&changed).then_some(changed)
}
