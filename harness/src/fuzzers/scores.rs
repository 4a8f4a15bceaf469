//! Scores as coverage: each score stands for an edge of its own, which an execution takes that tells it.
//!
//! Which edge depends on label and score alone, so processes that know nothing of each other agree on it: an input is kept whose score no input had before. The idea:
//! IJON, Aschermann et al. 2020.

use std::hash::{DefaultHasher, Hash, Hasher};

use dwindle_engine::Label;

/// How many edges scores share.
pub(crate) const EDGES: usize = 512;

/// How often an edge is taken: counts that libFuzzer and AFL++ tell apart.
const COUNTS: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 128];

/// The bits of a score that count: its sign, its power of two, and the part of it by which a 64th of that can be told apart.
const BITS: u32 = 1 + 11 + 6;

/// The number of an edge, less than [`EDGES`], and how often it is taken.
pub(crate) struct Edge {
    pub(crate) number: usize,
    pub(crate) count: u8,
}

/// What a score stands for. Large scores that lie less than a 64th apart may be one; two that have nothing in common seldom are.
pub(crate) fn edge(label: Label, score: f64) -> Edge {
    let mut hasher = DefaultHasher::new();
    // -0.0 and 0.0 are one score.
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
    fn small_whole_scores_and_labels_are_told_apart() {
        let edges: std::collections::BTreeSet<_> = (-64..=64).map(|score| of("a", f64::from(score))).collect();
        // A few meet by chance.
        assert!(edges.len() > 120, "{}", edges.len());
        assert_ne!(of("a", 1.0), of("b", 1.0));
        assert_eq!(of("a", 0.0), of("a", -0.0));
        assert_eq!(of("a", 1e9), of("a", 1e9 + 1.0));
    }
}
