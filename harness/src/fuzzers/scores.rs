//! Scores as coverage: each score is mapped to an edge, and an execution that reports the score
//! takes that edge.
//!
//! The edge depends only on the label and the score, so separate processes agree on it. The fuzzer
//! keeps an input with a score that no earlier input had. The idea comes from IJON, Aschermann et
//! al. 2020.

use std::hash::{DefaultHasher, Hash, Hasher};

use dwindle_engine::internals::Label;

/// How many edges all scores share.
pub(crate) const EDGES: usize = 512;

/// How often an edge is taken. libFuzzer and AFL++ put each of these counts in a different bucket.
const COUNTS: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 128];

/// How many bits of a score count: the sign, the power of two, and 6 bits of the fraction. The 6
/// bits distinguish steps of a 64th of that power of two.
const BITS: u32 = 1 + 11 + 6;

/// The number of an edge, less than [`EDGES`], and how often the edge is taken.
pub(crate) struct Edge {
    pub(crate) number: usize,
    pub(crate) count: u8,
}

/// Returns the edge of a score.
///
/// Large scores that differ by less than a 64th may share an edge. Unrelated scores seldom share
/// one.
pub(crate) fn edge(label: Label, score: f64) -> Edge {
    let mut hasher = DefaultHasher::new();
    // -0.0 and 0.0 are the same score.
    (label, (score + 0.0).to_bits() >> (u64::BITS - BITS)).hash(&mut hasher);
    let feature = (hasher.finish() % (EDGES * COUNTS.len()) as u64) as usize;
    Edge { number: feature % EDGES, count: COUNTS[feature / EDGES] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(label: &str, score: f64) -> (usize, u8) {
        let Edge { number, count } = edge(Label::of(label), score);
        (number, count)
    }

    #[test]
    fn small_whole_scores_and_labels_are_distinguished() {
        let edges: std::collections::BTreeSet<_> =
            (-64..=64).map(|score| of("a", f64::from(score))).collect();
        // A few scores share an edge by chance.
        assert!(edges.len() > 120, "{}", edges.len());
        assert_ne!(of("a", 1.0), of("b", 1.0));
        assert_eq!(of("a", 0.0), of("a", -0.0));
        assert_eq!(of("a", 1e9), of("a", 1e9 + 1.0));
    }
}
