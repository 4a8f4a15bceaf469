//! What kills a process, named.

use std::collections::HashMap;
use std::path::Path;

use dwindle_corpus::{BugId, BugKind};

use crate::failure::executor::Failed;
use crate::failure::frames::{Frame, user_frames};
use crate::failure::names;
use crate::failure::panics::Panic;

/// Why a process that ran the target did not live to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cause {
    Signal(i32),
    StackOverflow,
    /// `AddressSanitizer` found an error.
    Sanitizer,
    /// The target called `exit` with this code.
    Exit(i32),
    /// It took longer than it may, and was killed.
    Time,
    /// It took more memory than it may, and was killed.
    Memory,
    /// Memory was not given back.
    Leak,
    /// It left no word; `waitpid` said this.
    Unseen(i32),
}

/// The end of a process, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Death {
    pub(crate) cause: Cause,
    /// Return addresses, innermost first; of a run that was ended from outside several times, some time apart.
    pub(crate) stacks: Vec<Vec<usize>>,
    /// The sanitizer's word for the error.
    pub(crate) error: String,
    pub(crate) bug_key: String,
    /// The panic that the run had before.
    pub(crate) panic: Option<Panic>,
}

/// Deaths that were named before: to find the names of their frames takes long.
#[derive(Default)]
pub(crate) struct Names(HashMap<Death, Failed>);

impl Names {
    /// The failure that this death is.
    pub(crate) fn of(&mut self, death: Death, manifest_dir: &Path) -> Failed {
        self.0.entry(death).or_insert_with_key(|death| death.named(manifest_dir)).clone()
    }
}

/// How many user frames tell one death from another.
const FRAMES_MAX: usize = 3;

impl Death {
    /// The death of a process that left no word; `status` is what `waitpid` says of it.
    pub(crate) fn unseen(status: i32) -> Death {
        Death { cause: Cause::Unseen(status), stacks: Vec::new(), error: String::new(), bug_key: String::new(), panic: None }
    }

    /// Changes all return addresses, one list of them after the other.
    pub(crate) fn change_addresses(&mut self, mut change: impl FnMut(&mut Vec<usize>)) {
        self.stacks.iter_mut().for_each(&mut change);
        if let Some(panic) = &mut self.panic {
            change(&mut panic.addresses);
        }
    }

    /// The failure that this is. A panic before the end is what failed: what follows, as a panic in a destructor that aborts, follows from it.
    pub(crate) fn named(&self, manifest_dir: &Path) -> Failed {
        if let Some(panic) = &self.panic {
            return Failed::of_panic(panic.clone(), names::of_panic(panic, &self.bug_key, manifest_dir));
        }
        let kind = self.kind();
        let frames = shared_frames(self.stacks.iter().map(|addresses| user_frames(addresses, manifest_dir)));
        let functions: Vec<&str> = frames.iter().map(|frame| frame.function.as_str()).collect();
        let signature =
            if kind == BugKind::StackOverflow { cycle(&functions) } else { functions.iter().take(FRAMES_MAX).map(|name| (*name).to_owned()).collect() };
        let id = BugId::of(&format!("{kind}\n{}\n{}\n{}", self.error, signature.join("\n"), self.bug_key));
        let location = frames.iter().find(|frame| frame.has_line()).or(frames.first()).map_or_else(|| "an unknown place".to_owned(), Frame::place);
        Failed { id, kind, location, message: self.message(), addresses: self.stacks.first().cloned().unwrap_or_default() }
    }

    pub(crate) fn kind(&self) -> BugKind {
        match self.cause {
            Cause::Signal(libc::SIGABRT | libc::SIGILL | libc::SIGTRAP) => BugKind::Abort,
            Cause::StackOverflow => BugKind::StackOverflow,
            Cause::Sanitizer => BugKind::Asan,
            Cause::Exit(_) => BugKind::Exit,
            Cause::Time => BugKind::Timeout,
            Cause::Memory => BugKind::Oom,
            Cause::Leak => BugKind::Leak,
            Cause::Unseen(status) if libc::WIFEXITED(status) => BugKind::Exit,
            Cause::Unseen(status) if libc::WTERMSIG(status) == libc::SIGABRT => BugKind::Abort,
            Cause::Unseen(status) if libc::WTERMSIG(status) == libc::SIGKILL => BugKind::Oom,
            Cause::Signal(_) | Cause::Unseen(_) => BugKind::Segv,
        }
    }

    fn message(&self) -> String {
        match self.cause {
            Cause::Signal(signal) => format!("the process was killed by {}", signal_name(signal)),
            Cause::StackOverflow => "the stack ran out".to_owned(),
            Cause::Sanitizer => format!("AddressSanitizer: {}", if self.error.is_empty() { "an error" } else { &self.error }),
            Cause::Exit(code) => format!("the target ended its process with exit code {code}"),
            Cause::Time => "the run did not end in time".to_owned(),
            Cause::Memory => "the run took too much memory".to_owned(),
            Cause::Leak => "memory was not given back (LeakSanitizer)".to_owned(),
            Cause::Unseen(status) if libc::WIFEXITED(status) => format!("the target ended its process with exit code {}", libc::WEXITSTATUS(status)),
            Cause::Unseen(status) => format!("the process was killed by {}", signal_name(libc::WTERMSIG(status))),
        }
    }
}

/// What all of these share, from the outermost frame on: a loop is in the function that all samples are in, not in what it happened to call.
fn shared_frames(stacks: impl Iterator<Item = Vec<Frame>>) -> Vec<Frame> {
    stacks
        .reduce(|one, other| {
            let same = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one.function == other.function).count();
            one[one.len() - same..].to_vec()
        })
        .unwrap_or_default()
}

/// The functions of a recursion, whatever its depth and wherever it was cut off: those that occur again and again, in an order of their own.
fn cycle(functions: &[&str]) -> Vec<String> {
    let mut names: Vec<&str> = functions.iter().copied().filter(|name| functions.iter().filter(|other| other == &name).count() > 2).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

fn signal_name(signal: i32) -> String {
    match signal {
        libc::SIGSEGV => "SIGSEGV, an invalid memory access".to_owned(),
        libc::SIGBUS => "SIGBUS, an invalid memory access".to_owned(),
        libc::SIGABRT => "SIGABRT: it aborted".to_owned(),
        libc::SIGILL => "SIGILL, as aborting intrinsics do".to_owned(),
        libc::SIGFPE => "SIGFPE, an arithmetic error".to_owned(),
        libc::SIGTRAP => "SIGTRAP".to_owned(),
        libc::SIGKILL => "SIGKILL, from outside or by the system for want of memory".to_owned(),
        libc::SIGXCPU => "SIGXCPU: it used up its limit of processor time".to_owned(),
        other => format!("signal {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_share_their_outermost_functions() {
        let stack = |functions: &[&str], line| functions.iter().map(|name| Frame::new(name, "a.rs", line)).collect::<Vec<_>>();
        let shared = shared_frames([stack(&["x", "c", "b", "a"], 1), stack(&["y", "z", "c", "b", "a"], 2), stack(&["c", "b", "a"], 3)].into_iter());
        assert_eq!(shared.iter().map(|frame| &*frame.function).collect::<Vec<_>>(), ["c", "b", "a"]);
    }

    #[test]
    fn a_recursion_is_the_same_wherever_it_was_cut_off() {
        assert_eq!(cycle(&["a", "b", "a", "b", "a", "b", "main"]), ["a", "b"]);
        assert_eq!(cycle(&["leaf", "b", "a", "b", "a", "b", "a", "main"]), ["a", "b"]);
    }
}
