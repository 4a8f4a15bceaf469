//! Processor priority: giving way to other processes, and how long a process waited for its turn.
//!
//! An ordinary user can neither lower a nice value again nor leave `SCHED_IDLE` (tried on Linux
//! 6.18). So normal priority needs a new process: the process with low priority ends, and the new
//! one continues its work.

use std::fs;
use std::ops::Add;
use std::time::Duration;

use super::offspring;

/// What a process beside a fuzzer works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A new bug and its claims. The process gets about a tenth of a core that both want.
    Bug,
    /// Further causes of a known bug. The process gets about a 36th.
    Causes,
}

/// Lowers the priority of this process for good. Children inherit it.
pub(crate) fn lower(work: Work) {
    // At 19 the process would get a seventieth, and starve if other processes compute too.
    let nicer = match work {
        Work::Bug => 10,
        Work::Causes => 16,
    };
    // SAFETY: changes only the scheduling of this process.
    unsafe {
        libc::nice(nicer);
    }
}

/// How long a thread or process ran on a processor, and how long it waited for one while ready to
/// run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turns {
    pub(crate) ran: Duration,
    pub(crate) waited: Duration,
}

impl Turns {
    /// The part of the usable processor time that it got. 1 if nothing is known.
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

/// The turns of the calling thread so far.
pub(crate) fn turns_of_this_thread() -> Turns {
    read("/proc/thread-self/schedstat")
}

/// The turns of the first thread of a process so far. Zero if there is no such process.
pub(crate) fn turns_of(process: libc::pid_t) -> Turns {
    if process > 0 { read(&format!("/proc/{process}/schedstat")) } else { Turns::default() }
}

/// The turns of a process and its running descendants.
pub(crate) fn turns_with_offspring(process: libc::pid_t) -> Turns {
    offspring::of(process).into_iter().map(turns_of).fold(turns_of(process), Turns::add)
}

/// The file begins with two numbers of nanoseconds. A system without these counters has an empty
/// file, or zeros.
fn read(path: &str) -> Turns {
    let stat = fs::read_to_string(path).unwrap_or_default();
    let mut numbers = stat
        .split_ascii_whitespace()
        .map(|number| Duration::from_nanos(number.parse().unwrap_or(0)));
    Turns { ran: numbers.next().unwrap_or_default(), waited: numbers.next().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_the_time_that_ran_of_the_time_that_could_have_run() {
        let seconds = |ran, waited| Turns {
            ran: Duration::from_secs(ran),
            waited: Duration::from_secs(waited),
        };
        assert!((seconds(1, 3).share() - 0.25).abs() < 1e-9);
        assert!((seconds(0, 0).share() - 1.0).abs() < 1e-9);
        assert_eq!(seconds(1, 3) + seconds(2, 0), seconds(3, 3));
    }

    #[test]
    fn the_time_that_a_thread_runs_is_counted() {
        let before = turns_of_this_thread();
        while turns_of_this_thread().ran < before.ran + Duration::from_millis(5) {}
        assert_eq!(turns_of(-1), Turns::default());
    }
}
