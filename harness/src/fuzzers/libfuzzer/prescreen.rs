//! Decides whether the fuzzer runs each input in a worker first.
//!
//! This doubles the work for inputs that pass, and spares the fuzzer the others. The fuzzer is a
//! large process. A dead worker costs a fork of a small process, and the fuzzer repeats no
//! executions.

use std::time::{Duration, Instant};

use super::link::Link;

/// The fuzzer must die this often before the decision, because the cost of its deaths must be
/// known.
const DEATHS_MIN: u64 = 4;
/// A worker must die this often, and survive this often, before its costs count. The first request
/// starts the worker, which takes longer than the others.
const KILLED_MIN: u64 = 8;
const SURVIVED_MIN: u64 = 64;
/// After this time, earlier counts have half their weight.
const HALF_LIFE: Duration = Duration::from_secs(2);
/// Minimum time to run something in another process.
const ROUND_TRIP: Duration = Duration::from_micros(20);

/// The costs of the run so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// Deaths of the fuzzer, without those of workers.
    pub(super) deaths: u64,
    /// The time lost by these deaths.
    pub(super) lost: Duration,
    /// The time of one execution in the fuzzer.
    pub(super) execution: Duration,
}

/// Decides from the recent counts of deaths and executions.
pub(super) struct PrescreenPolicy {
    link: Link,
    looked: Instant,
    /// All deaths and executions so far.
    counted: (u64, u64),
    /// Recent deaths and executions; older ones have less weight.
    late: (f64, f64),
}

impl PrescreenPolicy {
    pub(super) fn new(link: Link) -> PrescreenPolicy {
        PrescreenPolicy { link, looked: Instant::now(), counted: (0, 0), late: (0.0, 0.0) }
    }

    /// Makes the decision again.
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
        let worker =
            if killed < KILLED_MIN { Duration::ZERO } else { killing.div_f64(killed as f64) };
        let passing = if survived < SURVIVED_MIN {
            costs.execution + ROUND_TRIP
        } else {
            surviving.div_f64(survived as f64)
        };
        let fuzzer = costs.lost.div_f64(costs.deaths as f64);
        self.link.prescreen(pays(self.late.0 / self.late.1.max(1.0), fuzzer, worker, passing));
    }
}

/// Whether prescreening pays. `share` is the share of executions that kill their process. It pays
/// if the extra time of passing executions is less than the time that it saves.
fn pays(share: f64, fuzzer: Duration, worker: Duration, passing: Duration) -> bool {
    share * fuzzer.saturating_sub(worker).as_secs_f64() > (1.0 - share) * passing.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prescreen_pays_if_deaths_are_frequent_and_a_worker_is_cheap() {
        let [micro, milli] = [Duration::from_micros(1), Duration::from_millis(1)];
        assert!(pays(0.05, 10 * milli, milli, 100 * micro));
        assert!(!pays(0.001, 10 * milli, milli, 100 * micro));
        assert!(!pays(0.05, 10 * milli, 10 * milli, 100 * micro));
        assert!(!pays(0.0, 10 * milli, milli, micro));
    }
}
