//! A number in shared memory. One process changes the number, and another process waits for the
//! change.
//!
//! The switch `spinning` controls whether a wait spins before it sleeps.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::switches::Switch;

/// A number, and the count of threads that sleep until it changes.
///
/// The count saves a system call when no thread sleeps. That call would be a large part of the time
/// of a small candidate. A process that is killed in its sleep stays counted. The only cost is then
/// a system call for every change.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Bell {
    number: AtomicU32,
    sleepers: AtomicU32,
}

impl Bell {
    pub(crate) fn get(&self) -> u32 {
        self.number.load(Ordering::Acquire)
    }

    /// Sets the number and wakes all waiters. Safe in a signal handler.
    pub(crate) fn set(&self, number: u32) {
        // The order is the same for the sleeper: either this thread sees the sleeper, or the
        // sleeper sees the number.
        self.number.store(number, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) == 0 {
            return;
        }
        // SAFETY: the number is mapped. A wake without sleepers succeeds.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.number.as_ptr(),
                libc::FUTEX_WAKE,
                i32::MAX,
                std::ptr::null::<libc::timespec>(),
                std::ptr::null::<u32>(),
                0,
            );
        }
    }

    /// Sleeps until the number differs from `old`, for at most `patience`. A signal also ends the
    /// sleep.
    pub(crate) fn wait(&self, old: u32, patience: Option<Duration>) {
        if self.get() != old {
            return;
        }
        let patience = patience.map(|patience| libc::timespec {
            tv_sec: patience.as_secs() as libc::time_t,
            tv_nsec: libc::c_long::from(patience.subsec_nanos()),
        });
        let timeout = patience.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the number and the time live until the call returns. A changed number, a signal
        // and the end of `patience` all make the call return.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.number.as_ptr(),
                libc::FUTEX_WAIT,
                old,
                timeout,
                std::ptr::null::<u32>(),
                0,
            );
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }
}

/// How long a wait spins before it sleeps. To wake a process on another core takes 10 to 50
/// microseconds. This is twice the time of most candidates. On a virtual machine it takes longer
/// than elsewhere.
const LOOKED_AT: Duration = Duration::from_micros(50);
/// How often the wait reads the number between two reads of the clock.
const LOOKS: u32 = 16;
/// Maximum waits without spinning (backoff cap).
const BLIND_MAX: u32 = 256;

/// Waits for answers, most of which come at once. Spins before it sleeps, for as long as spinning
/// pays.
///
/// Spinning pays if the other side runs on another core. If all cores have other work, spinning
/// takes processor time from the process that is to answer. After each spin without an answer, more
/// waits sleep at once. A spin that sees its answer resets this number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiter {
    /// How many waits sleep at once before the next wait that spins.
    blind: u32,
    /// The next value of `blind`, if the next spin sees no answer either.
    blind_next: u32,
}

impl Waiter {
    /// Like [`Bell::wait`], for a number that is likely to change soon.
    pub(crate) fn wait(&mut self, bell: &Bell, old: u32, patience: Option<Duration>) {
        if !Switch::Spinning.is_on() {
            // The wait sleeps at once.
        } else if self.blind > 0 {
            self.blind -= 1;
        } else if changes_soon(bell, old) {
            self.blind_next = 1;
            return;
        } else {
            self.blind = self.blind_next;
            self.blind_next = (self.blind_next * 2).clamp(1, BLIND_MAX);
        }
        bell.wait(old, patience);
    }
}

fn changes_soon(bell: &Bell, old: u32) -> bool {
    let began = Instant::now();
    loop {
        for _ in 0..LOOKS {
            if bell.get() != old {
                return true;
            }
            std::hint::spin_loop();
        }
        if began.elapsed() > LOOKED_AT {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiter_sleeps_at_once_after_spins_that_failed() {
        let bell = Bell::default();
        bell.set(7);
        let mut waiter = Waiter::default();
        let mut looks = 0;
        for _ in 0..1000 {
            looks += u32::from(waiter.blind == 0);
            waiter.wait(&bell, 7, Some(Duration::from_micros(1)));
        }
        // The number of waits between two spins doubles up to the maximum: 0, 1, 2, 4, .. 128, 256,
        // 256.
        assert_eq!((looks, waiter.blind_next), (12, BLIND_MAX));
        for _ in 0..=BLIND_MAX {
            waiter.wait(&bell, 6, Some(Duration::from_mins(1)));
        }
        assert_eq!((waiter.blind, waiter.blind_next), (0, 1));
    }

    #[test]
    fn a_sleeping_waiter_is_woken() {
        const ROUNDS: u32 = if cfg!(miri) { 50 } else { 20_000 };
        let (there, back) = (Bell::default(), Bell::default());
        let hear = |bell: &Bell, round: u32| {
            let began = Instant::now();
            while bell.get() == round {
                bell.wait(round, Some(Duration::from_secs(10)));
                assert!(
                    began.elapsed() < Duration::from_secs(9),
                    "nobody was woken in round {round}"
                );
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..ROUNDS {
                    hear(&there, round);
                    back.set(round + 1);
                }
            });
            for round in 0..ROUNDS {
                there.set(round + 1);
                hear(&back, round);
            }
        });
        assert_eq!((there.sleepers.into_inner(), back.sleepers.into_inner()), (0, 0));
    }
}
