//! Runs an input in a new process, with the command that a report prints.
//!
//! A worker differs from such a process: other runs came before, other functions lie below the
//! target, and other limits hold. So a kept input counts as reliable only after a check in a new
//! process. The check starts this executable again with the input as its argument, and expects the
//! same bug. The new process writes the record of its last moments into memory that it inherits
//! from its parent. The parent then translates the addresses to those of the same functions in the
//! parent.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dwindle_corpus::{BugId, BugKind};
use dwindle_engine::internals::Driver;

use super::bell::Bell;
use super::death;
use super::drawn::Keys;
use super::shared::{Area, Header, Shared};
use super::walk::modules;
use crate::failure::deaths::Death;
use crate::system::{children, process};
use crate::{environment, exit, limits};

/// afl-fuzz sets environment variables for its targets. Their names begin with one of these
/// prefixes.
const OF_AFL: [&str; 2] = ["__AFL", "___AFL"];

/// The shortest interval between two checks whether the process has ended.
const LOOK: Duration = Duration::from_micros(500);

/// The facts that the new process reports to its parent.
#[repr(C)]
pub(crate) struct RunHeader {
    /// How many records were written.
    records: Bell,
    /// The first address of each module of the new process, see [`modules::starts`].
    starts: [AtomicU64; modules::MODULES_MAX],
    /// Whether the failure has the bug id `id`, however the process ends.
    is_named: AtomicBool,
    id: AtomicU64,
}

// SAFETY: all fields are atomic numbers. Zeros are valid, and the numbers are few.
unsafe impl Header for RunHeader {}

impl RunHeader {
    /// Translates an address of the new process to the address in this process.
    fn relocated(&self, address: usize) -> Option<usize> {
        modules::relocated(
            address,
            self.starts.iter().map(|start| start.load(Ordering::Acquire) as usize),
        )
    }
}

/// What the parent learns of a failure in a new process.
pub(super) enum Clue {
    /// The process reported a bug with this id.
    Bug(BugId),
    /// The process died: with a record, or by a signal without one.
    Death(Death),
    /// The process failed with this kind of failure, and gave no further details.
    Kind(BugKind),
    /// The process failed in another way.
    Unclear,
}

/// Starts new processes, one after another.
pub(super) struct Printed {
    shared: &'static Shared<RunHeader>,
    file: File,
}

impl Printed {
    pub(super) fn new() -> io::Result<Printed> {
        let (shared, file) = Shared::with_file()?;
        Ok(Printed { shared, file })
    }

    /// Starts a process on an input that is expected to fail as `kind`. An error means that the
    /// process could not be started.
    pub(super) fn start(&self, input: &[u8], kind: BugKind) -> io::Result<Started<'_>> {
        let header = self.shared.header();
        header.records.set(0);
        self.shared.clear(Area::Record);
        header.is_named.store(false, Ordering::Release);
        let input = memory_file(input)?;
        let mut command = process::again();
        command.arg(format!("/proc/self/fd/{}", input.as_raw_fd())).args(arguments(kind));
        as_a_user_has_it(&mut command);
        let mut inherited = vec![input.as_raw_fd()];
        // libFuzzer looks for leaks after the run. A record of the run would not describe the leak.
        if kind != BugKind::Leak {
            command.env(environment::RECORD, self.file.as_raw_fd().to_string());
            inherited.push(self.file.as_raw_fd());
        }
        hand_down(&mut command, inherited);
        Ok(Started { child: command.spawn()?, by: self })
    }

    /// What a process that ended shows of a failure. `None` if it did not fail.
    fn clue(&self, status: Option<std::process::ExitStatus>, kind: BugKind) -> Option<Clue> {
        let header = self.shared.header();
        if header.is_named.load(Ordering::Acquire) {
            return Some(Clue::Bug(BugId::from_bits(header.id.load(Ordering::Acquire))));
        }
        if header.records.get() > 0
            && let Some(mut death) = death::read(self.shared)
        {
            death.change_addresses(|addresses| {
                *addresses =
                    addresses.iter().filter_map(|address| header.relocated(*address)).collect();
            });
            return Some(Clue::Death(death));
        }
        match status {
            // The parent had to end the process: without libFuzzer a run has no time limit.
            None => (kind == BugKind::Timeout).then_some(Clue::Kind(BugKind::Timeout)),
            Some(status) => match (status.code(), status.signal()) {
                (Some(0), _) => None,
                (Some(exit::libfuzzer::TIMEOUT), _) => Some(Clue::Kind(BugKind::Timeout)),
                (Some(exit::libfuzzer::OOM), _) => Some(Clue::Kind(BugKind::Oom)),
                (_, Some(_)) => Some(Clue::Death(Death::unseen(status.into_raw()))),
                _ => Some(Clue::Unclear),
            },
        }
    }
}

/// A new process that runs one input.
pub(super) struct Started<'a> {
    child: Child,
    by: &'a Printed,
}

impl Started<'_> {
    /// Waits for the process to end. Kills the process after `patience`. `None` if the process did
    /// not fail.
    pub(super) fn wait(mut self, kind: BugKind, patience: Duration) -> io::Result<Option<Clue>> {
        let status = wait(&mut self.child, patience)?;
        Ok(self.by.clue(status, kind))
    }
}

/// Whether all of `processes` processes fail when they run at the same time. If some do not fail,
/// whether each of them fails alone. A target may need a file or a port that another process holds.
pub(super) fn at_once_or_alone(
    processes: usize,
    mut all_fail: impl FnMut(usize) -> Option<bool>,
) -> Option<bool> {
    let at_once = all_fail(processes)?;
    if at_once || processes == 1 {
        return Some(at_once);
    }
    for _ in 0..processes {
        if !all_fail(1)? {
            return Some(false);
        }
    }
    Some(true)
}

/// The arguments behind the file in the command that a report prints, for the engine of this build.
pub(crate) fn limits(kind: BugKind) -> Vec<String> {
    if !cfg!(feature = "libfuzzer") {
        return Vec::new();
    }
    match kind {
        BugKind::Timeout => vec![format!("-timeout={}", limits::timeout_shown())],
        BugKind::Oom if limits::memory_max() != limits::MEMORY_MAX => {
            vec![format!("-rss_limit_mb={}", limits::memory_max())]
        }
        _ => Vec::new(),
    }
}

fn arguments(kind: BugKind) -> Vec<String> {
    let mut arguments = limits(kind);
    if cfg!(feature = "libfuzzer") {
        // libFuzzer writes its artifact to `/dev/null`, so that no artifact file remains.
        arguments.push("-exact_artifact_path=/dev/null".to_owned());
    }
    arguments
}

fn as_a_user_has_it(command: &mut Command) {
    for name in environment::NOT_FROM_A_USER {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if OF_AFL.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
}

/// Makes the new process inherit these descriptors, and disables its core dumps.
fn hand_down(command: &mut Command, descriptors: Vec<RawFd>) {
    // SAFETY: between fork and exec the closure makes only async-signal-safe system calls: fcntl
    // and setrlimit.
    unsafe {
        command.pre_exec(move || {
            libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            for descriptor in &descriptors {
                if libc::fcntl(*descriptor, libc::F_SETFD, 0) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
}

fn memory_file(bytes: &[u8]) -> io::Result<File> {
    // SAFETY: the name is a C string. The code checks the descriptor before it becomes a file.
    let descriptor = unsafe { libc::memfd_create(c"input".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is open, and nothing else owns it.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(bytes)?;
    Ok(file)
}

/// The time limit for a new process that is expected to fail as `kind`.
pub(super) fn patience(kind: BugKind) -> Duration {
    // libFuzzer checks its clock every half of the limit plus one second.
    if kind == BugKind::Timeout {
        Duration::from_secs(u64::from(limits::timeout_shown()) * 3 + 10)
    } else {
        Duration::from_mins(1)
    }
}

/// How the process ended. `None` if the parent had to kill it.
fn wait(child: &mut Child, patience: Duration) -> io::Result<Option<std::process::ExitStatus>> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        children::go_on_if_stopped(child.id() as libc::pid_t);
        if began.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(LOOK.max(began.elapsed() / 20).min(LOOK * 40));
    }
}

/// The side of the new process: it records the run for its parent.
#[derive(Clone, Copy)]
pub(crate) struct Recorder(&'static Shared<RunHeader>);

impl Recorder {
    /// The recorder of a process that was started to see how an input ends. `None` in other
    /// processes. The inherited descriptor is closed once its memory is mapped.
    pub(crate) fn inherited() -> Option<Recorder> {
        let descriptor: RawFd = std::env::var(environment::RECORD).ok()?.parse().ok()?;
        // SAFETY: the parent that sets this variable hands the descriptor down for this purpose.
        // Any other number cannot be mapped.
        let file = unsafe { File::from_raw_fd(descriptor) };
        let shared = Shared::<RunHeader>::of(&file).ok()?;
        Some(Recorder(shared))
    }

    /// Prepares for the first run. From now on a death of this process is recorded.
    pub(crate) fn begin(self, tc: &mut Driver) {
        death::record_in(self.0, &self.0.header().records, || {});
        for (place, start) in self.0.header().starts.iter().zip(modules::starts()) {
            place.store(start as u64, Ordering::Release);
        }
        tc.follow(Keys);
    }

    /// Records that the run failed as this bug. This holds whatever happens afterwards.
    pub(crate) fn name(self, id: BugId) {
        let header = self.0.header();
        header.id.store(id.to_bits(), Ordering::Release);
        header.is_named.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_fails_only_in_a_process_alone_is_run_alone() {
        let decided = |fails: fn(usize) -> Option<bool>| {
            let mut asked = Vec::new();
            let decided = at_once_or_alone(2, |processes| {
                asked.push(processes);
                fails(processes)
            });
            (decided, asked)
        };
        assert_eq!(decided(|_| Some(true)), (Some(true), vec![2]));
        assert_eq!(decided(|processes| Some(processes == 1)), (Some(true), vec![2, 1, 1]));
        assert_eq!(decided(|_| Some(false)), (Some(false), vec![2, 1]));
        assert_eq!(decided(|_| None), (None, vec![2]));
    }
}
