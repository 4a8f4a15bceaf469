//! Decides when the fuzzer makes a snapshot, and whether a snapshot may continue; see `snapshot`.

use std::time::{Duration, Instant};

use super::link::Link;
use crate::system::children;

/// Maximum age of a snapshot that may continue. libFuzzer would take a longer sleep for the time of
/// one input, and would report a slow input.
const AGE_MAX: Duration = Duration::from_secs(8);
/// Maximum time between two snapshots, even if nothing ever dies.
const APART_MAX: Duration = Duration::from_secs(4);

/// A run has no snapshot before this time, unless something dies. A death so early costs one start
/// of the fuzzer and few executions, about as much as the snapshots until then would.
const FIRST_AFTER: Duration = Duration::from_secs(1);

/// What the supervisor knows of the fuzzer's snapshots.
pub(super) struct SnapshotPace {
    link: Link,
    /// The waiting snapshot, and when the supervisor first saw it.
    known: Option<(libc::pid_t, Instant)>,
    /// Whether the last requested snapshot continued.
    is_fuzzing: bool,
}

impl SnapshotPace {
    pub(super) fn new(link: Link) -> SnapshotPace {
        SnapshotPace { link, known: None, is_fuzzing: false }
    }

    /// Looks for a new snapshot and sets when the next one is due. `elapsed` is the time of the run
    /// without the time in which no fuzzer was alive.
    pub(super) fn look(&mut self, elapsed: Duration, deaths: u64) {
        let snapshot = self.link.snapshot();
        let waiting = snapshot.map(|(waiting, _)| waiting);
        if waiting != self.known.map(|(known, _)| known) {
            self.known = waiting.map(|waiting| (waiting, Instant::now()));
        }
        let executions = self.link.executions();
        if executions > 0 {
            let cost = snapshot.map_or(Duration::ZERO, |(_, cost)| cost);
            // Snapshots take time in which nothing runs, so this time does not count. If it did,
            // few executions would cause more snapshots, and more snapshots would leave fewer
            // executions.
            let running = elapsed.saturating_sub(self.link.cost_of_snapshots()).max(elapsed / 20);
            self.link.want_snapshots(executions_apart(executions, cost, running, deaths));
        }
    }

    /// The waiting snapshot, if it lives and may continue. Ends the snapshot instead if
    /// `none_will_do`, or if it has slept too long.
    ///
    /// The fuzzer is dead, so its children are now the supervisor's children.
    pub(super) fn take(&mut self, none_will_do: bool) -> Option<libc::pid_t> {
        let snapshot = self.taken(none_will_do);
        self.is_fuzzing = snapshot.is_some();
        snapshot
    }

    /// Whether the fuzzer is a snapshot of the one before, which had begun.
    pub(super) fn is_fuzzing(&self) -> bool {
        self.is_fuzzing
    }

    fn taken(&mut self, none_will_do: bool) -> Option<libc::pid_t> {
        children::end_child(self.link.retired());
        let (waiting, _) = self.link.snapshot()?;
        let since = self
            .known
            .take()
            .filter(|(known, _)| *known == waiting)
            .map_or_else(Instant::now, |(_, since)| since);
        if none_will_do || since.elapsed() > AGE_MAX {
            children::end_child(waiting);
            return None;
        }
        children::is_child(waiting).then_some(waiting)
    }
}

/// The number of executions between two snapshots, after this number in the time `running`.
fn executions_apart(executions: u64, cost: Duration, running: Duration, deaths: u64) -> u64 {
    if deaths == 0 && running < FIRST_AFTER {
        return u64::MAX;
    }
    let rate = executions as f64 / running.as_secs_f64();
    ((apart(cost, running, deaths).as_secs_f64() * rate) as u64).max(1)
}

/// The time between two snapshots.
///
/// Each death loses half of the time between two snapshots. With `d` deaths a second and snapshots
/// of cost `c`, the best interval is the square root of `2 c / d`. The formula adds half a death to
/// the count, because the first death may be yet to come.
fn apart(cost: Duration, elapsed: Duration, deaths: u64) -> Duration {
    let seconds = 2.0 * cost.as_secs_f64() * elapsed.as_secs_f64() / (deaths as f64 + 0.5);
    Duration::from_secs_f64(seconds.sqrt()).min(APART_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_rare_without_deaths() {
        let cost = Duration::from_millis(2);
        let after = |seconds, deaths| apart(cost, Duration::from_secs(seconds), deaths);
        assert!(after(1, 0) < after(60, 0) && after(60, 0) < after(600, 0));
        assert!(after(600, 6000) < after(600, 600) && after(600, 600) < after(600, 0));
        assert_eq!(after(100_000, 0), APART_MAX);
    }

    #[test]
    fn the_first_snapshot_waits_for_a_death_or_a_second() {
        let apart = |milliseconds, deaths| {
            executions_apart(1000, Duration::ZERO, Duration::from_millis(milliseconds), deaths)
        };
        assert_eq!(apart(900, 0), u64::MAX);
        assert_eq!((apart(900, 1), apart(1100, 0)), (1, 1));
    }
}
