//! Makes the inputs of some rows short. A row is the mutants that libFuzzer makes of one input, one
//! after the other.
//!
//! dwindle sets `-len_control=0`, because most first bugs need long inputs. But some bugs need a
//! short one, and short inputs run faster. So in some rows, the input is cut to a limit before it
//! is mutated, and its mutants grow no longer. An input that covers the same with fewer bytes takes
//! the place of a longer one in libFuzzer's corpus (`-reduce_inputs`). So the corpus gets short
//! inputs too.
//!
//! At first, half of the rows are short, with random limits. Later, more code is covered with short
//! inputs: a mutation of them more often changes what matters. Then three of four rows are short.
//! Half of these have a limit that grows while nothing new comes, by the rule of libFuzzer's
//! `-len_control=100`. When all is covered, this limit is long. The random limits stay short, so
//! that many inputs still run.
//!
//! The switch is `short-rows`. Rows are made in `choice_mutations.rs`, so without that switch there
//! are no short ones either.

/// The random limits in bytes. The one that grows begins as the first one.
const LIMITS: [usize; 5] = [4, 8, 16, 32, 64];
/// A run is late after this many rows.
const LATE: u32 = 2_000;
/// The limit grows after this many rows with it and without anything new, for each doubling of it.
const PATIENCE: u32 = 20;
/// The limit grows up to this size.
const LIMIT_MAX: usize = 1 << 20;

/// The limits of the rows.
pub(super) struct ShortRows {
    rows: u32,
    /// The limit that grows.
    limit: usize,
    /// Rows with the limit that grows, since something new came.
    quiet: u32,
}

impl ShortRows {
    pub(super) fn new() -> ShortRows {
        ShortRows { rows: 0, limit: LIMITS[0], quiet: 0 }
    }

    /// How many bytes the inputs of the next row may have. `random` decides.
    pub(super) fn limit(&mut self, random: u32) -> Option<usize> {
        let random = random.wrapping_mul(0x9E37_79B9) >> 8;
        self.rows = self.rows.saturating_add(1);
        // How many rows of eight have a random limit, and how many the limit that grows.
        let (fixed, growing) = if self.rows <= LATE { (4, 0) } else { (3, 3) };
        let eighth = random % 8;
        if eighth < fixed {
            return Some(LIMITS[(random / 8) as usize % LIMITS.len()]);
        }
        if eighth >= fixed + growing {
            return None;
        }
        self.quiet += 1;
        if self.quiet > PATIENCE * self.limit.ilog2() && self.limit < LIMIT_MAX {
            self.limit += self.limit.ilog2() as usize;
            self.quiet = 0;
        }
        Some(self.limit)
    }

    /// A mutant brought new coverage.
    pub(super) fn new_coverage(&mut self) {
        self.quiet = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_first_rows_is_short_with_each_limit() {
        let limits: Vec<_> = (0..20_000).map(|random| ShortRows::new().limit(random)).collect();
        let count = |limit| limits.iter().filter(|other| **other == limit).count();
        for limit in LIMITS {
            assert!((1_900..2_100).contains(&count(Some(limit))), "{limit}");
        }
        assert!((9_500..10_500).contains(&count(None)));
    }

    #[test]
    fn later_half_of_the_short_rows_have_a_limit_that_grows_while_nothing_new_comes() {
        let mut rows = ShortRows { rows: LATE, ..ShortRows::new() };
        let mut short = Vec::new();
        for random in 0..4_000 {
            short.extend(rows.limit(random));
            rows.new_coverage();
        }
        assert!((2_900..3_100).contains(&short.len()), "{}", short.len());
        assert!(short.iter().all(|limit| LIMITS.contains(limit)));
        let grown: Vec<usize> = (0..80_000)
            .filter_map(|random| rows.limit(random))
            .filter(|limit| !LIMITS.contains(limit))
            .collect();
        assert!((28_000..30_000).contains(&grown.len()), "{}", grown.len());
        assert!(grown.is_sorted() && grown.contains(&6), "the limit grows in small steps");
        assert!((500..2_000).contains(&grown[grown.len() - 1]), "{}", grown[grown.len() - 1]);
    }
}
