//! Random cases at the start of a run.
//!
//! A new run has an empty corpus, so there is little to mutate. A random case is a whole value at
//! once, with the sizes and the repeated values that often fail. So about every second execution
//! runs a random case in place of libFuzzer's input, until there were [`RANDOM_CASES`] in the run.
//! Each counts as one of libFuzzer's executions, and libFuzzer's time limit holds for it. libFuzzer
//! does not look at its coverage. The switch is `random-cases`. `choice_mutations.rs` plans the
//! cases, so without its switch there are none either.
//!
//! Measured: to add cases with new coverage to the corpus finds first bugs no sooner. Their
//! mutants are long.
//!
//! The supervisor gets each choice as bytes, so it has the input of a case that kills the fuzzer.
//! If libFuzzer has written its own input as the one that failed, the supervisor writes that of
//! the case in its place (`supervisor/deaths.rs`).

use dwindle_engine::TestCase;
use dwindle_engine::internals::choice::Choice;
use dwindle_engine::internals::codec::encode_choice;
use dwindle_engine::internals::{Explorer, Follower};

use super::link::Link;
use crate::execution::{InProcess, Run};
use crate::fuzzers::RANDOM_CASES;
use crate::isolation::death;
use crate::isolation::drawn::Keys;
use crate::switches::Switch;

/// What the fuzzer knows of random cases.
pub(super) struct RandomCases {
    link: Link,
    explorer: Explorer,
    /// How many cases the run has.
    cases: u32,
    /// The seed of the case that the next execution runs.
    planned: Option<u64>,
}

impl RandomCases {
    pub(super) fn new(link: Link) -> RandomCases {
        // The corpus has the best scores, so the explorer mutates none of its cases.
        let explorer = Explorer::new(0, u64::MAX);
        let cases = if Switch::RandomCases.is_on() { RANDOM_CASES } else { 0 };
        RandomCases { link, explorer, cases, planned: None }
    }

    /// Whether the next execution runs the case of this seed. Half of all seeds do until there are
    /// enough cases.
    pub(super) fn plan(&mut self, seed: u64) -> bool {
        let is_planned =
            seed.count_ones().is_multiple_of(2) && self.link.plans_random_case(self.cases);
        self.planned = is_planned.then_some(seed);
        is_planned
    }

    /// Whether this execution runs a random case.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.planned.is_some()
    }

    /// Runs the planned case.
    pub(super) fn run(&mut self, executor: &mut InProcess<fn(&mut TestCase)>) -> Run {
        let seed = self.planned.take().unwrap_or_default();
        executor.driver.follow(Published { link: self.link, is_first: true, bytes: Vec::new() });
        let run = executor.run_random(&mut self.explorer, seed);
        executor.driver.follow(Keys);
        run
    }
}

/// Shows the supervisor each choice as bytes.
struct Published {
    link: Link,
    is_first: bool,
    bytes: Vec<u8>,
}

impl Follower for Published {
    fn chose(&mut self, choice: &Choice) {
        self.bytes.clear();
        encode_choice(choice, &mut self.bytes);
        self.link.draws(&self.bytes, std::mem::take(&mut self.is_first));
    }

    fn keyed(&mut self, words: &str) {
        death::keep_bug_key(words);
    }
}

#[cfg(test)]
mod tests {
    use dwindle_engine::generators::{text, vec};
    use dwindle_engine::internals::codec::encode;

    use super::*;
    use crate::failure::panics::Scope;

    /// The bytes that the supervisor has after each case, and those of its choices.
    fn bytes(property: fn(&mut TestCase)) -> Vec<(Vec<u8>, Vec<u8>)> {
        let link = Link::new().unwrap();
        let mut cases = RandomCases::new(link);
        let mut executor = InProcess::new(property, Scope::Thread, "", 1000);
        (0..100)
            .map(|seed| {
                cases.planned = Some(seed);
                link.begin_random_case(b"libFuzzer's input");
                cases.run(&mut executor);
                assert_eq!(link.replaced_by_random_case().unwrap(), b"libFuzzer's input");
                (link.last(), encode(&executor.driver.trace().choices))
            })
            .collect()
    }

    #[test]
    fn the_supervisor_has_the_bytes_of_the_choices() {
        let bytes = bytes(|case| {
            let lines: Vec<String> = case.draw(vec(text()));
            assert!(lines.len() < 3);
        });
        for (published, of_choices) in &bytes {
            assert_eq!(published, of_choices);
        }
        assert!(bytes.iter().any(|(published, _)| published.len() > 100));
    }

    #[test]
    fn a_case_without_choices_is_not_empty() {
        assert!(bytes(|_| ()).iter().all(|(published, _)| published == &[0]));
    }

    #[test]
    fn all_fuzzers_of_a_run_plan_enough_cases_together() {
        let link = Link::new().unwrap();
        let mut planned = 0;
        for fuzzer in 0..10 {
            let mut cases = RandomCases::new(link);
            let few = (fuzzer * 100..fuzzer * 100 + 100).filter(|seed| cases.plan(*seed)).count();
            assert!(few > 30 || planned + few == RANDOM_CASES as usize, "{few}");
            planned += few;
            link.reset(true);
        }
        assert_eq!(planned, RANDOM_CASES as usize);
    }
}
