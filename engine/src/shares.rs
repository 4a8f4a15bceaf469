//! How often each alternative is drawn.

use std::cell::RefCell;
use std::collections::HashSet;

/// The shares of weighted alternatives. Each alternative has as many places in a row as it weighs.
/// A source draws a place. The record holds the alternative, so that there is one record for each
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shares(Option<&'static [u32]>);

/// How many different shares a thread keeps. They are never freed, because a constraint is a plain
/// value that may go anywhere.
const KEPT_MAX: usize = 1024;

thread_local! {
    /// A lock for all threads could be held by another one when the process forks.
    static KEPT: RefCell<HashSet<&'static [u32]>> = RefCell::default();
}

impl Shares {
    /// All alternatives have one place.
    pub const EQUAL: Shares = Shares(None);

    /// For each alternative, the place at which the next one begins.
    pub const fn of(ends: &'static [u32]) -> Shares {
        Shares(Some(ends))
    }

    /// The same for shares that are only known at run time. `None` if the thread has too many: then
    /// weights are likely drawn, too.
    pub fn kept(ends: &[u32]) -> Option<Shares> {
        KEPT.with_borrow_mut(|kept| {
            if let Some(known) = kept.get(ends) {
                return Some(Shares(Some(known)));
            }
            if kept.len() >= KEPT_MAX {
                return None;
            }
            let ends: &'static [u32] = Vec::leak(ends.to_vec());
            kept.insert(ends);
            Some(Shares(Some(ends)))
        })
    }

    /// For each alternative, the place at which the next one begins. Nothing if all are equal.
    pub fn ends(self) -> &'static [u32] {
        self.0.unwrap_or_default()
    }

    /// The first place of an alternative. That of the one behind the last is the number of places.
    #[inline]
    pub(crate) fn place_of(self, index: usize) -> usize {
        match self.0 {
            Some(ends) => index.checked_sub(1).map_or(0, |before| ends[before] as usize),
            None => index,
        }
    }

    /// The alternative that has this place.
    #[inline]
    pub fn index_at(self, place: usize) -> usize {
        match self.0 {
            Some(ends) => ends.partition_point(|end| *end as usize <= place),
            None => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_belongs_to_one_alternative() {
        let shares = Shares::kept(&[2, 3, 7]).unwrap();
        let all: Vec<usize> = (0..7).map(|place| shares.index_at(place)).collect();
        assert_eq!(all, [0, 0, 1, 2, 2, 2, 2]);
        let first: Vec<usize> = (0..4).map(|index| shares.place_of(index)).collect();
        assert_eq!(first, [0, 2, 3, 7]);
        assert_eq!((Shares::EQUAL.index_at(5), Shares::EQUAL.place_of(5)), (5, 5));
    }

    #[test]
    fn equal_shares_are_kept_once() {
        let [one, other] = [Shares::kept(&[4, 5]), Shares::kept(&[4, 5])].map(Option::unwrap);
        assert!(std::ptr::eq(one.ends(), other.ends()));
    }
}
