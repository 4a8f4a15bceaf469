//! The edges of scores, where AFL++ counts edges. AFL++'s own support for scores wants a target compiled with `AFL_LLVM_IJON`.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use dwindle_engine::Label;

use super::runtime;
use crate::fuzzers::scores::{EDGES, Edge, edge};
use crate::switches::Switch;

/// Numbers of edges. They stand where those of the compiler do, so the run time numbers them with all others before `main`.
#[used]
#[unsafe(link_section = "__sancov_guards")]
static GUARDS: [AtomicU32; EDGES] = [const { AtomicU32::new(0) }; EDGES];

/// Takes a score of the execution that runs. Of one that is rejected or fails, the whole map is forgotten.
pub(super) fn tell(label: Label, score: f64) {
    if !Switch::Scores.is_on() {
        return;
    }
    let Edge { number, count } = edge(label, score);
    runtime::take_edge(GUARDS[number].load(Relaxed), count);
}
