//! Makes the inputs of some rows short. A row is the mutants that libFuzzer makes of one input, one
//! after the other.
//!
//! dwindle sets `-len_control=0`, because most first bugs need long inputs. But some bugs need a
//! short one, and short inputs run faster. So in one row of two, the input is cut to a random
//! length before it is mutated, and its mutants grow no longer. An input that covers the same with
//! fewer bytes takes the place of a longer one in libFuzzer's corpus (`-reduce_inputs`). So the
//! corpus gets short inputs too. The switch is `short-rows`. Rows are made in
//! `choice_mutations.rs`, so without that switch there are no short ones either.

/// One row of this many is short.
const ROWS: u32 = 2;
/// The limits in bytes.
const LIMITS: [usize; 5] = [4, 8, 16, 32, 64];

/// How many bytes the inputs of the next row may have. `random` decides.
pub(super) fn limit(random: u32) -> Option<usize> {
    let random = random.wrapping_mul(0x9E37_79B9) >> 8;
    random.is_multiple_of(ROWS).then(|| LIMITS[(random / ROWS) as usize % LIMITS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_all_rows_is_short_with_each_limit() {
        let count = |limit| (0..20_000).filter(|random| super::limit(*random) == limit).count();
        for limit in LIMITS {
            assert!((1_900..2_100).contains(&count(Some(limit))), "{limit}");
        }
        assert!((9_500..10_500).contains(&count(None)));
    }
}
