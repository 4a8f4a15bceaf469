//! The counters of this executable's edges: libFuzzer is given those that were ever set, not all that there are.
//!
//! It would look through all of them after each execution. Most belong to what seldom runs, of dwindle too: a small target spent three quarters of its instructions there.
//! Whether any of the others is set is found out much faster than where, and seldom is one.
//!
//! Relies on libFuzzer (`FuzzerTracePC.cpp`): `__sanitizer_cov_8bit_counters_init` ignores a table that begins where the last one
//! it took begins, so the compiler's constructor adds nothing; it takes tables after the first execution, numbers their features
//! behind those it has, and holds 4,096 of them. Relies on LLVM: counters and places stand in the sections `__sancov_cntrs` and
//! `__sancov_pcs` in one order. `xtask/tests/end_to_end/properties.rs` tests each. The switch is `lazy-counters`; without it
//! libFuzzer has all counters from the constructors on.

use std::ops::Range;
use std::ptr;

use super::modules::{self, Place};
use super::untraced::Tables;

// Where the counters begin and end, and the places they count, if the build has any: weak symbols, which the language has no words for yet. The linker makes the names
// from those of the sections.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak __start___sancov_cntrs",
    ".weak __stop___sancov_cntrs",
    ".weak __start___sancov_pcs",
    ".weak __stop___sancov_pcs",
    ".globl dwindle_counters",
    ".hidden dwindle_counters",
    "dwindle_counters:",
    ".quad __start___sancov_cntrs",
    ".quad __stop___sancov_cntrs",
    ".quad __start___sancov_pcs",
    ".quad __stop___sancov_pcs",
    ".popsection",
);

unsafe extern "C" {
    safe static dwindle_counters: [usize; 4];
}

/// All there are, for a process that steps aside.
pub(super) fn tables() -> Tables {
    let [counters, _, places, places_stop] = dwindle_counters;
    Tables::at(counters, places, places_stop)
}

/// Gives libFuzzer the first block. It takes a table that begins where its last one does for one that it has, so the compiler's own constructors then give it nothing.
pub(super) fn give_first_block() {
    give(start()..after_first_function());
}

/// At least so many are shown at once, and begin at a multiple of this: a power of two.
const BLOCK: usize = 128;
/// There are no more blocks than these: libFuzzer takes 4,096 tables, and a block may come with the room before it.
const BLOCKS_MAX: usize = 1024;

/// Where the counters begin.
fn start() -> usize {
    dwindle_counters[0]
}

fn stop() -> usize {
    // Other builds may have counters without places, and some linkers drop those: then all is left as the compiler has it.
    let [start, stop, places, places_stop] = dwindle_counters;
    if (places_stop - places) / size_of::<Place>() == stop - start { stop } else { start }
}

/// Where the counters of the first function end; where they begin if libFuzzer is to have all of them from the compiler's constructor.
fn after_first_function() -> usize {
    if crate::switches::Switch::LazyCounters.is_on() { end_of_function(start()) } else { start() }
}

/// Where the counters of the function end whose first counter this is.
fn end_of_function(counter: usize) -> usize {
    (counter + 1..stop()).find(|counter| begins_function(*counter).is_some()).unwrap_or_else(stop)
}

/// The counters of the function at this address.
fn function(address: usize) -> Option<Range<usize>> {
    let first = (start()..stop()).find(|counter| begins_function(*counter) == Some(address))?;
    Some(first..end_of_function(first))
}

/// The address of the function whose first counter this is, if it is one.
fn begins_function(counter: usize) -> Option<usize> {
    // SAFETY: there are as many places as counters.
    let [address, flags] = unsafe { place(counter).read() };
    (flags & 1 != 0).then_some(address)
}

fn place(counter: usize) -> *const Place {
    ptr::with_exposed_provenance::<Place>(dwindle_counters[2]).wrapping_add(counter - start())
}

fn give(counters: Range<usize>) {
    if !counters.is_empty() {
        // SAFETY: the linker says where they are. We run in an execution or before all of them.
        unsafe { modules::add(ptr::with_exposed_provenance(counters.start), place(counters.start), counters.len()) };
    }
}

/// How many counters libFuzzer gets as they are reached.
pub(super) fn count() -> usize {
    if crate::switches::Switch::LazyCounters.is_on() { stop() - start() } else { 0 }
}

/// Which counters libFuzzer looks at.
#[derive(Debug, Default)]
pub(super) struct Counters {
    shown: Vec<Range<usize>>,
    /// The others. All of them are zero whenever libFuzzer looks.
    hidden: Vec<Range<usize>>,
    /// How many of these make a block.
    block: usize,
    /// Whether libFuzzer has looked at an execution.
    has_looked: bool,
    aside: Vec<u8>,
}

impl Counters {
    /// Before the first execution. All are shown from then on, or those that are reached, but never those of one function, `ours`: what leads to the target and back is
    /// no coverage of it, and libFuzzer spends hundreds of instructions on each edge that was taken.
    pub(super) fn new(shows_all: bool, ours: usize) -> Counters {
        let (given, stop) = (after_first_function(), stop());
        let block = block(stop - given);
        let blocks = given.next_multiple_of(block)..stop / block * block;
        let mut counters = Counters { block, ..Counters::default() };
        counters.shown.push(start()..given);
        if given == start() {
            // What the compiler's constructor gave, if anything.
            counters.shown.push(start()..dwindle_counters[1]);
        } else if shows_all || blocks.is_empty() {
            counters.give(given..stop);
        } else {
            counters.give(given..blocks.start);
            counters.give(blocks.end..stop);
            let ours = function(ours).unwrap_or(blocks.end..blocks.end);
            let theirs = ours.start / block * block..ours.end.next_multiple_of(block);
            if blocks.start <= theirs.start && theirs.end <= blocks.end {
                counters.give(theirs.start..ours.start);
                counters.give(ours.end..theirs.end);
                counters.hidden.extend([blocks.start..theirs.start, theirs.end..blocks.end]);
                counters.hidden.retain(|run| !run.is_empty());
            } else {
                counters.hidden.push(blocks);
            }
        }
        counters
    }

    /// Before an execution. What was done before the first one is not its doing.
    #[inline]
    pub(super) fn begin(&mut self) {
        if !self.has_looked {
            self.clear();
        }
    }

    /// After an execution. Shows libFuzzer what is set for the first time, if it will look.
    #[inline]
    pub(super) fn end(&mut self, will_look: bool) {
        if self.hidden.iter().any(is_any_set) {
            if will_look {
                self.unseen(Self::show);
            } else {
                self.clear_hidden();
            }
        }
        self.has_looked |= will_look;
    }

    fn show(&mut self) {
        let size = self.block;
        let blocks = self.hidden.iter().flat_map(|run| run.clone().step_by(size)).map(|block| block..block + size);
        let (set, unset): (Vec<_>, Vec<_>) = blocks.partition(is_any_set);
        if self.has_looked {
            // SAFETY: we run in an execution.
            unsafe { modules::leave_room() };
        }
        for run in joined(set) {
            self.give(run);
        }
        self.hidden = joined(unset);
    }

    fn give(&mut self, counters: Range<usize>) {
        if !counters.is_empty() {
            give(counters.clone());
            self.shown.push(counters);
        }
    }

    /// Puts all to zero, as they are before an execution.
    pub(super) fn clear(&mut self) {
        self.shown.iter().for_each(clear);
        self.clear_hidden();
    }

    /// Puts those to zero that libFuzzer does not look at: it does so itself with the others before each execution.
    pub(super) fn forget(&self) {
        if self.hidden.iter().any(is_any_set) {
            self.clear_hidden();
        }
    }

    fn clear_hidden(&self) {
        self.hidden.iter().for_each(clear);
    }

    /// Does something that libFuzzer shall not see. What leads here it sees, so that should be the same from the first execution on.
    #[cold]
    pub(super) fn unseen(&mut self, act: impl FnOnce(&mut Counters)) {
        let known = self.shown.len();
        let mut aside = std::mem::take(&mut self.aside);
        aside.resize(self.shown.iter().map(Range::len).sum(), 0);
        let mut at = 0;
        for run in &self.shown {
            // SAFETY: the linker says where the counters are, and there is room for them; to copy a few that change meanwhile does no harm.
            unsafe { ptr::with_exposed_provenance::<u8>(run.start).copy_to_nonoverlapping(aside[at..].as_mut_ptr(), run.len()) };
            at += run.len();
        }
        act(self);
        at = 0;
        for run in &self.shown[..known] {
            // SAFETY: as above.
            unsafe { aside[at..].as_ptr().copy_to_nonoverlapping(ptr::with_exposed_provenance_mut(run.start), run.len()) };
            at += run.len();
        }
        self.aside = aside;
        self.clear_hidden();
    }
}

/// How many counters make a block if there are so many in all.
fn block(counters: usize) -> usize {
    counters.div_ceil(BLOCKS_MAX).next_power_of_two().max(BLOCK)
}

fn clear(run: &Range<usize>) {
    // SAFETY: the linker says where the counters are; to clear a few that change meanwhile does no harm.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(run.start).write_bytes(0, run.len()) };
}

/// Runs of blocks that stand in order, each as long as it can be.
fn joined(blocks: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for block in blocks {
        match runs.last_mut() {
            Some(last) if last.end == block.start => last.end = block.end,
            _ => runs.push(block),
        }
    }
    runs
}

/// Whether any counter of some blocks is set. Not in Rust: the compiler would count edges and comparisons here too.
#[cfg(target_arch = "x86_64")]
fn is_any_set(blocks: &Range<usize>) -> bool {
    let any: u32;
    // SAFETY: reads the blocks, of which there is at least one, 64 bytes at a time from an address that is a multiple of that. SSE2 is part of every x86-64.
    unsafe {
        std::arch::asm!(
            "pxor {zero}, {zero}",
            "pxor {sum}, {sum}",
            "2:",
            "por {sum}, [{at}]",
            "por {sum}, [{at} + 16]",
            "por {sum}, [{at} + 32]",
            "por {sum}, [{at} + 48]",
            "por {sum}, [{at} + 64]",
            "por {sum}, [{at} + 80]",
            "por {sum}, [{at} + 96]",
            "por {sum}, [{at} + 112]",
            "sub {at}, -128",
            "cmp {at}, {end}",
            "jb 2b",
            "pcmpeqb {sum}, {zero}",
            "pmovmskb {any:e}, {sum}",
            zero = out(xmm_reg) _,
            sum = out(xmm_reg) _,
            at = inout(reg) blocks.start => _,
            end = in(reg) blocks.end,
            any = out(reg) any,
            options(nostack, readonly),
        );
    }
    any != 0xffff
}

/// Whether any counter of some blocks is set.
#[cfg(not(target_arch = "x86_64"))]
fn is_any_set(blocks: &Range<usize>) -> bool {
    // SAFETY: the linker says where the counters are.
    let words: &[u128] = unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance(blocks.start), blocks.len() / size_of::<u128>()) };
    words.iter().fold(0, |sum, word| sum | word) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(128))]
    struct Blocks([u8; 4 * BLOCK]);

    #[test]
    fn a_counter_is_seen_wherever_it_is_set() {
        let mut blocks = Blocks([0; 4 * BLOCK]);
        let range = |blocks: &Blocks, from: usize, to: usize| {
            let start = blocks.0.as_ptr().expose_provenance();
            start + from * BLOCK..start + to * BLOCK
        };
        for at in 0..blocks.0.len() {
            blocks.0[at] = 1 << (at % 8);
            let block = at / BLOCK;
            assert!(is_any_set(&range(&blocks, 0, 4)) && is_any_set(&range(&blocks, block, block + 1)), "{at}");
            assert!((0..4).filter(|other| *other != block).all(|other| !is_any_set(&range(&blocks, other, other + 1))), "{at}");
            clear(&range(&blocks, 0, 4));
            assert!(!is_any_set(&range(&blocks, 0, 4)));
        }
    }

    #[test]
    fn there_are_not_too_many_blocks() {
        for counters in [0, 1, 128, 128 * 1024, 128 * 1024 + 1, 10_000_000] {
            let block = block(counters);
            assert!(block.is_power_of_two() && block >= BLOCK && counters / block <= BLOCKS_MAX, "{counters}");
        }
    }

    #[test]
    fn blocks_that_touch_are_one_run() {
        assert_eq!(joined(vec![0..256, 256..512, 768..1024]), [0..512, 768..1024]);
    }
}
