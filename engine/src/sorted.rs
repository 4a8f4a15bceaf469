//! Sorts by a key. The sort of the standard library is compiled anew for each key. That was a tenth
//! of the code of this crate, and of the harness. Here, all keys share one copy.

use std::cmp::Ordering;

/// Sorts `items` by what `key` gives for each. Equal items keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts `items` by a comparison. Equal items keep their order.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    if items.is_sorted_by(|one, other| compare(one, other).is_le()) {
        return;
    }
    let order = order(items.len(), &|one, other| compare(&items[one], &items[other]));
    put_in(order, items);
}

/// Does the same as [`sort_by_key`], and takes the key of each item once.
pub fn sort_by_cached_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let keys: Vec<K> = items.iter().map(key).collect();
    put_in(order(items.len(), &|one, other| keys[one].cmp(&keys[other])), items);
}

fn put_in<T>(order: Vec<usize>, items: &mut Vec<T>) {
    let mut unsorted: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| unsorted[at].take()));
}

/// The indices below `count` in the order of what stands there.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let mut words = vec!["of", "a", "the", "in", "b"];
        sort_by_key(&mut words, |word| word.len());
        assert_eq!(words, ["a", "b", "of", "in", "the"]);
        sort_by(&mut words, |one, other| other.len().cmp(&one.len()));
        assert_eq!(words, ["the", "of", "in", "a", "b"]);
        sort_by_cached_key(&mut words, |word| word.len());
        assert_eq!(words, ["a", "b", "of", "in", "the"]);
    }
}
