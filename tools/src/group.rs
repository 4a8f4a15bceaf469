//! A child process in a separate process group. When the child ends, the rest of the group is
//! killed.
//!
//! In a separate group, a terminal's Ctrl-C does not reach the child in addition to the signal that
//! this program passes on.

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};

/// A running child and the processes it started in its group. Dropping this before the child's end
/// kills all of them.
///
/// If this process dies without a chance to clean up, the kernel kills the child (Linux:
/// `PR_SET_PDEATHSIG`). The child protects its own children in the same way. The thread that starts
/// the group must outlive the child, because that signal follows the thread.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    leader: Pid,
}

impl Group {
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        command.process_group(0);
        die_with_parent(command);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
        let leader = Pid::from_child(&child);
        Ok(Self { child, leader })
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// A handle with which another thread can wait for the end of the child.
    pub(crate) fn end(&self) -> End {
        End(self.leader)
    }

    /// Sends a signal to the child alone, which informs its own children.
    pub(crate) fn signal(&self, signal: Signal) {
        // An error means that the child has already ended, which is the goal.
        let _ = rustix::process::kill_process(self.leader, signal);
    }

    /// Sends a signal to the child and every process of its group.
    pub(crate) fn signal_all(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.leader, signal);
    }

    /// Kills the rest of the group and returns the child's status. Blocks until the child has
    /// ended.
    pub(crate) fn finish(mut self) -> Result<ExitStatus> {
        // The order matters: the group's number stays reserved until the child is reaped. So the
        // signal cannot reach other processes.
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

/// The end of a child, for a thread that waits for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End(Pid);

impl End {
    /// Blocks until the child has ended. Does not reap the child.
    pub(crate) fn wait(self) {
        while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(
            WaitId::Pid(self.0),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        ) {}
    }
}

#[cfg(target_os = "linux")]
fn die_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let arrange = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // This program may have died before the request was made.
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(io::ErrorKind::NotConnected.into())
        }
    };
    // SAFETY: between fork and exec `arrange` makes three system calls and allocates nothing.
    #[expect(unsafe_code, reason = "there is no other way to run something between fork and exec")]
    unsafe {
        command.pre_exec(arrange);
    }
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent(_: &mut Command) {}
