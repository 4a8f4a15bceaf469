//! The name of a process that writes, and whether this process still runs. Linux only (`/proc`).

use std::fmt;
use std::fs;
use std::process;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::content_hash;

/// The name of a writing process: host, process id and start time.
///
/// Each process has a different name. This holds for equal process ids in different containers, and
/// before and after a reboot. Counter files and temporary files carry this name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Writer {
    host: String,
    pid: u32,
    start: String,
}

impl Writer {
    /// The calling process. A forked child is another writer and must call this again.
    pub fn this_process() -> Writer {
        let pid = process::id();
        let start = start_of(pid).unwrap_or_else(|| short_hash("unknown"));
        Writer { host: this_host(), pid, start }
    }

    /// A writer on a host named `host` that started at `start`. Both may be any text.
    ///
    /// It serves to import counts kept elsewhere.
    pub fn of(host: &str, pid: u32, start: &str) -> Writer {
        Writer { host: short_hash(host), pid, start: short_hash(start) }
    }

    /// Parses a writer's name as `Display` writes it.
    pub(crate) fn from_name(name: &str) -> Option<Writer> {
        let is_hash = |part: &str| part.len() == 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
        let (host, rest) = name.split_once('-')?;
        let (pid, start) = rest.split_once('-')?;
        let pid = pid.parse().ok()?;
        (is_hash(host) && is_hash(start)).then(|| Writer {
            host: host.to_owned(),
            pid,
            start: start.to_owned(),
        })
    }

    /// Whether this process runs. `None` for processes of other hosts: this host has no information
    /// about them.
    pub(crate) fn is_alive(&self) -> Option<bool> {
        if self.host != this_host() {
            return None;
        }
        Some(match start_of(self.pid) {
            Some(start) => start == self.start,
            None => is_hidden(self.pid),
        })
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.host, self.pid, self.start)
    }
}

/// A process id is valid only inside one pid namespace of one machine, so the name holds both.
fn this_host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    short_hash(&format!("{} {}", name.trim(), namespace.display()))
}

/// The start time of a process, `None` if it does not run. The hash includes the boot id, because
/// ticks count from boot.
fn start_of(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 2 is the command in parentheses. It may hold any characters, including parentheses.
    // Field 22 is the start time.
    let after_command = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_command.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    let ticks = fields.nth(18)?;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(short_hash(&format!("{} {ticks}", boot.trim())))
}

/// Whether the process exists although `/proc` hides it (`/proc` mounted with `hidepid`).
fn is_hidden(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) == Err(Errno::PERM))
}

fn short_hash(text: &str) -> String {
    content_hash(text.as_bytes())[..8].to_owned()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn this_process_is_alive_and_keeps_its_name() {
        let writer = Writer::this_process();
        assert_eq!(writer, Writer::this_process());
        assert_eq!(writer.is_alive(), Some(true));
        assert_eq!(Writer::from_name(&writer.to_string()), Some(writer));
    }

    #[test]
    fn a_zombie_process_is_not_alive() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let writer = Writer {
            pid: child.id(),
            start: start_of(child.id()).unwrap(),
            ..Writer::this_process()
        };
        assert_eq!(writer.is_alive(), Some(true));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(writer.is_alive(), Some(false));
    }

    #[test]
    fn another_process_with_the_same_number_is_another_writer() {
        let writer = Writer { start: short_hash("yesterday"), ..Writer::this_process() };
        assert_eq!(writer.is_alive(), Some(false));
    }

    #[test]
    fn the_state_of_a_process_on_another_host_is_unknown() {
        assert_eq!(Writer::of("elsewhere", process::id(), "now").is_alive(), None);
    }
}
