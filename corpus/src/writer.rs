//! The name of a process that writes, and whether this process still runs.

use std::fmt;
use std::process;

use crate::{content_hash, system};

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

    /// Whether this process runs. `None` for processes of other hosts, because this host has no
    /// information about them. Without the feature `fuzzing`, only the calling process is known.
    pub(crate) fn is_alive(&self) -> Option<bool> {
        if self.host != this_host() {
            return None;
        }
        match start_of(self.pid) {
            Some(start) => Some(start == self.start),
            None => system::exists_without_start(self.pid),
        }
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.host, self.pid, self.start)
    }
}

fn this_host() -> String {
    short_hash(&system::host())
}

/// The start of a process, `None` if it does not run or if the system does not say.
fn start_of(pid: u32) -> Option<String> {
    system::start_of(pid).map(|start| short_hash(&start))
}

fn short_hash(text: &str) -> String {
    content_hash(text.as_bytes())[..8].to_owned()
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "fuzzing")]
    use std::process::Command;

    use super::*;

    #[test]
    fn this_process_is_alive_and_keeps_its_name() {
        let writer = Writer::this_process();
        assert_eq!(writer, Writer::this_process());
        assert_eq!(writer.is_alive(), Some(true));
        assert_eq!(Writer::from_name(&writer.to_string()), Some(writer));
    }

    #[cfg(feature = "fuzzing")]
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
