//! The edges of scores, as counters that libFuzzer reads after each execution and clears before the next.
//!
//! They are given to libFuzzer at the first score, so a target that tells none pays nothing for them; extra counters (`__libfuzzer_extra_counters`) would be looked
//! through after every execution of every target.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8};

use dwindle_engine::Label;

use crate::engines::scores::{EDGES, Edge, edge};

// What libFuzzer takes modules with: weak, since test binaries have no libFuzzer.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak __sanitizer_cov_8bit_counters_init",
    ".weak __sanitizer_cov_pcs_init",
    ".globl dwindle_register",
    ".hidden dwindle_register",
    "dwindle_register:",
    ".quad __sanitizer_cov_8bit_counters_init",
    ".quad __sanitizer_cov_pcs_init",
    ".popsection",
);

type Register<T> = unsafe extern "C" fn(start: *const T, stop: *const T);

/// None where there is no libFuzzer.
#[repr(C)]
struct Registers {
    counters: Option<Register<AtomicU8>>,
    places: Option<Register<[usize; 2]>>,
}

unsafe extern "C" {
    safe static dwindle_register: Registers;
}

static COUNTERS: [AtomicU8; EDGES] = [const { AtomicU8::new(0) }; EDGES];

/// For each counter the address of an instruction and whether a function begins there: libFuzzer wants as many of them as there are counters.
static PLACES: [[usize; 2]; EDGES] = {
    let mut places = [[0; 2]; EDGES];
    let mut at = 0;
    while at < EDGES {
        // No place of any code.
        places[at][0] = at + 1;
        at += 1;
    }
    places
};

/// Whether libFuzzer knows the counters.
static IS_KNOWN: AtomicBool = AtomicBool::new(false);

/// Takes a score of the execution that runs. At counters of one that is rejected or fails libFuzzer does not look.
pub(super) fn tell(label: Label, score: f64) {
    if !IS_KNOWN.swap(true, Relaxed) {
        make_known();
    }
    let Edge { number, count } = edge(label, score);
    COUNTERS[number].store(count, Relaxed);
}

#[cold]
fn make_known() {
    if let (Some(counters), Some(places)) = (dwindle_register.counters, dwindle_register.places) {
        let (counted, places_of) = (COUNTERS.as_ptr_range(), PLACES.as_ptr_range());
        // SAFETY: libFuzzer takes modules at any time between two looks at its counters, as when a library is loaded; both tables last as long as the process.
        unsafe {
            counters(counted.start, counted.end);
            places(places_of.start, places_of.end);
        }
    }
}
