//! When the fuzzer copies itself, and whether a copy may go on; see `snapshot`.

use std::time::{Duration, Instant};

use super::link::Link;
use crate::system::children;

/// A copy that has slept for longer is not woken: libFuzzer would take its sleep for an input that ran so long, and tell of a slow one.
const AGE_MAX: Duration = Duration::from_secs(8);
/// So often there is a new copy even if nothing ever dies.
const APART_MAX: Duration = Duration::from_secs(4);

/// What the supervisor knows of the copies of its fuzzer.
pub(super) struct SnapshotPace {
    link: Link,
    /// The copy that stands by, and when it was first seen.
    known: Option<(libc::pid_t, Instant)>,
    /// Whether the last one that was asked for went on.
    is_fuzzing: bool,
}

impl SnapshotPace {
    pub(super) fn new(link: Link) -> SnapshotPace {
        SnapshotPace { link, known: None, is_fuzzing: false }
    }

    /// Sees which copy there is, and says when the next one is due. `elapsed` is the time of the run without that in which no fuzzer was alive.
    pub(super) fn look(&mut self, elapsed: Duration, deaths: u64) {
        let snapshot = self.link.snapshot();
        let copy = snapshot.map(|(copy, _)| copy);
        if copy != self.known.map(|(known, _)| known) {
            self.known = copy.map(|copy| (copy, Instant::now()));
        }
        let executions = self.link.executions();
        if executions > 0 {
            let cost = snapshot.map_or(Duration::ZERO, |(_, cost)| cost);
            // What copies take is no time in which anything runs: reckoned with, few executions would bring about ever more copies, and they fewer executions.
            let running = elapsed.saturating_sub(self.link.copying()).max(elapsed / 20);
            let rate = executions as f64 / running.as_secs_f64();
            self.link.want_copies(((apart(cost, running, deaths).as_secs_f64() * rate) as u64).max(1));
        }
    }

    /// The copy that stands by, if it lives and may go on. If `none_will_do`, or if it has slept for too long, it is ended instead.
    ///
    /// The fuzzer is dead, so that its children are the supervisor's now.
    pub(super) fn take(&mut self, none_will_do: bool) -> Option<libc::pid_t> {
        let copy = self.taken(none_will_do);
        self.is_fuzzing = copy.is_some();
        copy
    }

    /// Whether the fuzzer is a copy of the one before, which had begun.
    pub(super) fn is_fuzzing(&self) -> bool {
        self.is_fuzzing
    }

    fn taken(&mut self, none_will_do: bool) -> Option<libc::pid_t> {
        children::end_child(self.link.retired());
        let (copy, _) = self.link.snapshot()?;
        let since = self.known.take().filter(|(known, _)| *known == copy).map_or_else(Instant::now, |(_, since)| since);
        if none_will_do || since.elapsed() > AGE_MAX {
            children::end_child(copy);
            return None;
        }
        children::is_child(copy).then_some(copy)
    }
}

/// How far apart copies are made. With `d` deaths a second, each of which throws away half of what lies between two copies, and copies that cost `c`, the least is lost
/// with the square root of `2 c / d` between them. Half a death more than there were is reckoned with: the first one may be yet to come.
fn apart(cost: Duration, elapsed: Duration, deaths: u64) -> Duration {
    let seconds = 2.0 * cost.as_secs_f64() * elapsed.as_secs_f64() / (deaths as f64 + 0.5);
    Duration::from_secs_f64(seconds.sqrt()).min(APART_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_rare_where_nothing_dies() {
        let cost = Duration::from_millis(2);
        let after = |seconds, deaths| apart(cost, Duration::from_secs(seconds), deaths);
        assert!(after(1, 0) < after(60, 0) && after(60, 0) < after(600, 0));
        assert!(after(600, 6000) < after(600, 600) && after(600, 600) < after(600, 0));
        assert_eq!(after(100_000, 0), APART_MAX);
    }
}
