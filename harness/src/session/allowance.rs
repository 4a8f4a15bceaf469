//! How much processor time a session may spend on the search for further causes.
//!
//! Each known cause allows some time, and so does each second of the run. A search that finds a new
//! cause costs nothing of it. So a session searches at once where causes are many, and soon leaves
//! nearly all time to the fuzzer where they are few.

use std::time::Duration;

/// The time for each bug, and for each of its further causes.
const FOR_EACH: Duration = Duration::from_secs(1);
/// The time of the run, divided by this, is allowed as well.
const PART: u32 = 20;

/// Time for searches without a result.
#[derive(Debug, Default)]
pub(super) struct Allowance {
    granted: Duration,
    in_vain: Duration,
}

impl Allowance {
    /// Notes a bug that may have further causes, or a further cause.
    pub(super) fn grant(&mut self) {
        self.granted += FOR_EACH;
    }

    /// Notes a search that found nothing, or only a form of what is known.
    pub(super) fn searched_in_vain(&mut self, took: Duration) {
        self.in_vain += took;
    }

    /// Whether another search may begin. `elapsed`: the age of the run.
    pub(super) fn is_left(&self, elapsed: Duration) -> bool {
        self.in_vain < self.granted + elapsed / PART
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_and_the_time_of_the_run_allow_searches() {
        let mut allowance = Allowance::default();
        assert!(!allowance.is_left(Duration::ZERO));
        allowance.grant();
        assert!(allowance.is_left(Duration::ZERO));
        allowance.searched_in_vain(2 * FOR_EACH);
        assert!(!allowance.is_left(PART * FOR_EACH) && allowance.is_left(2 * PART * FOR_EACH));
        allowance.grant();
        assert!(!allowance.is_left(Duration::ZERO) && allowance.is_left(FOR_EACH));
    }
}
