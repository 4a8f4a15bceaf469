//! A child process in a process group of its own, with nothing of it left behind.
//!
//! A group of its own keeps a terminal's Ctrl-C from hitting the child beside the signal we pass on.

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};

/// A running child and the processes it started in its group. Dropped before its end, all of them are killed.
///
/// If this process dies without a chance to clean up, the kernel kills the child (Linux: `PR_SET_PDEATHSIG`); the child sees to its own children in the same way.
/// Must be started by a thread that outlives the child, since that signal follows the thread.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    leader: Pid,
}

impl Group {
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        command.process_group(0);
        die_with_parent(command);
        let child = command.spawn().with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
        let leader = Pid::from_child(&child);
        Ok(Self { child, leader })
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Something another thread can wait for the end of the child with.
    pub(crate) fn end(&self) -> End {
        End(self.leader)
    }

    /// Sends a signal to the child alone; it passes on what its children must know.
    pub(crate) fn signal(&self, signal: Signal) {
        // An error means that it has ended by itself, which is what was asked for.
        let _ = rustix::process::kill_process(self.leader, signal);
    }

    /// Sends a signal to the child and every process of its group.
    pub(crate) fn signal_all(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.leader, signal);
    }

    /// Kills what is left of the group, then gives the child's status. Blocks until the child has ended.
    pub(crate) fn finish(mut self) -> Result<ExitStatus> {
        // The order matters: until it is reaped the ended child keeps the group's number from being given to strangers.
        self.end().wait();
        self.signal_all(Signal::KILL);
        self.child.wait().context("cannot wait for the child")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.signal_all(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// The coming end of a child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End(Pid);

impl End {
    /// Blocks until the child has ended. Leaves it to be reaped.
    pub(crate) fn wait(self) {
        while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(WaitId::Pid(self.0), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
    }
}

#[cfg(target_os = "linux")]
fn die_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let arrange = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // We may have died before the request was made.
        if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotConnected.into()) }
    };
    // SAFETY: between fork and exec `arrange` makes three system calls and allocates nothing.
    #[expect(unsafe_code, reason = "there is no other way to run something between fork and exec")]
    unsafe {
        command.pre_exec(arrange);
    }
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent(_: &mut Command) {}
