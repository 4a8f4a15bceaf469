//! The middle of several measured values.

/// The median. Of an even number of values it is the upper one of the two in the middle.
pub(crate) fn median<T: PartialOrd>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable_by(|one, other| one.partial_cmp(other).expect("measured values compare"));
    values.swap_remove(values.len() / 2)
}
