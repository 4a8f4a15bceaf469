//! Copies of the fuzzer that sleep. When the target kills the fuzzer, the last copy goes on from where it was made, with all that libFuzzer has in memory: its corpus,
//! its coverage, its dictionaries. A death costs what was done since the copy was made, and no new start.

use std::time::Instant;

use super::link::Link;
use crate::process::{self, Alarm};

/// Who comes back from making a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The fuzzer that went on.
    Original,
    /// A copy of it, now the fuzzer: the one before has died.
    Copy,
}

/// How a copy that sleeps is listed among the processes.
const NAME: &[u8; 16] = b"dwindle-standby\0";

/// The copy that the fuzzer keeps.
pub(super) struct Standby {
    supervisor: libc::pid_t,
    waiting: Option<libc::pid_t>,
    /// The copy before, which was killed and is not yet waited for.
    retired: Option<libc::pid_t>,
}

impl Standby {
    /// No copy yet. Copies are adopted by the supervisor.
    pub(super) fn new(supervisor: libc::pid_t) -> Standby {
        Standby { supervisor, waiting: None, retired: None }
    }

    /// Makes a copy in place of the one before. Returns twice, as `fork` does; in the copy not before its turn has come.
    ///
    /// Nothing is copied while the target has threads of its own: a copy would be without them, and wait for them.
    pub(super) fn renew(&mut self, link: Link) -> Who {
        if process::threads() > 1 {
            return Who::Original;
        }
        let (began, alarm, original) = (Instant::now(), Alarm::read(), process::id());
        match process::fork() {
            Ok(0) => {
                process::outlive_parent_for(original, self.supervisor);
                let name = process::name();
                process::rename(NAME);
                link.wait_for_turn();
                process::die_with(self.supervisor);
                process::rename(&name);
                alarm.set();
                *self = Standby::new(self.supervisor);
                Who::Copy
            }
            Ok(copy) => {
                link.stands_by(copy, began.elapsed());
                if let Some(retired) = self.retired.take() {
                    process::wait_for(retired);
                }
                self.retired = self.waiting.replace(copy);
                if let Some(retired) = self.retired {
                    process::kill(retired);
                }
                Who::Original
            }
            // Too many processes, or too little memory. The copy before is still there.
            Err(_) => Who::Original,
        }
    }
}
