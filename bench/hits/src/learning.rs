//! How many cases a property with assumptions accepts, with learning and without.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::{CHOICES_MAX, Driver, Explorer, Outcome, case_seed, execute};

use crate::assumptions::Assuming;

/// What the runs from all seeds gave.
#[derive(Clone, Debug, Default)]
pub struct Yield {
    /// How many cases ran.
    pub cases: u64,
    /// How many of them were accepted.
    pub accepted: u64,
    /// How many different cases were accepted, each seed by itself.
    pub different: u64,
    /// For each seed that showed the bug, the number of the first case that did, in order.
    pub to_bug: Vec<u64>,
}

impl Yield {
    /// The cells of the table: accepted cases, different ones, and how soon the bug shows.
    pub fn cells(&self) -> String {
        let percent = |count| count as f64 * 100.0 / self.cases as f64;
        let bug = self.to_bug.get(self.to_bug.len() / 2);
        let bug = bug.map_or("0".to_owned(), |median| format!("{} / {median}", self.to_bug.len()));
        format!("{:.2} % | {:.2} % | {bug}", percent(self.accepted), percent(self.different))
    }
}

/// Runs `cases` cases from each of `seeds` seeds. Without learning, every case is new.
pub fn measure(property: &Assuming, seeds: u64, cases: u64, learns: bool) -> Yield {
    let mut all = Yield { cases: seeds * cases, ..Yield::default() };
    let mut tc = Driver::new();
    for seed in 0..seeds {
        let mut explorer = Explorer::new(seed, cases / 10);
        let mut seen = HashSet::new();
        let mut to_bug = None;
        for case in 1..=cases {
            if learns {
                explorer.start(&mut tc, case, CHOICES_MAX);
            } else {
                tc.start_random(case_seed(seed, case), CHOICES_MAX);
            }
            let mut is_bug = false;
            match execute(&mut tc, |tc| is_bug = (property.run)(tc)) {
                Outcome::Passed => {
                    explorer.passed(&tc);
                    all.accepted += 1;
                    let mut hasher = DefaultHasher::new();
                    encode(&tc.trace().choices).hash(&mut hasher);
                    seen.insert(hasher.finish());
                }
                Outcome::Rejected | Outcome::Overrun => explorer.rejected(),
                Outcome::Failed(_) => panic!("{} panicked", property.name),
            }
            if is_bug {
                to_bug.get_or_insert(case);
            }
        }
        all.different += seen.len() as u64;
        all.to_bug.extend(to_bug);
    }
    all.to_bug.sort_unstable();
    all
}
