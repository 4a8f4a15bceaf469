//! Blocks of counters: where they begin and end, and whether a counter of theirs is set.

use std::ops::Range;
use std::ptr;

/// Minimum number of counters in a block, a power of two. libFuzzer gets a whole block at once, and
/// a block begins at a multiple of its size.
const BLOCK: usize = 128;
/// Maximum number of blocks. libFuzzer takes 4,096 tables, and a block may need a second table for
/// the room before it.
const BLOCKS_MAX: usize = 1024;

/// The size of a block for this number of counters.
pub(super) fn block(counters: usize) -> usize {
    counters.div_ceil(BLOCKS_MAX).next_power_of_two().max(BLOCK)
}

pub(super) fn clear(run: &Range<usize>) {
    // SAFETY: the linker gives the addresses of the counters. A counter that changes meanwhile does
    // no harm.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(run.start).write_bytes(0, run.len()) };
}

/// Joins adjacent blocks into the longest possible runs. The blocks stand in order.
pub(super) fn joined(blocks: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for block in blocks {
        match runs.last_mut() {
            Some(last) if last.end == block.start => last.end = block.end,
            _ => runs.push(block),
        }
    }
    runs
}

/// The whole blocks in a run.
pub(super) fn whole(run: &Range<usize>, block: usize) -> Range<usize> {
    run.start.next_multiple_of(block)..run.end / block * block
}

/// Whether any counter of some blocks is set. This is assembler because the compiler would trace
/// edges and comparisons in Rust code too. Four sums, because each instruction would wait for the
/// last one with a single sum.
#[cfg(target_arch = "x86_64")]
pub(super) fn is_any_set(blocks: &Range<usize>) -> bool {
    let any: u32;
    // SAFETY: reads at least one block, 128 bytes at a time, from an address that is a multiple of
    // 128. SSE2 is part of every x86-64.
    unsafe {
        std::arch::asm!(
            "pxor {zero}, {zero}",
            "pxor {sum0}, {sum0}",
            "pxor {sum1}, {sum1}",
            "pxor {sum2}, {sum2}",
            "pxor {sum3}, {sum3}",
            "2:",
            "por {sum0}, [{at}]",
            "por {sum1}, [{at} + 16]",
            "por {sum2}, [{at} + 32]",
            "por {sum3}, [{at} + 48]",
            "por {sum0}, [{at} + 64]",
            "por {sum1}, [{at} + 80]",
            "por {sum2}, [{at} + 96]",
            "por {sum3}, [{at} + 112]",
            "sub {at}, -128",
            "cmp {at}, {end}",
            "jb 2b",
            "por {sum0}, {sum1}",
            "por {sum2}, {sum3}",
            "por {sum0}, {sum2}",
            "pcmpeqb {sum0}, {zero}",
            "pmovmskb {any:e}, {sum0}",
            zero = out(xmm_reg) _,
            sum0 = out(xmm_reg) _,
            sum1 = out(xmm_reg) _,
            sum2 = out(xmm_reg) _,
            sum3 = out(xmm_reg) _,
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
pub(super) fn is_any_set(blocks: &Range<usize>) -> bool {
    // SAFETY: the linker gives the addresses of the counters.
    let words: &[u128] = unsafe {
        std::slice::from_raw_parts(
            ptr::with_exposed_provenance(blocks.start),
            blocks.len() / size_of::<u128>(),
        )
    };
    words.iter().fold(0, |sum, word| sum | word) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(128))]
    struct Blocks([u8; 4 * BLOCK]);

    #[test]
    fn a_counter_is_found_wherever_it_is_set() {
        let mut blocks = Blocks([0; 4 * BLOCK]);
        let range = |blocks: &Blocks, from: usize, to: usize| {
            let start = blocks.0.as_ptr().expose_provenance();
            start + from * BLOCK..start + to * BLOCK
        };
        for at in 0..blocks.0.len() {
            blocks.0[at] = 1 << (at % 8);
            let block = at / BLOCK;
            assert!(
                is_any_set(&range(&blocks, 0, 4)) && is_any_set(&range(&blocks, block, block + 1)),
                "{at}"
            );
            assert!(
                (0..4).filter(|other| *other != block).all(|other| !is_any_set(&range(
                    &blocks,
                    other,
                    other + 1
                ))),
                "{at}"
            );
            clear(&range(&blocks, 0, 4));
            assert!(!is_any_set(&range(&blocks, 0, 4)));
        }
    }

    #[test]
    fn there_are_not_too_many_blocks() {
        for counters in [0, 1, 128, 128 * 1024, 128 * 1024 + 1, 10_000_000] {
            let block = block(counters);
            assert!(
                block.is_power_of_two() && block >= BLOCK && counters / block <= BLOCKS_MAX,
                "{counters}"
            );
        }
    }

    #[test]
    fn blocks_that_touch_are_one_run() {
        assert_eq!(joined(vec![0..256, 256..512, 768..1024]), [0..512, 768..1024]);
    }
}
