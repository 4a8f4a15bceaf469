//! The inputs around a minimized failure that the search for claims runs.

use dwindle_corpus::content_hash;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::sorted::sort_by_cached_key;
use dwindle_engine::internals::{Origin, Outcome, Trace};

/// The most bytes of all inputs that are kept.
const BYTES_MAX: usize = 4 << 20;

/// Inputs that fail like the minimized one, and inputs that pass.
pub(super) struct Neighbours<'a> {
    minimized: &'a [u8],
    failing: Vec<Vec<u8>>,
    passing: Vec<Vec<u8>>,
    bytes: usize,
}

impl<'a> Neighbours<'a> {
    pub(super) fn of(minimized: &'a [u8]) -> Neighbours<'a> {
        Neighbours { minimized, failing: vec![minimized.to_vec()], passing: Vec::new(), bytes: 0 }
    }

    /// The runner, as long as the inputs that it runs are kept. `origin` is that of the failure.
    pub(super) fn watch<'b>(
        &'b mut self,
        runner: &'b mut dyn Runner,
        origin: Origin,
    ) -> Watched<'a, 'b> {
        Watched { runner, origin, neighbours: self }
    }

    /// At most `max` failing inputs, the minimized one first. The others are spread over all that
    /// were run: the more they differ, the fewer lines do they have in common by chance.
    pub(super) fn failing(mut self, max: usize) -> (Vec<Vec<u8>>, Self) {
        let mut failing = std::mem::take(&mut self.failing);
        let mut others = failing.split_off(1);
        sort_by_cached_key(&mut others, |input| content_hash(input));
        failing.append(&mut others);
        failing.dedup();
        failing.truncate(max);
        (failing, self)
    }

    /// At most `max` passing inputs, nearest first.
    pub(super) fn passing(self, max: usize) -> Vec<Vec<u8>> {
        let (mut passing, minimized) = (self.passing, self.minimized);
        // Inputs of about the same distance are spread over all places that were varied.
        sort_by_cached_key(&mut passing, |input| {
            (distance(minimized, input).next_power_of_two(), content_hash(input))
        });
        passing.dedup();
        passing.truncate(max);
        passing
    }

    fn keep(&mut self, trace: &Trace, fails: bool) {
        let input = encode(&trace.choices);
        self.bytes += input.len();
        if self.bytes <= BYTES_MAX {
            if fails { &mut self.failing } else { &mut self.passing }.push(input);
        }
    }
}

/// How many bytes lie between the first and the last difference.
fn distance(one: &[u8], other: &[u8]) -> usize {
    let same = |pair: &(&u8, &u8)| pair.0 == pair.1;
    let before = one.iter().zip(other).take_while(same).count();
    let rest = one.iter().rev().zip(other.iter().rev());
    let behind = rest.take(one.len().min(other.len()) - before).take_while(same).count();
    one.len().max(other.len()) - before - behind
}

/// A runner that keeps what it runs.
pub(super) struct Watched<'a, 'b> {
    runner: &'b mut dyn Runner,
    origin: Origin,
    neighbours: &'b mut Neighbours<'a>,
}

impl Runner for Watched<'_, '_> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        // A random input is not near.
        let is_random = candidate.values.is_empty() && candidate.seed.is_some();
        let outcome = self.runner.run(candidate, choices_max, trace);
        match outcome {
            _ if is_random => {}
            Outcome::Failed(origin) if origin == self.origin => self.neighbours.keep(trace, true),
            Outcome::Passed => self.neighbours.keep(trace, false),
            _ => {}
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use dwindle_engine::internals::choice::Value;

    use super::*;

    #[test]
    fn the_distance_counts_the_bytes_between_the_differences() {
        for (one, other, bytes) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "axc", 1),
            ("abcd", "xbcx", 4),
            ("abc", "abbc", 1),
            ("aaa", "aa", 1),
            ("", "abc", 3),
        ] {
            assert_eq!(distance(one.as_bytes(), other.as_bytes()), bytes, "{one} {other}");
            assert_eq!(distance(other.as_bytes(), one.as_bytes()), bytes, "{other} {one}");
        }
    }

    /// A target that draws nothing and passes.
    struct Passes;

    impl Runner for Passes {
        fn run(&mut self, _: Candidate<'_>, _: usize, _: &mut Trace) -> Outcome {
            Outcome::Passed
        }
    }

    #[test]
    fn a_random_input_is_no_neighbour() {
        let mut neighbours = Neighbours::of(b"aaaa");
        let mut run = |values: &[Value], seed| {
            let mut passes = Passes;
            let mut runner = neighbours.watch(&mut passes, Origin(1));
            runner.run(Candidate { values, seed }, 1, &mut Trace::default());
            neighbours.passing.len()
        };
        assert_eq!(run(&[], Some(1)), 0);
        assert_eq!(run(&[], None), 1);
        assert_eq!(run(&[Value::Integer(1)], Some(1)), 2);
    }

    #[test]
    fn the_minimized_input_comes_first_and_near_inputs_that_pass_come_before_far_ones() {
        let mut neighbours = Neighbours::of(b"aaaa");
        neighbours.failing.extend((0..9_u8).map(|n| vec![n; 4]));
        neighbours.failing.push(vec![3; 4]);
        neighbours.passing.extend([&b"xxxxxxxxx"[..], b"aaab", b"baaa", b"aaab"].map(Vec::from));
        let (failing, neighbours) = neighbours.failing(8);
        assert_eq!((failing.len(), failing[0].as_slice()), (8, &b"aaaa"[..]));
        let mut passing = neighbours.passing(8);
        assert_eq!((passing.len(), passing[2].as_slice()), (3, &b"xxxxxxxxx"[..]));
        passing.sort();
        assert_eq!(passing[..2], [b"aaab".to_vec(), b"baaa".to_vec()]);
    }
}
