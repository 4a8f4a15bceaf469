//! Chooses which corpus input is mutated next, by the time that its mutants take.
//!
//! libFuzzer chooses corpus inputs by the rarity of what they cover. It does not look at how long
//! they run, so a few slow inputs can take most of the time. This file gives a slow input less
//! time: dwindle often mutates a faster input in its place, one that libFuzzer chose before. A slow
//! input gets at most about twice the time of a faster one. The switch is `energy`.
//!
//! It does so only late in a run. Fast inputs are short, and most first bugs need long ones. Later,
//! more executions of short inputs cover more.
//!
//! dwindle does not use libFuzzer's `-entropic_scale_per_exec_time`. That flag multiplies the
//! energy of older inputs and not that of new ones, so a new input gets almost no time.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How many of libFuzzer's earlier choices are kept.
const CHOICES: usize = 1 << 5;
/// A run is late after this many executions. A new fuzzer process counts again, because it knows no
/// times.
pub(super) const LATE: u32 = 10_000;
/// An input may take this many times as long as another one before it loses against it.
const SLOWER: f32 = 2.0;
/// Maximum number of inputs with a known time.
const TIMES_MAX: usize = 1 << 16;

/// The times of corpus inputs, and some that libFuzzer chose.
pub(super) struct Energy {
    /// Microseconds of an execution, by the hash of the corpus input that was mutated.
    times: HashMap<u64, f32>,
    choices: Vec<(f32, Vec<u8>)>,
    /// When the last input was made.
    made: Option<Instant>,
    /// The number of executions before the first replacement.
    before: u32,
    /// The number of executions in this row, and their time. A row is the mutants that libFuzzer
    /// makes of one input, one after the other.
    row: (u32, Duration),
}

impl Energy {
    /// `before` is the number of executions before the first replacement.
    pub(super) fn new(before: u32) -> Energy {
        Energy {
            times: HashMap::new(),
            choices: Vec::with_capacity(CHOICES),
            made: None,
            before,
            row: (0, Duration::ZERO),
        }
    }

    /// Called when an input was made: its execution begins.
    pub(super) fn begin(&mut self) {
        self.made = Some(Instant::now());
    }

    /// Called after the execution of the input that was made last. Returns its time in
    /// microseconds.
    pub(super) fn end(&mut self) -> Option<f32> {
        let time = self.made.take()?.elapsed();
        self.before = self.before.saturating_sub(1);
        self.row.0 += 1;
        self.row.1 += time;
        Some(micros(time))
    }

    /// The corpus has a new input, which took this time.
    pub(super) fn add(&mut self, input: u64, time: f32) {
        if self.times.len() >= TIMES_MAX {
            self.times.clear();
        }
        self.times.insert(input, time);
    }

    /// Called after the last mutant of this input.
    pub(super) fn end_row(&mut self, input: u64) {
        let (executions, time) = std::mem::take(&mut self.row);
        if executions == 0 {
            return;
        }
        let time = micros(time) / executions as f32;
        // The mean with the known time, so that one interrupted row does not exclude an input.
        let time = self.times.get(&input).map_or(time, |known| (known + time) / 2.0);
        self.add(input, time);
    }

    /// libFuzzer has chosen this input. If it is slow, returns an earlier choice to mutate in its
    /// place. `random` decides which one, and whether.
    pub(super) fn faster(&mut self, input: &[u8], hash: u64, random: u32) -> Option<&[u8]> {
        let time = *self.times.get(&hash)?;
        if self.choices.len() < CHOICES {
            self.choices.push((time, input.to_vec()));
            return None;
        }
        let random = random.wrapping_mul(0x9E37_79B9);
        let (other, bytes) = &mut self.choices[(random >> 27) as usize];
        let share = (random & 0xFFFF) as f32 / 65536.0;
        if self.before > 0 || share * time <= *other * SLOWER {
            *other = time;
            bytes.clear();
            bytes.extend_from_slice(input);
            return None;
        }
        Some(bytes)
    }
}

fn micros(time: Duration) -> f32 {
    time.as_secs_f32() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy(times: [f32; 2]) -> Energy {
        let mut energy = Energy::new(0);
        for (input, time) in times.into_iter().enumerate() {
            energy.add(input as u64, time);
        }
        for _ in 0..CHOICES {
            assert_eq!(energy.faster(b"first", 0, 0), None, "there are no choices yet");
        }
        energy
    }

    /// How often in 1000 choices of the second input the first one takes its place.
    fn replaced(times: [f32; 2]) -> usize {
        (0..1000)
            .filter(|random| {
                let mut energy = energy(times);
                energy.faster(b"second", 1, *random).is_some_and(|input| input == b"first")
            })
            .count()
    }

    #[test]
    fn a_slow_input_gets_about_the_time_of_a_faster_one() {
        let replaced = replaced([10.0, 200.0]);
        assert!((860..940).contains(&replaced), "{replaced}");
    }

    #[test]
    fn an_input_that_is_little_slower_keeps_its_place() {
        assert_eq!(replaced([10.0, 19.0]), 0);
        assert_eq!(replaced([10.0, 1.0]), 0);
    }

    #[test]
    fn a_slow_input_keeps_its_place_early_in_a_run() {
        let mut energy = Energy::new(2);
        energy.add(0, 10.0);
        energy.add(1, 200.0);
        let mut are_replaced = || {
            let mut of = |input: &[u8], hash| {
                (0..100).filter(|at| energy.faster(input, hash, *at).is_some()).count()
            };
            let replaced = (of(b"first", 0), of(b"second", 1));
            energy.begin();
            energy.end();
            replaced
        };
        assert_eq!([are_replaced(), are_replaced()], [(0, 0); 2]);
        let late = are_replaced();
        assert!(late.0 == 0 && late.1 > 50, "{late:?}");
    }

    #[test]
    fn an_input_of_unknown_time_keeps_its_place() {
        let mut energy = energy([1.0, 1000.0]);
        assert_eq!(energy.faster(b"third", 2, 7), None);
    }

    #[test]
    fn a_row_without_executions_says_nothing_of_its_input() {
        let mut energy = energy([1.0, 1.0]);
        assert_eq!(energy.end(), None);
        energy.end_row(2);
        energy.begin();
        assert!(energy.end().is_some());
        assert!(!energy.times.contains_key(&2));
        energy.end_row(2);
        assert!(energy.times.contains_key(&2));
    }
}
