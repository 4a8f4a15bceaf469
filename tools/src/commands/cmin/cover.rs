//! Chooses inputs that together have the features of all.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// One input: its size, and what it reaches.
#[derive(Clone, Debug, Default)]
pub(super) struct CoveredInput {
    pub(super) bytes: u64,
    pub(super) features: Vec<u32>,
}

/// The inputs of a small set that has every feature, in ascending order, and the number of
/// features.
///
/// The set may not be the smallest possible one, but it needs each of its inputs. The choice is
/// greedy: the input with the most new features comes first. Of equal inputs the smaller comes
/// first, and of equally small ones the earlier.
pub(super) fn cover(inputs: &[CoveredInput]) -> (Vec<usize>, usize) {
    // How many chosen inputs have each feature.
    let mut times: HashMap<u32, u32> = HashMap::new();
    for feature in inputs.iter().flat_map(|input| &input.features) {
        times.insert(*feature, 0);
    }
    let gain = |input: &CoveredInput, times: &HashMap<u32, u32>| {
        input.features.iter().filter(|feature| times[feature] == 0).count()
    };
    let rank = |at: usize, gain: usize| (gain, Reverse(inputs[at].bytes), Reverse(at));
    let mut waiting: BinaryHeap<_> =
        inputs.iter().enumerate().map(|(at, input)| rank(at, input.features.len())).collect();
    let mut chosen = Vec::new();
    while let Some((_, _, Reverse(at))) = waiting.pop() {
        // The gain only shrinks, so an input that is still the best is the best of all.
        let now = rank(at, gain(&inputs[at], &times));
        if now.0 == 0 {
            continue;
        }
        if waiting.peek().is_some_and(|next| *next > now) {
            waiting.push(now);
            continue;
        }
        chosen.push(at);
        for feature in &inputs[at].features {
            times.entry(*feature).and_modify(|count| *count += 1);
        }
    }
    // Later inputs may have made an earlier one needless. The largest goes first.
    chosen.sort_by_key(|at| (Reverse(inputs[*at].bytes), *at));
    chosen.retain(|at| {
        let features = &inputs[*at].features;
        let is_needed = features.iter().any(|feature| times[feature] == 1);
        if !is_needed {
            for feature in features {
                times.entry(*feature).and_modify(|count| *count -= 1);
            }
        }
        is_needed
    });
    chosen.sort_unstable();
    (chosen, times.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle::prelude::*;
    use std::collections::BTreeSet;

    fn inputs(of: &[(u64, &[u32])]) -> Vec<CoveredInput> {
        of.iter()
            .map(|(bytes, features)| CoveredInput { bytes: *bytes, features: features.to_vec() })
            .collect()
    }

    #[test]
    fn one_input_that_reaches_all_is_enough() {
        let all = inputs(&[(1, &[1]), (2, &[1, 2]), (9, &[1, 2, 3]), (1, &[])]);
        assert_eq!(cover(&all), (vec![2], 3));
    }

    #[test]
    fn of_equal_inputs_the_smaller_then_the_earlier_stays() {
        assert_eq!(cover(&inputs(&[(2, &[1]), (1, &[1]), (1, &[1])])), (vec![1], 1));
    }

    #[test]
    fn an_input_that_later_ones_make_needless_goes() {
        // The greedy choice begins with the first, and then needs both others.
        let all = inputs(&[(4, &[1, 2, 3, 4]), (3, &[1, 2, 5]), (3, &[3, 4, 6])]);
        assert_eq!(cover(&all), (vec![1, 2], 6));
    }

    #[test]
    fn nothing_reached_needs_nothing() {
        assert_eq!(cover(&[]), (vec![], 0));
        assert_eq!(cover(&inputs(&[(3, &[])])), (vec![], 0));
    }

    #[dwindle::test(store = None, seed = 1)]
    fn the_set_has_every_feature_and_each_input_is_needed(
        #[generate(with = g::vec((g::integers(0..=9u64),
            g::btree_set(g::integers(0..=12u32)).len(..=6))).len(..=12))]
        drawn: Vec<(u64, BTreeSet<u32>)>,
    ) {
        let all: Vec<CoveredInput> = drawn
            .into_iter()
            .map(|(bytes, features)| CoveredInput {
                bytes,
                features: features.into_iter().collect(),
            })
            .collect();
        let union = |of: &mut dyn Iterator<Item = usize>| -> BTreeSet<u32> {
            of.flat_map(|at| all[at].features.clone()).collect()
        };
        let (chosen, features) = cover(&all);
        let every = union(&mut (0..all.len()));
        assert_eq!(union(&mut chosen.iter().copied()), every);
        assert_eq!(features, every.len());
        for left_out in &chosen {
            let rest = union(&mut chosen.iter().copied().filter(|at| at != left_out));
            assert!(rest.len() < every.len(), "{left_out} is not needed");
        }
    }
}
