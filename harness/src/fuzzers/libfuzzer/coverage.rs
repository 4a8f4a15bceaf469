//! The counters of this executable's edges. libFuzzer gets only the counters that executions have
//! set, not all of them.
//!
//! libFuzzer reads all counters that it has after each execution. Most counters belong to code that
//! seldom runs. With all counters, a small target spent three quarters of its instructions on
//! reading them. dwindle checks the remaining counters itself. Testing whether any of them is set
//! is much faster than finding which one, and one is seldom set.
//!
//! libFuzzer never gets the counters of dwindle's own code, about four of five in a small target.
//! Its edges are no coverage of the target, and nothing needs to read them.
//!
//! Relies on libFuzzer (`FuzzerTracePC.cpp`):
//!
//! - `__sanitizer_cov_8bit_counters_init` ignores a table that begins where the last table begins,
//!   so the compiler's constructor adds nothing.
//! - libFuzzer takes tables after the first execution, and numbers their features after those it
//!   has.
//! - libFuzzer holds 4,096 tables.
//!
//! Relies on LLVM as `isolation/counters.rs` says. `xtask/tests/end_to_end/libfuzzer.rs` tests each
//! of these properties. The switch is `lazy-counters`; without it libFuzzer has all counters from
//! the constructors on.

mod blocks;
mod kept;

use std::ops::Range;
use std::ptr;

use self::blocks::{block, clear, is_any_set, joined, whole};
use self::kept::Kept;
use super::modules;
use super::untraced::Tables;
use crate::fuzzers::own::{own, without};
use crate::isolation::counters::{begins_function, bounds, place, places, start, stop};
use crate::isolation::threads;

/// All counters and places, for a process in passthrough.
pub(super) fn tables() -> Tables {
    let [counters, _, places, places_stop] = bounds();
    Tables::at(counters, places, places_stop)
}

/// Gives libFuzzer the counters of the first function. libFuzzer ignores a table that begins where
/// its last one begins, so the compiler's own constructors then add nothing. With the switch off,
/// gives nothing.
pub(super) fn give_first_function() {
    give(start()..after_first_function());
}

/// Where the counters of the first function end. With the switch off, it is where the counters
/// begin: libFuzzer gets all of them from the compiler's constructor.
fn after_first_function() -> usize {
    if crate::switches::Switch::LazyCounters.is_on() { end_of_function(start()) } else { start() }
}

/// Where the counters of a function end, from the function's first counter.
fn end_of_function(counter: usize) -> usize {
    (counter + 1..stop()).find(|counter| function_at(*counter).is_some()).unwrap_or_else(stop)
}

/// The counters of the function at this address.
fn function(address: usize) -> Option<Range<usize>> {
    let first = (start()..stop()).find(|counter| function_at(*counter) == Some(address))?;
    Some(first..end_of_function(first))
}

/// The address of the function whose first counter this is.
fn function_at(counter: usize) -> Option<usize> {
    begins_function(places()[counter - start()])
}

fn give(counters: Range<usize>) {
    if !counters.is_empty() {
        // SAFETY: the linker gives the addresses. The call comes in an execution or before all of
        // them.
        unsafe {
            modules::add(
                ptr::with_exposed_provenance(counters.start),
                place(counters.start),
                counters.len(),
            );
        };
    }
}

/// Which counters libFuzzer has, and which it does not have yet.
#[derive(Debug, Default)]
pub(super) struct Counters {
    shown: Vec<Range<usize>>,
    /// The counters that libFuzzer does not have. All of them are zero whenever libFuzzer reads its
    /// counters.
    hidden: Vec<Range<usize>>,
    /// How many hidden counters make a block.
    block: usize,
    /// Whether libFuzzer has looked at an execution.
    has_looked: bool,
    aside: Vec<u8>,
    /// The hidden blocks that dwindle sets between executions, see [`Counters::show`].
    ours: Vec<Range<usize>>,
    /// Whether dwindle makes mutations between executions.
    mutates: bool,
    kept: Kept,
}

impl Counters {
    /// Prepares the counters before the first execution.
    ///
    /// With `shows_all`, libFuzzer gets all counters of the target at once, and otherwise those
    /// that executions reach. If nothing says which code is dwindle's, only the function `ours`
    /// counts as dwindle's.
    pub(super) fn new(shows_all: bool, ours: usize) -> Counters {
        let (given, stop) = (after_first_function(), stop());
        let mut counters = Counters::default();
        counters.shown.push(start()..given);
        if given == start() {
            // The counters that the compiler's constructor gave, if it gave any.
            counters.shown.push(start()..bounds()[1]);
            return counters;
        }
        let mut own = own();
        for run in &mut own {
            *run = start() + run.start..start() + run.end;
        }
        let theirs = (stop - given).saturating_sub(own.iter().map(Range::len).sum());
        let block = block(theirs);
        let blocks = whole(&(given..stop), block);
        if blocks.is_empty() {
            counters.give(given..stop);
            return counters;
        }
        counters.block = block;
        counters.give(given..blocks.start);
        counters.give(blocks.end..stop);
        if own.is_empty() {
            own.extend(function(ours).map(|ours| counters.leave_out(ours, &blocks)));
        }
        let own = own.iter().map(|run| whole(run, block)).filter(|run| !run.is_empty()).collect();
        for theirs in without(blocks, own) {
            if shows_all {
                counters.give(theirs);
            } else {
                counters.hidden.push(theirs);
            }
        }
        counters
    }

    /// Gives libFuzzer the counters beside a function that lie in a block with some of its
    /// counters. Returns these blocks, of which libFuzzer must get nothing else.
    fn leave_out(&mut self, function: Range<usize>, blocks: &Range<usize>) -> Range<usize> {
        let around =
            function.start / self.block * self.block..function.end.next_multiple_of(self.block);
        if around.start < blocks.start || blocks.end < around.end {
            return blocks.end..blocks.end;
        }
        self.give(around.start..function.start);
        self.give(function.end..around.end);
        around
    }

    /// How many counters libFuzzer has or may get, and how many it never gets.
    pub(super) fn count(&self) -> [usize; 2] {
        let theirs = self.shown.iter().chain(&self.hidden).map(Range::len).sum();
        [theirs, (stop() - start()).saturating_sub(theirs)]
    }

    /// Called before an execution. Edges taken before it do not belong to it, in this thread and in
    /// one that libFuzzer has just made. libFuzzer itself clears the counters that it has. dwindle
    /// clears the hidden counters that it is known to set: to clear all of them takes longer than a
    /// small execution.
    #[inline]
    pub(super) fn begin(&mut self) {
        if !self.has_looked {
            threads::wait_for_new();
            self.clear();
        }
        self.ours.iter().for_each(clear);
    }

    /// Called after an execution. Returns whether libFuzzer must get counters with
    /// [`show`](Counters::show): it will look at the execution, and a hidden counter is set. If it
    /// will not look, the hidden counters become zero.
    #[inline]
    pub(super) fn end(&mut self, will_look: bool) -> bool {
        let is_any_set = self.hidden.iter().any(is_any_set);
        if is_any_set && !will_look {
            self.clear_hidden();
        }
        is_any_set && will_look
    }

    /// The execution is over, and libFuzzer looks at it.
    #[inline]
    pub(super) fn looked(&mut self, will_look: bool) {
        self.has_looked |= will_look;
    }

    /// Gives libFuzzer the hidden blocks in which a counter is set.
    ///
    /// If dwindle made the input, it may have set them itself. So `again` runs the input again: a
    /// block that the second run does not set stays hidden, and is one of `ours` from then on.
    pub(super) fn show(&mut self, again: impl FnOnce()) {
        let mut set = self.set_blocks();
        if self.mutates {
            self.clear_hidden();
            again();
            let known = self.ours.len();
            let ours = &mut self.ours;
            set.retain(|block| {
                let is_ours = !is_any_set(block) && !ours[..known].contains(block);
                if is_ours {
                    ours.push(block.clone());
                }
                !is_ours
            });
        }
        self.give_blocks(set);
    }

    /// Called after an execution whose input libFuzzer kept. Returns whether it was the first to
    /// set one of libFuzzer's counters to some range of counts.
    pub(super) fn is_new(&mut self) -> bool {
        self.kept.adds(&self.shown)
    }

    /// The hidden blocks in which a counter is set.
    fn set_blocks(&self) -> Vec<Range<usize>> {
        self.blocks().filter(is_any_set).collect()
    }

    fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let size = self.block;
        let blocks = self.hidden.iter().flat_map(move |run| run.clone().step_by(size));
        blocks.map(move |block| block..block + size)
    }

    fn give_blocks(&mut self, set: Vec<Range<usize>>) {
        if self.has_looked {
            // SAFETY: this code runs in an execution.
            unsafe { modules::leave_room() };
        }
        self.hidden = joined(self.blocks().filter(|block| !set.contains(block)).collect());
        for run in joined(set) {
            self.give(run);
        }
    }

    fn give(&mut self, counters: Range<usize>) {
        if !counters.is_empty() {
            give(counters.clone());
            self.shown.push(counters);
        }
    }

    /// Sets all counters to zero, as they are before an execution.
    pub(super) fn clear(&mut self) {
        self.shown.iter().for_each(clear);
        self.clear_hidden();
    }

    /// dwindle has made the next input, so the next execution begins with some of its counters.
    pub(super) fn has_mutated(&mut self) {
        self.mutates = true;
    }

    /// Sets the hidden counters to zero. libFuzzer itself does this with its own counters before
    /// each execution.
    fn clear_hidden(&self) {
        self.hidden.iter().for_each(clear);
    }

    /// Runs `act` and hides its edges from libFuzzer.
    ///
    /// libFuzzer sees the edges that lead to this function. They should be the same from the first
    /// execution on.
    #[cold]
    pub(super) fn unseen(&mut self, act: impl FnOnce(&mut Counters)) {
        let known = self.shown.len();
        let mut aside = std::mem::take(&mut self.aside);
        aside.resize(self.shown.iter().map(Range::len).sum(), 0);
        let mut at = 0;
        for run in &self.shown {
            // SAFETY: the linker gives the addresses of the counters, and `aside` has room for
            // them. A counter that changes during the copy does no harm.
            unsafe {
                ptr::with_exposed_provenance::<u8>(run.start)
                    .copy_to_nonoverlapping(aside[at..].as_mut_ptr(), run.len());
            };
            at += run.len();
        }
        act(self);
        at = 0;
        for run in &self.shown[..known] {
            // SAFETY: as above.
            unsafe {
                aside[at..]
                    .as_ptr()
                    .copy_to_nonoverlapping(ptr::with_exposed_provenance_mut(run.start), run.len());
            };
            at += run.len();
        }
        self.aside = aside;
        self.clear_hidden();
    }
}
