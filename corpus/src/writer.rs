//! Who writes: the name of a process, and whether that process is still there. Linux (`/proc`).

use std::fmt;
use std::fs;
use std::process;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::content_hash;

/// The name of a writing process: host, process id and start time.
///
/// No two processes share one, also not two with the same process id in different containers, or before and after
/// a reboot. It names counter files and temporary files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Writer {
    host: String,
    pid: u32,
    start: String,
}

impl Writer {
    /// The process that asks. After a fork the child is another writer and must ask again.
    pub fn this_process() -> Writer {
        let pid = process::id();
        let start = start_of(pid).unwrap_or_else(|| short_hash("unknown"));
        Writer { host: this_host(), pid, start }
    }

    /// A writer on a host named `host` that started at `start`, in any words: for taking over counts kept elsewhere.
    pub fn of(host: &str, pid: u32, start: &str) -> Writer {
        Writer { host: short_hash(host), pid, start: short_hash(start) }
    }

    /// The writer whose name this is.
    pub(crate) fn from_name(name: &str) -> Option<Writer> {
        let is_hash = |part: &str| part.len() == 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
        let (host, rest) = name.split_once('-')?;
        let (pid, start) = rest.split_once('-')?;
        let pid = pid.parse().ok()?;
        (is_hash(host) && is_hash(start)).then(|| Writer { host: host.to_owned(), pid, start: start.to_owned() })
    }

    /// Whether this process runs; `None` for processes of other hosts, which cannot be asked.
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

/// Process ids mean something only inside one pid namespace of one machine.
fn this_host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    short_hash(&format!("{} {}", name.trim(), namespace.display()))
}

/// When a process started, `None` if there is none. Ticks count from boot, hence the boot id.
fn start_of(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 2 is the command in parentheses and may hold anything, also parentheses; field 22 is the start.
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

/// Whether there is a process that `/proc` does not show us (mounted with `hidepid`).
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
    fn a_process_that_ended_is_not_alive_even_before_its_parent_looks() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let writer = Writer { pid: child.id(), start: start_of(child.id()).unwrap(), ..Writer::this_process() };
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
    fn of_a_process_on_another_host_nothing_is_said() {
        assert_eq!(Writer::of("elsewhere", process::id(), "now").is_alive(), None);
    }
}
