//! The edges of scores, as counters of libFuzzer.
//!
//! libFuzzer gets the counters at the first score, so a target without scores pays nothing for
//! them. libFuzzer would read extra counters (`__libfuzzer_extra_counters`) after every execution
//! of every target.
//!
//! Relies on libFuzzer: it takes a table during an execution and reads the table after that
//! execution; see `coverage.rs`. The switch is `scores`; without it `TestCase::target` changes
//! nothing. `xtask/tests/end_to_end/libfuzzer.rs` tests that scores are features.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8};

use dwindle_engine::internals::Label;

use super::modules::{self, ROOM};
use crate::fuzzers::scores::{EDGES, Edge, edge};
use crate::isolation::counters::Place;
use crate::switches::Switch;

static COUNTERS: [AtomicU8; ROOM + EDGES] = [const { AtomicU8::new(0) }; ROOM + EDGES];
static PLACES: [Place; ROOM + EDGES] = modules::nowhere();

/// Whether libFuzzer has the counters.
static ARE_ADDED: AtomicBool = AtomicBool::new(false);

/// Records a score of the current execution. If the execution is rejected or fails, libFuzzer does
/// not read its counters.
pub(super) fn tell(label: Label, score: f64) {
    if !Switch::Scores.is_on() {
        return;
    }
    if !ARE_ADDED.swap(true, Relaxed) {
        // SAFETY: both tables have this length, and libFuzzer reads no counters during an
        // execution.
        unsafe { modules::add(COUNTERS.as_ptr().cast(), PLACES.as_ptr(), COUNTERS.len()) };
    }
    let Edge { number, count } = edge(label, score);
    COUNTERS[ROOM + number].store(count, Relaxed);
}
