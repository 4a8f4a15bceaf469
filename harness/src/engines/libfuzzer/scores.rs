//! Scores as coverage: an input whose score is the greatest yet sets a counter that no input has set before.
//!
//! The counters are given to libFuzzer at the first score, so a target that tells none pays nothing for them; extra counters (`__libfuzzer_extra_counters`) would be
//! looked through after every execution of every target. The idea of scores as coverage: IJON, Aschermann et al. 2020.

use std::cmp::Ordering;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::sync::{Mutex, PoisonError};

use dwindle_engine::Label;

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

/// How many bytes libFuzzer looks through for scores.
const COUNTERS: usize = 512;

/// Values of a counter that are different features to libFuzzer.
const LEVELS: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 128];

/// How many records there are counters for; the last ones share one.
const RECORDS_MAX: usize = COUNTERS * LEVELS.len();

static COUNTED: [AtomicU8; COUNTERS] = [const { AtomicU8::new(0) }; COUNTERS];

/// For each counter the address of an instruction and whether a function begins there: libFuzzer wants as many of them as there are counters.
static PLACES: [[usize; 2]; COUNTERS] = {
    let mut places = [[0; 2]; COUNTERS];
    let mut at = 0;
    while at < COUNTERS {
        // No place of any code.
        places[at][0] = at + 1;
        at += 1;
    }
    places
};

/// Whether this execution has told a score.
static TOLD: AtomicBool = AtomicBool::new(false);

static RECORDS: Mutex<Records> = Mutex::new(Records { is_known: false, of: Vec::new(), told: Vec::new(), count: 0 });

struct Records {
    /// Whether libFuzzer knows the counters.
    is_known: bool,
    of: Vec<Record>,
    /// What this execution told: the greatest of each label.
    told: Vec<(Label, f64)>,
    count: usize,
}

/// The greatest score of a label in an input that passed, and the number of its feature.
struct Record {
    label: Label,
    score: f64,
    number: usize,
}

/// Takes a score of the execution that runs.
pub(super) fn tell(label: Label, score: f64) {
    let mut records = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    match records.told.iter_mut().find(|(told, _)| *told == label) {
        Some((_, greatest)) => *greatest = greatest.max(score),
        None => records.told.push((label, score)),
    }
    TOLD.store(true, Relaxed);
}

/// Ends an execution. Only if the input `passed`, and libFuzzer may keep it, do its scores count.
#[inline]
pub(super) fn end(passed: bool) {
    if TOLD.load(Relaxed) {
        end_of_told(passed);
    }
}

#[cold]
fn end_of_told(passed: bool) {
    TOLD.store(false, Relaxed);
    let mut records = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    records.make_known();
    let told = std::mem::take(&mut records.told);
    if passed {
        for (label, score) in &told {
            if let Some(number) = records.number_of(*label, *score) {
                let number = number.min(RECORDS_MAX - 1);
                COUNTED[number % COUNTERS].fetch_max(LEVELS[number / COUNTERS], Relaxed);
            }
        }
    }
    records.told = told;
    records.told.clear();
}

impl Records {
    /// The feature of a score that is at least the greatest of its label.
    fn number_of(&mut self, label: Label, score: f64) -> Option<usize> {
        let next = self.count;
        let known = self.of.iter_mut().find(|record| record.label == label);
        let number = match known.map(|record| (record.score.total_cmp(&score), record)) {
            Some((Ordering::Greater, _)) => return None,
            Some((Ordering::Equal, record)) => return Some(record.number),
            Some((Ordering::Less, record)) => {
                (record.score, record.number) = (score, next);
                next
            }
            None => {
                self.of.push(Record { label, score, number: next });
                next
            }
        };
        self.count += 1;
        Some(number)
    }

    fn make_known(&mut self) {
        if self.is_known {
            return;
        }
        self.is_known = true;
        if let (Some(counters), Some(places)) = (dwindle_register.counters, dwindle_register.places) {
            let (counted, places_of) = (COUNTED.as_ptr_range(), PLACES.as_ptr_range());
            // SAFETY: libFuzzer takes modules at any time between two looks at its counters, as when a library is loaded; both tables last as long as the process.
            unsafe {
                counters(counted.start, counted.end);
                places(places_of.start, places_of.end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_score_that_is_the_greatest_yet_is_a_new_feature() {
        let mut records = Records { is_known: true, of: Vec::new(), told: Vec::new(), count: 0 };
        let (a, b) = (Label::of("a"), Label::of("b"));
        let told = [(a, 1.0), (a, 0.5), (b, 0.5), (a, 1.0), (a, 3.0), (b, 0.5), (a, 2.0), (b, f64::MAX)];
        let numbers = told.map(|(label, score)| records.number_of(label, score));
        assert_eq!(numbers, [Some(0), None, Some(1), Some(0), Some(2), Some(1), None, Some(3)]);
    }
}
