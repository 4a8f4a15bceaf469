//! Runs a property: finds a failure from a seed, shrinks it, and says what it drew.

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::set_hook;
use std::sync::{Arc, Mutex, Once, PoisonError};

use dwindle::TestCase;
use dwindle_engine::internals::shrink::{
    Around, Budget, Candidate, Runner, Shrunk, THOROUGH, shrink,
};
use dwindle_engine::internals::{
    CHOICES_MAX, Driver, Origin, Outcome, Trace, TranscriptEvent, execute,
};

thread_local!(static PLACE: Cell<u64> = const { Cell::new(0) });

/// A property and the test case that it draws from.
pub struct Running {
    property: fn(&mut TestCase),
    driver: Driver,
}

impl Running {
    /// Takes over the panic hook: from now on no panic of a property is printed.
    pub fn new(property: fn(&mut TestCase)) -> Running {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let loud = std::panic::take_hook();
            set_hook(Box::new(move |info| {
                let Some(place) = info.location() else { return loud(info) };
                // A failing test of this crate is still printed.
                if place.file().ends_with("minima.rs") {
                    return loud(info);
                }
                let mut hasher = DefaultHasher::new();
                (place.file(), place.line(), place.column()).hash(&mut hasher);
                PLACE.set(hasher.finish());
            }));
        });
        Running { property, driver: Driver::new() }
    }

    /// Two failures are one bug if they panic at the same place, as in `dwindle::check`.
    fn outcome(&mut self) -> Outcome {
        execute(&mut self.driver, self.property).map(|_| Origin(PLACE.get()))
    }

    /// The first random case from `seed` on that fails, and where it does.
    pub fn find(&mut self, seed: u64) -> Option<(Trace, Origin)> {
        const CASES: u64 = 3_000_000;
        let first = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (0..CASES).find_map(|case| {
            self.driver.start_random(first.wrapping_add(case), CHOICES_MAX);
            match self.outcome() {
                Outcome::Failed(origin) => Some((self.driver.trace().clone(), origin)),
                _ => None,
            }
        })
    }

    /// Shrinks with the budget of `dwindle::check`, but with `around` calls around the result.
    pub fn shrink(&mut self, start: &Trace, origin: Origin, around: u64) -> Shrunk {
        let budget = Budget {
            calls_max: 100_000,
            exhaust_max: THOROUGH,
            around: Some(Around { calls_max: around, stop: &mut || false }),
            stop: &mut || false,
        };
        shrink(start, origin, self, budget, &mut |_, _| {})
    }

    /// The simplest failure of a long search from `start`.
    pub fn search(&mut self, start: &Trace, origin: Origin) -> Trace {
        let budget = Budget {
            calls_max: 3_000_000,
            exhaust_max: 100_000,
            around: Some(Around { calls_max: 1_000_000, stop: &mut || false }),
            stop: &mut || false,
        };
        shrink(start, origin, self, budget, &mut |_, _| {}).best
    }

    /// `Debug` of each draw.
    pub fn value(&mut self, trace: &Trace) -> String {
        let draws = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&draws);
        self.driver.listen(Some(Box::new(move |said| {
            if let TranscriptEvent::Draw(value) = said {
                let mut draws = heard.lock().unwrap_or_else(PoisonError::into_inner);
                draws.push(format!("{value:?}"));
            }
        })));
        self.driver.start_replay(&trace.values(), trace.len());
        self.outcome();
        self.driver.listen(None);
        draws.lock().unwrap_or_else(PoisonError::into_inner).join("; ")
    }
}

impl Runner for Running {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.driver.start_candidate(candidate, choices_max);
        let outcome = self.outcome();
        self.driver.swap_trace(trace);
        outcome
    }
}
