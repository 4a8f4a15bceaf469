//! The edges of scores, in the map where AFL++ counts edges.
//!
//! AFL++ supports scores too, but only in a target compiled with `AFL_LLVM_IJON`.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use dwindle_engine::internals::Label;

use super::runtime;
use crate::fuzzers::scores::{EDGES, Edge, edge};
use crate::switches::Switch;

/// The numbers of the edges of scores, which the runtime gives them before `main`.
pub(super) static GUARDS: [AtomicU32; EDGES] = [const { AtomicU32::new(0) }; EDGES];

/// Records a score of the current execution. If the execution is rejected or fails, the child
/// erases its whole map.
pub(super) fn tell(label: Label, score: f64) {
    if !Switch::Scores.is_on() {
        return;
    }
    let Edge { number, count } = edge(label, score);
    runtime::take_edge(GUARDS[number].load(Relaxed), count);
}
