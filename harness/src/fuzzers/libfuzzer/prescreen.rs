//! Whether the fuzzer runs each input in a worker first. That doubles the work for those that pass, and spares the fuzzer, which is large, the others: a worker that
//! dies costs a fork of a small process, and nothing has to be done again.

use std::time::{Duration, Instant};

use super::link::Link;

/// So many deaths of the fuzzer come first: what they cost has to be known.
const DEATHS_MIN: u64 = 4;
/// After this time what was counted before counts half.
const HALF_LIFE: Duration = Duration::from_secs(2);
/// What it takes at least to have another process run something.
const ROUND_TRIP: Duration = Duration::from_micros(20);

/// What the run has cost so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// Of the fuzzer, not of workers.
    pub(super) deaths: u64,
    /// All that was lost by them.
    pub(super) lost: Duration,
    /// One execution in the fuzzer.
    pub(super) execution: Duration,
}

/// What is counted of late.
pub(super) struct PrescreenPolicy {
    link: Link,
    looked: Instant,
    /// All so far.
    counted: (u64, u64),
    /// Deaths and executions, the older ones less.
    late: (f64, f64),
}

impl PrescreenPolicy {
    pub(super) fn new(link: Link) -> PrescreenPolicy {
        PrescreenPolicy { link, looked: Instant::now(), counted: (0, 0), late: (0.0, 0.0) }
    }

    /// Decides anew.
    pub(super) fn look(&mut self, costs: Costs) {
        let (killed, killing) = self.link.killed();
        let (survived, surviving) = self.link.survived();
        let counted = (costs.deaths + killed, self.link.executions());
        let fades = 0.5_f64.powf(self.looked.elapsed().as_secs_f64() / HALF_LIFE.as_secs_f64());
        self.looked = Instant::now();
        self.late.0 = self.late.0 * fades + (counted.0 - self.counted.0) as f64;
        self.late.1 = self.late.1 * fades + counted.1.saturating_sub(self.counted.1) as f64;
        self.counted = counted;
        if costs.deaths < DEATHS_MIN {
            return;
        }
        let worker = if killed == 0 { Duration::ZERO } else { killing.div_f64(killed as f64) };
        let passing = if survived == 0 { costs.execution + ROUND_TRIP } else { surviving.div_f64(survived as f64) };
        let fuzzer = costs.lost.div_f64(costs.deaths as f64);
        self.link.prescreen(pays(self.late.0 / self.late.1.max(1.0), fuzzer, worker, passing));
    }
}

/// Whether it pays: what each execution takes longer is less than what it spares, if `share` of them kill whatever runs them.
fn pays(share: f64, fuzzer: Duration, worker: Duration, passing: Duration) -> bool {
    share * fuzzer.saturating_sub(worker).as_secs_f64() > (1.0 - share) * passing.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screening_pays_where_deaths_are_frequent_and_a_worker_is_cheap() {
        let [micro, milli] = [Duration::from_micros(1), Duration::from_millis(1)];
        assert!(pays(0.05, 10 * milli, milli, 100 * micro));
        assert!(!pays(0.001, 10 * milli, milli, 100 * micro));
        assert!(!pays(0.05, 10 * milli, 10 * milli, 100 * micro));
        assert!(!pays(0.0, 10 * milli, milli, micro));
    }
}
