//! How long a minimizer or an explainer may live. It keeps shorter limits itself, so this is for
//! one that hangs.

use std::time::{Duration, Instant};

use crate::system::priority;

/// The patience with one process.
#[derive(Debug)]
pub(super) struct Patience {
    since: Instant,
    /// The age at which [`Patience::is_left`] checks whether the process hangs.
    due: Duration,
}

impl Patience {
    /// With a process that starts now and should end within this time.
    pub(super) fn new(due: Duration) -> Patience {
        Patience { since: Instant::now(), due }
    }

    /// Whether the process may go on. One that mostly waited for the processor gets more time.
    pub(super) fn is_left(&mut self, process: libc::pid_t) -> bool {
        let elapsed = self.since.elapsed();
        if elapsed < self.due {
            return true;
        }
        let waited = priority::turns_with_offspring(process).waited;
        let starves = waited > elapsed / 2;
        self.due = elapsed * 2;
        starves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_does_not_wait_for_the_processor_has_its_time_and_no_more() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let process = child.id() as libc::pid_t;
        assert!(Patience::new(Duration::from_mins(10)).is_left(process));
        let mut short = Patience::new(Duration::from_millis(200));
        std::thread::sleep(Duration::from_millis(200));
        assert!(!short.is_left(process));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
