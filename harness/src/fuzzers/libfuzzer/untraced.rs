//! Gives libFuzzer all counters in a passthrough process. libFuzzer learns from traced comparisons,
//! so this code makes none.
//!
//! libFuzzer numbers features from the first table on. Its power schedule depends on the lowest
//! numbers, because `InputCorpus::AddRareFeature` clears `IsRareFeature` by an index in a list
//! instead of by a feature's number. So the counters of the target's own crate come first, in the
//! order that they have on libfuzzer-sys. One function among them belongs to dwindle and never runs
//! here. Its counters are left out.
//!
//! The code compares only pointers, because LLVM traces comparisons of integers, overflow checks
//! included. It takes no address of a variable on the stack. `AddressSanitizer` would check each
//! such frame, and LLVM traces those checks too.

use std::hint::black_box;
use std::ptr::{self, with_exposed_provenance};

use super::modules;
use crate::isolation::counters::Place;

/// The second number of each place where a function begins.
static BEGINS: usize = 1;

/// The counters, and the places that they count.
pub(super) struct Tables {
    counters: *const u8,
    places: *const Place,
    places_stop: *const Place,
}

impl Tables {
    /// Makes the tables from their addresses.
    #[expect(clippy::inline_always, reason = "AddressSanitizer would check a frame with variables")]
    #[inline(always)]
    pub(super) fn at(counters: usize, places: usize, places_stop: usize) -> Tables {
        Tables {
            counters: with_exposed_provenance(counters),
            places: with_exposed_provenance(places),
            places_stop: with_exposed_provenance(places_stop),
        }
    }

    /// Gives libFuzzer the first function.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn give_first(&self) {
        // A build that counts lines for people has no places.
        if self.places < self.places_stop {
            self.give(self.places, self.behind(self.places));
        }
    }

    /// Gives libFuzzer all functions except the first one and the one whose address stands in
    /// `without`.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn give_rest(&self, without: *const usize) {
        if self.places >= self.places_stop {
            return;
        }
        let first = self.behind(self.places);
        let gap = self.find(first, without, 0);
        if gap.is_null() {
            self.give(first, self.places_stop);
        } else {
            self.give(first, gap);
            self.give(self.behind(gap), self.places_stop);
        }
    }

    /// Where the function after the one at this place begins.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn behind(&self, place: *const Place) -> *const Place {
        // A function begins where the second number is 1.
        let found =
            self.find(place.wrapping_add(1), ptr::from_ref(&BEGINS), size_of::<usize>() as u8);
        if found.is_null() {
            self.places_stop
        } else {
            found.cast::<u8>().wrapping_sub(size_of::<usize>()).cast()
        }
    }

    /// Finds the first number equal to `number` from this place on. The number must stand `offset`
    /// bytes after the start of a place. Returns null if there is no such number.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn find(&self, from: *const Place, number: *const usize, offset: u8) -> *const Place {
        let mut from: *const u8 = from.cast();
        loop {
            let length = self.places_stop.addr().wrapping_sub(from.addr());
            // SAFETY: the linker gives the end of the places, and `from` is not after it. The
            // number is in memory.
            let found: *const u8 =
                unsafe { libc::memmem(from.cast(), length, number.cast(), size_of::<usize>()) }
                    .cast();
            // This compares one byte, because libFuzzer records no operands of that size.
            let at = black_box(
                found.addr().wrapping_sub(self.places.addr()) as u8 % size_of::<Place>() as u8,
            );
            if found.is_null() || at == offset {
                return found.cast();
            }
            from = found.wrapping_add(1);
        }
    }

    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn give(&self, from: *const Place, to: *const Place) {
        let counter = |place: *const Place| {
            self.counters
                .wrapping_add(place.addr().wrapping_sub(self.places.addr()) / size_of::<Place>())
        };
        if from < to {
            // SAFETY: the linker gives the addresses, and libFuzzer has not begun.
            unsafe {
                modules::add(
                    counter(from),
                    from,
                    to.addr().wrapping_sub(from.addr()) / size_of::<Place>(),
                );
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(places: &[Place]) -> Tables {
        let range = places.as_ptr_range();
        Tables::at(1 << 40, range.start.expose_provenance(), range.end.expose_provenance())
    }

    #[test]
    fn functions_are_found_by_address_and_by_their_order() {
        let places: [Place; 6] =
            [[0x5000, 1], [0x5001, 0], [0x6000, 1], [0x7000, 1], [0x7001, 0], [0x7002, 0]];
        let tables = tables(&places);
        let place = |index: usize| places.as_ptr().wrapping_add(index);
        assert_eq!([0, 2, 3].map(|index| tables.behind(place(index))), [2, 3, 6].map(place));
        assert_eq!(tables.find(place(1), ptr::from_ref(&0x7000), 0), place(3));
        assert!(
            tables.find(place(1), ptr::from_ref(&0x5000), 0).is_null()
                && tables.find(place(6), ptr::from_ref(&1), 8).is_null()
        );
    }

    #[test]
    fn bytes_across_two_numbers_are_not_a_match() {
        // On a little-endian machine, the bytes of 1 lie across the two numbers of the second
        // place.
        let places: [Place; 3] = [[0x5000, 1], [0x0100_0000_0000_0000, 0], [0x6000, 1]];
        let tables = tables(&places);
        assert_eq!(tables.behind(places.as_ptr()), places.as_ptr().wrapping_add(2));
    }
}
