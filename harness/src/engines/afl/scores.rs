//! Scores as coverage under AFL++: each score stands for an edge of its own, which an execution takes that tells it.
//!
//! The children that run the target know nothing of each other, so which edge it is depends on label and score alone: an input is kept whose score no input had
//! before. The idea of scores as coverage: IJON, Aschermann et al. 2020. AFL++'s own support for it wants a target compiled with `AFL_LLVM_IJON`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use dwindle_engine::Label;

use super::runtime;

/// How many edges scores share.
const EDGES: usize = 512;

/// How often an edge was taken: counts that AFL++ tells apart.
const COUNTS: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 128];

/// The bits of a score that count: its sign, its power of two, and the part of it by which a 64th of that can be told apart.
const BITS: u32 = 1 + 11 + 6;

/// Numbers of edges. They stand where those of the compiler do, so the run time numbers them with all others before `main`.
#[used]
#[unsafe(link_section = "__sancov_guards")]
static GUARDS: [AtomicU32; EDGES] = [const { AtomicU32::new(0) }; EDGES];

/// Takes a score of the execution that runs.
pub(super) fn tell(label: Label, score: f64) {
    let feature = feature(label, score);
    runtime::take_edge(GUARDS[feature % EDGES].load(Relaxed), COUNTS[feature / EDGES]);
}

/// Which of the edges, and how often, a score stands for. Large scores that lie less than a 64th apart may be one; two that have nothing in common seldom are.
fn feature(label: Label, score: f64) -> usize {
    let mut hasher = DefaultHasher::new();
    // -0.0 and 0.0 are one score.
    (label, (score + 0.0).to_bits() >> (u64::BITS - BITS)).hash(&mut hasher);
    (hasher.finish() % (EDGES * COUNTS.len()) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_whole_scores_and_labels_are_told_apart() {
        let (a, b) = (Label::of("a"), Label::of("b"));
        let features: std::collections::BTreeSet<usize> = (-64..=64).map(f64::from).map(|score| feature(a, score)).collect();
        // A few meet by chance.
        assert!(features.len() > 120, "{}", features.len());
        assert_ne!(feature(a, 1.0), feature(b, 1.0));
        assert_eq!(feature(a, 0.0), feature(a, -0.0));
        assert_eq!(feature(a, 1e9), feature(a, 1e9 + 1.0));
    }
}
