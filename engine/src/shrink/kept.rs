//! Keeps only a part of many items: some of them at the front, the rest at the back.
//!
//! Where a target reads its parts one after the other, or names them by number, a deletion changes
//! the parts behind it. The candidate is then as good as a new random input, and few of these fail.
//! So a deletion should be large, and should be tried in many places.

use super::search::Search;

/// The smallest share of the items that [`part`] keeps is one in this many.
const SHARE_MAX: usize = 64;
/// How many places [`part`] tries for the gap between what it keeps at the front and at the back.
const PLACES: usize = 16;

/// Keeps one half of the items, then a quarter, and so on, but at least `least` items.
///
/// `count` says how many items there are. `put` gets the number of items to keep at the front and
/// at the back, and returns whether they are the best now.
pub(super) fn part(
    search: &mut Search<'_>,
    least: usize,
    count: impl Fn(&Search<'_>) -> usize,
    mut put: impl FnMut(&mut Search<'_>, usize, usize) -> bool,
) {
    let mut share = 2;
    while share <= SHARE_MAX {
        let kept = count(search) / share;
        if kept < least || search.is_stopped() {
            return;
        }
        let places = kept.min(PLACES);
        let found = (0..=places).any(|place| {
            let front = kept * place / places;
            put(search, front, kept - front)
        });
        if !found {
            share *= 2;
        }
    }
}
