//! Tables of counters that libFuzzer reads after each execution and clears before the next.
//!
//! libFuzzer treats them like the tables of libraries that are loaded during a run. Each has as
//! many places of code as counters, and its features are numbered after those that libFuzzer has.

use std::sync::atomic::AtomicU8;

use crate::isolation::counters::Place;

// The functions with which libFuzzer takes tables. They are weak because test binaries have no
// libFuzzer.
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

/// Both fields are `None` without libFuzzer.
#[repr(C)]
struct Registers {
    counters: Option<Register<u8>>,
    places: Option<Register<Place>>,
}

unsafe extern "C" {
    safe static dwindle_register: Registers;
}

/// Gives libFuzzer a table that is new to it.
///
/// # Safety
/// `count` counters and places exist as long as the process, and libFuzzer is not reading its
/// counters.
pub(super) unsafe fn add(counters: *const u8, places: *const Place, count: usize) {
    if let (Some(take_counters), Some(take_places)) =
        (dwindle_register.counters, dwindle_register.places)
    {
        // SAFETY: as promised by the caller.
        unsafe {
            take_counters(counters, counters.add(count));
            take_places(places, places.add(count));
        }
    }
}

/// Number of unused counters at the start of a table that comes after an execution.
///
/// The depth of the stack is a feature too. libFuzzer numbers its features after all tables, as if
/// it had this number of counters. Without this room, libFuzzer would take some counters of the new
/// table for known stack depths.
pub(super) const ROOM: usize = 64;

static NOTHING: [AtomicU8; ROOM] = [const { AtomicU8::new(0) }; ROOM];
static NOWHERE: [Place; ROOM] = nowhere();

/// Keeps the room free before a table that does not begin with it.
///
/// # Safety
/// libFuzzer is not reading its counters.
pub(super) unsafe fn leave_room() {
    // SAFETY: both tables have this length, and libFuzzer may clear the counters.
    unsafe { add(NOTHING.as_ptr().cast(), NOWHERE.as_ptr(), ROOM) };
}

/// Places that belong to no code. libFuzzer requires that a function begins at the first place.
pub(super) const fn nowhere<const COUNT: usize>() -> [Place; COUNT] {
    let mut places = [[0; 2]; COUNT];
    let mut at = 0;
    while at < COUNT {
        places[at][0] = at + 1;
        at += 1;
    }
    places[0][1] = 1;
    places
}
