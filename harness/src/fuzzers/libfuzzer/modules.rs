//! Tables of counters that libFuzzer looks through after each execution, and clears before the next.
//!
//! It takes them as those of libraries that are loaded in the midst of a run: each with as many places of code, and numbered behind those that it has.

use std::sync::atomic::AtomicU8;

// What it takes them with: weak, since test binaries have no libFuzzer.
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
    counters: Option<Register<u8>>,
    places: Option<Register<Place>>,
}

unsafe extern "C" {
    safe static dwindle_register: Registers;
}

/// The address of an instruction and whether a function begins there.
pub(super) type Place = [usize; 2];

/// Gives libFuzzer a table that is new to it.
///
/// # Safety
/// `count` counters and places are there as long as the process, and libFuzzer is between two looks at its counters.
pub(super) unsafe fn add(counters: *const u8, places: *const Place, count: usize) {
    if let (Some(take_counters), Some(take_places)) = (dwindle_register.counters, dwindle_register.places) {
        // SAFETY: as promised by the caller.
        unsafe {
            take_counters(counters, counters.add(count));
            take_places(places, places.add(count));
        }
    }
}

/// How deep the stack was is a feature too: its numbers, of so many counters, are those behind all tables. A table that comes after an execution begins with as many that
/// are never set, or some of its own would be taken for known.
pub(super) const ROOM: usize = 64;

static NOTHING: [AtomicU8; ROOM] = [const { AtomicU8::new(0) }; ROOM];
static NOWHERE: [Place; ROOM] = nowhere();

/// Keeps the room free for a table that does not itself begin with it.
///
/// # Safety
/// libFuzzer is between two looks at its counters.
pub(super) unsafe fn leave_room() {
    // SAFETY: both tables have this length, and the counters may be cleared.
    unsafe { add(NOTHING.as_ptr().cast(), NOWHERE.as_ptr(), ROOM) };
}

/// Places that are none of any code. libFuzzer wants a function to begin at the first one.
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
