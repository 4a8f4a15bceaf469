//! Who gets the processor: giving way to others, and how long a process waited for its turn.
//!
//! An ordinary user cannot take back a nice value, nor leave `SCHED_IDLE` (tried on Linux 6.18). So a process that is to have a normal priority again is another
//! process: the one that gives way ends, and the next one goes on where it was.

use std::fs;
use std::ops::Add;
use std::time::Duration;

use super::offspring;

/// By how much a minimizer beside a fuzzer is nicer. Of a core that both want it gets about a tenth: at 19 it would get a seventieth, and starve where others
/// compute too.
const NICER: libc::c_int = 10;

/// Gives way to other processes, for good. Children inherit it.
pub(crate) fn lower() {
    // SAFETY: changes nothing but the scheduling of this process.
    unsafe {
        libc::nice(NICER);
    }
}

/// How long something ran on a processor, and how long it waited for one although it could have run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turns {
    pub(crate) ran: Duration,
    pub(crate) waited: Duration,
}

impl Turns {
    /// Which part of the processor time that it could have used it got; all where nothing is known.
    pub(crate) fn share(self) -> f64 {
        let wanted = self.ran + self.waited;
        if wanted.is_zero() { 1.0 } else { self.ran.as_secs_f64() / wanted.as_secs_f64() }
    }
}

impl Add for Turns {
    type Output = Turns;

    fn add(self, other: Turns) -> Turns {
        Turns { ran: self.ran + other.ran, waited: self.waited + other.waited }
    }
}

/// Of the calling thread so far.
pub(crate) fn turns_of_this_thread() -> Turns {
    read("/proc/thread-self/schedstat")
}

/// Of the first thread of a process so far; none if there is no such process.
pub(crate) fn turns_of(process: libc::pid_t) -> Turns {
    if process > 0 { read(&format!("/proc/{process}/schedstat")) } else { Turns::default() }
}

/// Of a process and all that it has started and that still runs.
pub(crate) fn turns_with_offspring(process: libc::pid_t) -> Turns {
    offspring::of(process).into_iter().map(turns_of).fold(turns_of(process), Turns::add)
}

/// Two numbers of nanoseconds come first. A system that does not count says nothing, or zeros.
fn read(path: &str) -> Turns {
    let stat = fs::read_to_string(path).unwrap_or_default();
    let mut numbers = stat.split_ascii_whitespace().map(|number| Duration::from_nanos(number.parse().unwrap_or(0)));
    Turns { ran: numbers.next().unwrap_or_default(), waited: numbers.next().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_what_ran_of_what_could_have_run() {
        let seconds = |ran, waited| Turns { ran: Duration::from_secs(ran), waited: Duration::from_secs(waited) };
        assert!((seconds(1, 3).share() - 0.25).abs() < 1e-9);
        assert!((seconds(0, 0).share() - 1.0).abs() < 1e-9);
        assert_eq!(seconds(1, 3) + seconds(2, 0), seconds(3, 3));
    }

    #[test]
    fn what_runs_is_counted() {
        let before = turns_of_this_thread();
        while turns_of_this_thread().ran < before.ran + Duration::from_millis(5) {}
        assert_eq!(turns_of(-1), Turns::default());
    }
}
