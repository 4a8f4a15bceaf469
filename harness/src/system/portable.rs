//! What a property under `cargo test` asks the operating system, with the standard library alone.

/// Children that the target forks, and the process that runs it.
pub(crate) mod forked {
    use std::sync::atomic::{AtomicU32, Ordering};

    use crate::exit::PANICKED;

    static OURS: AtomicU32 = AtomicU32::new(0);

    /// Marks this process as dwindle's own.
    pub(crate) fn mark() {
        OURS.store(std::process::id(), Ordering::Relaxed);
    }

    /// Whether the target forked this process.
    #[inline]
    pub(crate) fn is_forked_by_target() -> bool {
        OURS.load(Ordering::Relaxed) != std::process::id()
    }

    /// Ends a child of the target that has returned from it. The target may read its exit code.
    #[cold]
    pub(crate) fn end(has_panicked: bool) -> ! {
        std::process::exit(if has_panicked { PANICKED } else { 0 })
    }
}

/// The time that a thread uses.
pub(crate) mod usage {
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    use super::priority::turns_of_this_thread;

    /// Processor time of the current thread. Where the system does not tell it in a file, the time
    /// since the first call.
    pub(crate) fn thread_time() -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        let ran = turns_of_this_thread().ran;
        if ran.is_zero() { START.get_or_init(Instant::now).elapsed() } else { ran }
    }
}

/// The time that a thread waits for the processor.
pub(crate) mod priority {
    use std::fs;
    use std::time::Duration;

    /// How long a thread ran on a processor, and how long it waited for one while ready to run.
    #[derive(Clone, Copy)]
    pub(crate) struct Turns {
        pub(crate) ran: Duration,
        pub(crate) waited: Duration,
    }

    /// The turns of the calling thread so far. Zero where the system does not tell them in a file.
    pub(crate) fn turns_of_this_thread() -> Turns {
        let file = if cfg!(dwindle_portable) { "" } else { "/proc/thread-self/schedstat" };
        let stat = fs::read_to_string(file).unwrap_or_default();
        let mut numbers = stat
            .split_ascii_whitespace()
            .map(|number| Duration::from_nanos(number.parse().unwrap_or(0)));
        Turns {
            ran: numbers.next().unwrap_or_default(),
            waited: numbers.next().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::usage::thread_time;

    #[test]
    fn the_time_of_a_thread_goes_on() {
        let before = thread_time();
        while thread_time() == before {}
        assert!(thread_time() > before);
    }
}
