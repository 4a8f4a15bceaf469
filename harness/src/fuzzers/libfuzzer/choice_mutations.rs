//! Mutations of choices, beside libFuzzer's own mutations of bytes.
//!
//! libFuzzer asks a custom mutator for each input. dwindle's makes at least half of all mutants
//! with libFuzzer's own mutations. Where the whole input is a list of bytes, half of these see the
//! bytes side by side. The other mutants come from the operators of the engine
//! (`engine/src/mutation`), which change whole choices and spans of a corpus input. For this, the
//! fuzzer runs the input with a record, in the second row for which it chooses an operator.
//!
//! libFuzzer mutates one corpus input several times in a row, each time the result of the last
//! mutation. It stops early when a result brings new coverage. So the fuzzer knows which mutations
//! the corpus kept, except the last one of a full row.
//!
//! Relies on libFuzzer: a row has five mutations, or as many as `-mutate_depth` says. The test is
//! `choices_are_mutated` in `xtask/tests/end_to_end/libfuzzer.rs`.

use std::collections::HashMap;
use std::ffi::c_uint;
use std::sync::Arc;

use dwindle_engine::internals::mutation::{Arm, Constants, Lent, Mutator, Parent, Word};

use super::constants::{Constant, MUTATIONS, MUTATIONS_OF_PART, Random, Useful, put};
use super::energy::{Energy, LATE};
use super::link::Link;
use super::short_rows::ShortRows;
use crate::switches::{self, Switch};

/// The parts of corpus inputs take at most about this many bytes of memory.
const SIZE_MAX: usize = 8 << 20;

/// The fuzzer, which runs inputs.
pub(super) trait Runs {
    /// Whether the last execution had new coverage, if libFuzzer kept its input.
    fn is_new(&mut self) -> bool;

    /// The parts of an input that has passed before. `None` if it has none, or if this target's
    /// choices cannot be mutated.
    fn record(&mut self, input: &[u8]) -> Option<Parent>;

    /// Where the supervisor publishes the constants of the target.
    fn link(&self) -> Link;

    /// Whether the next execution runs a random case in place of its input.
    fn plans_random_case(&mut self, seed: c_uint) -> bool;
}

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
    /// `None` if the switch is off.
    energy: Option<Energy>,
    /// The corpus input of this row, and its hash.
    base: Vec<u8>,
    base_hash: u64,
    /// Its parts, if an operator has asked for them and it has any.
    parent: Option<Arc<Parent>>,
    has_asked: bool,
    /// The last result, and which arm made it. `None` if no arm did.
    result: Vec<u8>,
    arm: Option<Arm>,
    /// The constant or word that the last mutation put in.
    constant: Option<Constant>,
    useful: Useful,
    /// How many mutations this row has had.
    depth: u32,
    /// How many mutations a full row has.
    depth_max: u32,
    /// `None` if no rows are short.
    short_rows: Option<ShortRows>,
    /// How many bytes an input of this row may have, if the row is short.
    limit: Option<usize>,
}

impl ChoiceMutations {
    pub(super) fn new(depth_max: u32, has_short_rows: bool) -> ChoiceMutations {
        ChoiceMutations {
            mutator: Mutator::without(&switches::operators_off()),
            parents: HashMap::new(),
            size: 0,
            energy: Switch::Energy.is_on().then(|| Energy::new(LATE)),
            base: Vec::new(),
            base_hash: 0,
            parent: None,
            has_asked: false,
            result: Vec::new(),
            arm: None,
            constant: None,
            useful: Useful::default(),
            depth: 0,
            depth_max,
            limit: None,
            short_rows: (has_short_rows && Switch::ShortRows.is_on()).then(ShortRows::new),
        }
    }

    /// Learns from the last mutation, and begins a new row if libFuzzer has. `is_new` says whether
    /// the last execution had new coverage, if libFuzzer kept its input.
    ///
    /// The buffer is as in [`mutate`](ChoiceMutations::mutate). Returns the size of the input to
    /// mutate, which may be a faster one than libFuzzer's.
    fn follow(
        &mut self,
        (data, size, max): (&mut [u8], usize, usize),
        random: u32,
        is_new: impl FnOnce() -> bool,
    ) -> usize {
        let time = self.energy.as_mut().and_then(Energy::end);
        let goes_on = self.depth < self.depth_max && data[..size] == self.result[..];
        if self.depth > 0 && self.depth < self.depth_max {
            let is_kept = !goes_on && is_new();
            if let Some(arm) = self.arm {
                self.mutator.learn(arm, is_kept);
            }
            if is_kept && let Some(rows) = &mut self.short_rows {
                rows.new_coverage();
            }
            if is_kept && let Some(constant) = self.constant {
                self.useful.add(constant);
            }
            if is_kept && let (Some(energy), Some(time)) = (&mut self.energy, time) {
                energy.add(hash(&self.result), time);
            }
        }
        self.depth += 1;
        if goes_on { size } else { self.begin_row((data, size, max), random) }
    }

    fn begin_row(
        &mut self,
        (data, mut size, max): (&mut [u8], usize, usize),
        random: u32,
    ) -> usize {
        self.limit = self.short_rows.as_mut().and_then(|rows| rows.limit(random));
        size = self.limit.map_or(size, |limit| limit.min(size));
        let mut chosen = hash(&data[..size]);
        if let Some(energy) = &mut self.energy {
            energy.end_row(self.base_hash);
            if self.limit.is_none()
                && let Some(faster) = energy.faster(&data[..size], chosen, random)
                && faster.len() <= max
            {
                size = faster.len();
                data[..size].copy_from_slice(faster);
                chosen = hash(faster);
            }
        }
        self.base.clear();
        self.base.extend_from_slice(&data[..size]);
        self.base_hash = chosen;
        (self.parent, self.has_asked) = (None, false);
        self.depth = 1;
        size
    }

    /// The parts of the corpus input of this row. `record` runs it with a record.
    fn parent(&mut self, record: impl FnOnce(&[u8]) -> Option<Parent>) -> Option<Arc<Parent>> {
        if !self.has_asked {
            self.has_asked = true;
            self.parent = self.found(record);
        }
        self.parent.clone()
    }

    /// The parts of the corpus input of this row, if they are known.
    fn known(&self) -> Option<&Parent> {
        match self.parents.get(&self.base_hash)? {
            Known::Parts(parent) => parent.as_deref(),
            Known::Once => None,
        }
    }

    fn found(&mut self, record: impl FnOnce(&[u8]) -> Option<Parent>) -> Option<Arc<Parent>> {
        let hash = self.base_hash;
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

    /// Makes the next input in `data`, a buffer of `max` bytes or more. Its first `size` bytes are
    /// the input to mutate. Returns the size of the result.
    pub(super) fn mutate(
        &mut self,
        fuzzer: &mut impl Runs,
        (data, size, max): (&mut [u8], usize, usize),
        seed: c_uint,
    ) -> usize {
        let size = self.follow((data, size, max), seed, || fuzzer.is_new());
        let (arm, size) = if fuzzer.plans_random_case(seed) {
            self.constant = None;
            (None, size)
        } else {
            let (arm, size) = self.mutant(fuzzer, (data, size, max), seed);
            (Some(arm), size)
        };
        self.arm = arm;
        self.result.clear();
        self.result.extend_from_slice(&data[..size]);
        // The time of a random case is not that of a mutant.
        if let Some(energy) = &mut self.energy
            && arm.is_some()
        {
            energy.begin();
        }
        size
    }

    /// Makes a mutant. Returns which arm made it, and its size.
    fn mutant(
        &mut self,
        fuzzer: &mut impl Runs,
        (data, size, max): (&mut [u8], usize, usize),
        seed: c_uint,
    ) -> (Arm, usize) {
        let max = self.limit.map_or(max, |limit| limit.min(max));
        let arm = self.mutator.choose(u64::from(seed));
        let mut random = Random::new(seed);
        let parent = arm.and_then(|_| self.parent(|input| fuzzer.record(input)));
        let (mut was_put, link) = (None, fuzzer.link());
        let mut typed =
            Typed { random: Random::new(!seed), link, useful: &self.useful, last: None };
        let mut bytewise = |(data, size, max): (&mut [u8], usize, usize), mutations| {
            let constant = random.constant(mutations, link, &self.useful);
            let put = constant.and_then(|constant| put(constant, &mut random, (data, size, max)));
            if put.is_some() {
                was_put = constant;
            }
            put.unwrap_or_else(|| libfuzzer_sys::fuzzer_mutate(data, size, max))
        };
        let mut in_vec = |bytes: &mut Vec<u8>, max: usize, mutations| {
            let max = max.max(1);
            let size = bytes.len().min(max);
            bytes.resize(max, 0);
            let size = bytewise((bytes, size, max), mutations);
            bytes.truncate(size);
        };
        let made = arm.zip(parent).and_then(|(operator, parent)| {
            let mut of_part = |bytes: &mut Vec<u8>, max| in_vec(bytes, max, MUTATIONS_OF_PART);
            let lent = Lent { bytewise: &mut of_part, constants: &mut typed };
            self.mutator.mutate(operator, &parent, lent, max)
        });
        let arm = if made.is_some() { arm } else { None };
        let made = made.or_else(|| {
            let mut of_list = |bytes: &mut Vec<u8>, max| in_vec(bytes, max, MUTATIONS);
            // As written, one change may shift or cut the rest, which reaches other code.
            let parent = self.known().filter(|_| seed.is_multiple_of(2))?;
            parent.mutated_list(&data[..size], max, &mut of_list)
        });
        let size = match made {
            Some(bytes) => {
                data[..bytes.len()].copy_from_slice(&bytes);
                bytes.len()
            }
            None => bytewise((data, size, max), MUTATIONS),
        };
        self.constant = typed.last.or(was_put);
        (arm, size)
    }
}

/// The constants for parts of their type.
struct Typed<'a> {
    random: Random,
    link: Link,
    useful: &'a Useful,
    /// The last one that an operator got.
    last: Option<Constant>,
}

impl Constants for Typed<'_> {
    fn number(&mut self) -> Option<u16> {
        let number = self.random.any_number(self.link, self.useful);
        self.last = number.map(Constant::Number);
        number
    }

    fn word(&mut self) -> Option<Word> {
        let word = self.random.any_word(self.link, self.useful);
        self.last = word.map(Constant::Word);
        word
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_begins_with_a_faster_input_in_place_of_a_slow_one() {
        let mut mutations = ChoiceMutations::new(5, false);
        let mut energy = Energy::new(0);
        energy.add(hash(b"fast"), 1.0);
        energy.add(hash(b"slow input"), 1e6);
        mutations.energy = Some(energy);
        let mut row = |input: &[u8], max: usize, random: u32| {
            let mut buffer = [0; 16];
            buffer[..input.len()].copy_from_slice(input);
            let size = mutations.begin_row((&mut buffer, input.len(), max), random);
            (buffer[..size].to_vec(), mutations.base.clone())
        };
        // Until there are enough earlier choices, libFuzzer's stay.
        for random in 0..32 {
            assert_eq!(row(b"fast", 16, random).0, b"fast");
        }
        let faster: Vec<bool> =
            (0..100).map(|random| row(b"slow input", 16, random) == row(b"fast", 16, 0)).collect();
        assert!(faster.iter().filter(|is_faster| **is_faster).count() > 90, "{faster:?}");
        let kept = row(b"slow input", 3, 1);
        assert_eq!(kept.0, b"slow input", "a faster input has to fit");
    }

    #[test]
    fn a_short_row_begins_with_the_front_of_the_input() {
        let input: Vec<u8> = (0..100).collect();
        let mut mutations = ChoiceMutations::new(5, true);
        let mut sizes: Vec<usize> = (0..1000)
            .map(|random| {
                let mut buffer = input.clone();
                let size = mutations.begin_row((&mut buffer, input.len(), 4096), random);
                assert!(buffer == input && mutations.base == input[..size]);
                assert_eq!(mutations.limit.unwrap_or(input.len()), size);
                size
            })
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        assert_eq!(sizes, [4, 8, 16, 32, 64, 100]);
    }
}
