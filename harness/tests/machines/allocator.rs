//! An allocator of 64 units of memory: blocks must not overlap, and no unit may get lost.

use dwindle::prelude::*;

/// What is wrong with the allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    /// Free blocks are not joined with the one behind them.
    JoinsNothingBehind,
    /// A block grows over the one behind it.
    GrowsOverNeighbour,
    /// The units before an aligned block are lost.
    LosesPadding,
    /// Free blocks are not joined with the one before them.
    JoinsNothingBefore,
    /// A block that grows leaves the gap behind it as it was.
    KeepsTheGap,
}

const UNITS: usize = 64;

/// Free memory, as gaps in the order of their places.
struct Arena {
    gaps: Vec<Block>,
    bug: Option<Bug>,
}

/// Some units in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    start: usize,
    len: usize,
}

impl Block {
    fn end(self) -> usize {
        self.start + self.len
    }

    fn overlaps(self, other: Block) -> bool {
        self.start < other.end() && other.start < self.end()
    }
}

impl Arena {
    fn new(bug: Option<Bug>) -> Arena {
        Arena { gaps: vec![Block { start: 0, len: UNITS }], bug }
    }

    fn allocate(&mut self, len: usize, align: usize) -> Option<Block> {
        let fits = |gap: &Block| gap.start.next_multiple_of(align) + len <= gap.end();
        let found = self.gaps.iter().position(fits)?;
        let gap = self.gaps[found];
        let block = Block { start: gap.start.next_multiple_of(align), len };
        self.gaps.remove(found);
        let before = Block { start: gap.start, len: block.start - gap.start };
        let behind = Block { start: block.end(), len: gap.end() - block.end() };
        if behind.len > 0 {
            self.gaps.insert(found, behind);
        }
        if before.len > 0 && self.bug != Some(Bug::LosesPadding) {
            self.gaps.insert(found, before);
        }
        Some(block)
    }

    fn free(&mut self, block: Block) {
        let at =
            self.gaps.iter().position(|gap| gap.start > block.start).unwrap_or(self.gaps.len());
        self.gaps.insert(at, block);
        if self.bug != Some(Bug::JoinsNothingBehind) {
            self.join(at);
        }
        if at > 0 && self.bug != Some(Bug::JoinsNothingBefore) {
            self.join(at - 1);
        }
    }

    /// Joins the gap at `at` with the one behind it, if nothing is between them.
    fn join(&mut self, at: usize) {
        if let [gap, behind, ..] = self.gaps[at..]
            && gap.end() == behind.start
        {
            self.gaps[at].len += behind.len;
            self.gaps.remove(at + 1);
        }
    }

    fn grow(&mut self, block: &mut Block, by: usize) -> bool {
        let is_behind = |gap: &Block| gap.start == block.end() && gap.len >= by;
        if let Some(found) = self.gaps.iter().position(is_behind) {
            if self.bug != Some(Bug::KeepsTheGap) {
                self.gaps[found].start += by;
                self.gaps[found].len -= by;
            }
            self.gaps.retain(|gap| gap.len > 0);
        } else if self.bug != Some(Bug::GrowsOverNeighbour) || block.end() + by > UNITS {
            return false;
        }
        block.len += by;
        true
    }
}

/// The allocator and what it gave out.
pub(crate) struct Memory {
    arena: Arena,
    blocks: Pool<Block>,
}

impl Memory {
    pub(crate) fn new(bug: Option<Bug>) -> Memory {
        Memory { arena: Arena::new(bug), blocks: Pool::new("block") }
    }
}

#[dwindle::state_machine(name = "memory")]
impl Memory {
    #[rule(weight = 2)]
    fn allocate(
        &mut self,
        tc: &mut TestCase,
        #[generate(with = g::integers(1..=UNITS))] len: usize,
        #[generate(with = g::sampled_from([1, 2, 4, 8]))] align: usize,
    ) {
        if let Some(block) = self.arena.allocate(len, align) {
            assert_eq!(block.start % align, 0, "where the block begins");
            self.blocks.put(tc, block);
        }
    }

    #[rule]
    fn free(&mut self, #[from(blocks)] block: Block) {
        self.arena.free(block);
    }

    #[rule]
    fn grow(
        &mut self,
        #[from(blocks)] block: &mut Block,
        #[generate(with = g::integers(1..=16usize))] by: usize,
    ) {
        let before = *block;
        let grew = self.arena.grow(block, by);
        assert_eq!(
            block.len,
            before.len + if grew { by } else { 0 },
            "the length of a block that grows"
        );
    }

    #[invariant]
    fn blocks_are_apart(&self) {
        for (index, block) in self.blocks.iter().enumerate() {
            assert!(
                self.blocks.iter().skip(index + 1).all(|other| !block.overlaps(*other)),
                "{block:?} overlaps another block"
            );
        }
    }

    #[invariant]
    fn no_unit_is_lost(&self) {
        let free: usize = self.arena.gaps.iter().map(|gap| gap.len).sum();
        let used: usize = self.blocks.iter().map(|block| block.len).sum();
        assert_eq!(free + used, UNITS, "how many units there are");
    }

    #[invariant]
    fn gaps_are_joined(&self) {
        assert!(
            self.arena.gaps.windows(2).all(|two| two[0].end() < two[1].start),
            "two gaps touch"
        );
    }
}
