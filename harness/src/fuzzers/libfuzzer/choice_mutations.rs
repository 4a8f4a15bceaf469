//! Mutations of choices, beside libFuzzer's own mutations of bytes.
//!
//! libFuzzer asks a custom mutator for each input. dwindle's makes at least half of all inputs with
//! libFuzzer's own mutations. The others come from the operators of the engine
//! (`engine/src/mutation`), which change whole choices and spans of a corpus input. For this, the
//! fuzzer runs each corpus input once with a record, when it first chooses an operator for it.
//!
//! libFuzzer mutates one corpus input several times in a row, each time the result of the last
//! mutation. It stops early when a result brings new coverage. So the fuzzer knows which mutations
//! the corpus kept, except the last one of a full row.
//!
//! Relies on libFuzzer:
//!
//! - `fuzzer::EF` points to its table of optional functions, which begins with
//!   `LLVMFuzzerInitialize` and `LLVMFuzzerCustomMutator`. It reads the second one after
//!   `LLVMFuzzerInitialize` has returned. A symbol of that name would change runs in passthrough.
//! - A row has five mutations, or as many as `-mutate_depth` says.
//!
//! The test is `choices_are_mutated` in `xtask/tests/end_to_end/libfuzzer.rs`. The switch is
//! `choice-mutations`.

use std::collections::HashMap;
use std::ffi::c_uint;
use std::slice;
use std::sync::Arc;

use dwindle_engine::internals::mutation::{Arm, Mutator, Parent};

use super::PURPOSE;
use super::Purpose;
use super::fuzzer::Fuzzer;
use crate::switches::Switch;

// The symbol is weak because test binaries have no libFuzzer.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak _ZN6fuzzer2EFE",
    ".globl dwindle_libfuzzer_functions",
    ".hidden dwindle_libfuzzer_functions",
    "dwindle_libfuzzer_functions: .quad _ZN6fuzzer2EFE",
    ".popsection",
);

type CustomMutator = extern "C" fn(*mut u8, usize, usize, c_uint) -> usize;

/// The first entries of libFuzzer's table.
#[repr(C)]
struct Functions {
    initialize: usize,
    custom_mutator: Option<CustomMutator>,
}

unsafe extern "C" {
    safe static dwindle_libfuzzer_functions: *mut *mut Functions;
    safe fn LLVMFuzzerInitialize();
}

/// Makes libFuzzer ask dwindle for each input. Returns whether it will: not if the switch is off,
/// the target has a mutator of its own, or the table is not as expected.
pub(super) fn install() -> bool {
    if !Switch::ChoiceMutations.is_on() || dwindle_libfuzzer_functions.is_null() {
        return false;
    }
    // SAFETY: libFuzzer made its table before it called `LLVMFuzzerInitialize`, which runs now.
    let functions = unsafe { (*dwindle_libfuzzer_functions).as_mut() };
    let Some(functions) = functions else { return false };
    let is_as_expected = functions.initialize == LLVMFuzzerInitialize as *const () as usize
        && functions.custom_mutator.is_none();
    if is_as_expected {
        functions.custom_mutator = Some(mutate);
    }
    is_as_expected
}

/// Makes the next input. libFuzzer gives a buffer of `max` bytes, the first `size` of which are the
/// input to mutate.
extern "C" fn mutate(data: *mut u8, size: usize, max: usize, seed: c_uint) -> usize {
    // SAFETY: libFuzzer's buffer has room for the larger of both sizes.
    let data = unsafe { slice::from_raw_parts_mut(data, size.max(max)) };
    if let Ok(mut purpose) = PURPOSE.try_lock()
        && let Some(Purpose::Fuzz(fuzzer)) = purpose.as_mut()
    {
        fuzzer.mutate(data, size, max, seed)
    } else {
        libfuzzer_sys::fuzzer_mutate(data, size, max)
    }
}

/// The parts of corpus inputs take at most about this many bytes of memory.
const SIZE_MAX: usize = 8 << 20;

/// What is known of a corpus input.
enum Known {
    /// An operator has asked for its parts once. libFuzzer soon replaces many inputs by smaller
    /// ones, so an input is run with a record when an operator asks again.
    Once,
    /// Its parts. `None` if it has none.
    Parts(Option<Arc<Parent>>),
}

/// What the fuzzer knows of the inputs that it mutates.
pub(super) struct ChoiceMutations {
    mutator: Mutator,
    /// Corpus inputs, by hash.
    parents: HashMap<u64, Known>,
    size: usize,
    /// The corpus input of this row.
    base: Vec<u8>,
    /// Its parts, once an operator has asked for them.
    parent: Option<Option<Arc<Parent>>>,
    /// The last result, and which arm made it.
    result: Vec<u8>,
    arm: Arm,
    /// How many mutations this row has had.
    depth: u32,
    /// How many mutations a full row has.
    depth_max: u32,
}

impl ChoiceMutations {
    pub(super) fn new(depth_max: u32) -> ChoiceMutations {
        ChoiceMutations {
            mutator: Mutator::default(),
            parents: HashMap::new(),
            size: 0,
            base: Vec::new(),
            parent: None,
            result: Vec::new(),
            arm: None,
            depth: 0,
            depth_max,
        }
    }

    /// Learns from the last mutation, and begins a new row if libFuzzer has. `is_new` says whether
    /// the last execution had new coverage, if libFuzzer kept its input.
    fn follow(&mut self, input: &[u8], is_new: impl FnOnce() -> bool) {
        let goes_on = self.depth < self.depth_max && *input == self.result[..];
        if self.depth > 0 && self.depth < self.depth_max {
            self.mutator.learn(self.arm, !goes_on && is_new());
        }
        if !goes_on {
            self.base.clear();
            self.base.extend_from_slice(input);
            self.parent = None;
            self.depth = 0;
        }
        self.depth += 1;
    }

    /// The parts of the corpus input of this row. `record` runs it with a record.
    fn parent(&mut self, record: impl FnOnce(&[u8]) -> Option<Parent>) -> Option<Arc<Parent>> {
        if let Some(known) = &self.parent {
            return known.clone();
        }
        let found = self.found(record);
        self.parent = Some(found.clone());
        found
    }

    fn found(&mut self, record: impl FnOnce(&[u8]) -> Option<Parent>) -> Option<Arc<Parent>> {
        let hash = hash(&self.base);
        match self.parents.get(&hash) {
            Some(Known::Parts(known)) => return known.clone(),
            Some(Known::Once) => {}
            None => {
                self.parents.insert(hash, Known::Once);
                return None;
            }
        }
        let parent = record(&self.base).map(Arc::new);
        if let Some(parent) = &parent {
            self.mutator.add(parent);
            self.size += parent.size();
        }
        if self.size > SIZE_MAX {
            // Inputs that are still in use come back.
            self.parents.clear();
            self.size = 0;
        }
        self.parents.insert(hash, Known::Parts(parent.clone()));
        parent
    }
}

impl Fuzzer {
    fn mutate(&mut self, data: &mut [u8], size: usize, max: usize, seed: c_uint) -> usize {
        let Some(mut mutations) = self.choice_mutations.take() else {
            return libfuzzer_sys::fuzzer_mutate(data, size, max);
        };
        mutations.follow(&data[..size], || self.is_new());
        let mut arm = mutations.mutator.choose(u64::from(seed));
        let mut made = None;
        if let Some(operator) = arm {
            let parent = mutations.parent(|input| self.record(input));
            made = parent
                .and_then(|parent| mutations.mutator.mutate(operator, &parent, &mut bytewise, max));
        }
        let size = match made {
            Some(bytes) => {
                data[..bytes.len()].copy_from_slice(&bytes);
                bytes.len()
            }
            None => {
                arm = None;
                libfuzzer_sys::fuzzer_mutate(data, size, max)
            }
        };
        mutations.arm = arm;
        mutations.result.clear();
        mutations.result.extend_from_slice(&data[..size]);
        self.choice_mutations = Some(mutations);
        self.has_mutated();
        size
    }

    /// Runs an input with a record, and takes its parts from it.
    fn record(&mut self, input: &[u8]) -> Option<Parent> {
        let trace = self.run_recorded(input)?;
        Parent::of(&trace)
    }
}

/// A hash of an input. It takes eight bytes at a time, because this code is instrumented.
fn hash(input: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = input.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mix = |hash: u64, word: &[u8; 8]| {
        (hash.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR)
    };
    let hash = words.iter().chain([&last]).fold(input.len() as u64, mix);
    hash ^ (hash >> 32)
}

fn bytewise(bytes: &mut Vec<u8>, max: usize) {
    let size = bytes.len();
    bytes.resize(max.max(1), 0);
    let size = libfuzzer_sys::fuzzer_mutate(bytes, size, max);
    bytes.truncate(size);
}
