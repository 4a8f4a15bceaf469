//! Gives names to the deaths of processes.

use std::collections::HashMap;
use std::path::Path;

use dwindle_corpus::{BugId, BugKind};
use dwindle_engine::internals::sorted::sort_by;

use crate::failure::failed::{Failed, SignOfDamage};
use crate::failure::frames::{Frame, is_noticed_by_an_allocator, leads_to_the_bottom, user_frames};
use crate::failure::names;
use crate::failure::panics::{Panic, Place};

/// Why a process that ran the target died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DeathCause {
    Signal(i32),
    StackOverflow,
    /// `AddressSanitizer` found an error.
    Sanitizer,
    /// The target called `exit` with this code.
    Exit(i32),
    /// The run exceeded its time limit, and the process was killed.
    Time,
    /// The run exceeded its memory limit, and the process was killed.
    Memory,
    /// The target leaked memory.
    Leak,
    /// The process recorded nothing. `waitpid` returned this status.
    Unseen(i32),
}

/// The end of a process, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Death {
    pub(crate) cause: DeathCause,
    /// Return addresses, innermost first. A run that was killed from outside has several stacks,
    /// sampled some time apart.
    pub(crate) stacks: Vec<Vec<usize>>,
    /// Whether the process died of an invalid memory access, except one through a null pointer.
    pub(crate) is_wild: bool,
    /// Return addresses of the call that freed the block, if a sanitizer reports it.
    pub(crate) freed: Vec<usize>,
    /// The sanitizer's name for the error.
    pub(crate) error: String,
    pub(crate) bug_key: String,
    /// The panic that happened earlier in the run.
    pub(crate) panic: Option<Panic>,
}

/// Names deaths and remembers the results, because symbolizing frames takes long.
#[derive(Default)]
pub(crate) struct DeathNames(HashMap<Death, Failed>);

impl DeathNames {
    /// Returns the failure of this death.
    pub(crate) fn of(&mut self, death: Death, manifest_dir: &Path) -> Failed {
        self.0.entry(death).or_insert_with_key(|death| death.named(manifest_dir)).clone()
    }
}

/// The message ends with this text if an allocator noticed the damage.
const NOTICED: &str = ", in the allocator: memory was damaged earlier, at an unknown place";
/// Number of user frames that distinguish deaths.
const FRAMES_MAX: usize = 3;

impl Death {
    /// The death of a process that recorded nothing. `status` is the status from `waitpid`.
    pub(crate) fn unseen(status: i32) -> Death {
        Death {
            cause: DeathCause::Unseen(status),
            stacks: Vec::new(),
            is_wild: false,
            freed: Vec::new(),
            error: String::new(),
            bug_key: String::new(),
            panic: None,
        }
    }

    /// Changes all return addresses, one list after the other.
    pub(crate) fn change_addresses(&mut self, mut change: impl FnMut(&mut Vec<usize>)) {
        self.stacks.iter_mut().chain([&mut self.freed]).for_each(&mut change);
        if let Some(panic) = &mut self.panic {
            change(&mut panic.addresses);
        }
    }

    /// The failure of this death. If the run panicked before it died, the panic is the failure. The
    /// death then follows from the panic, for example as an abort after a panic in a destructor.
    pub(crate) fn named(&self, manifest_dir: &Path) -> Failed {
        if let Some(panic) = &self.panic {
            let id = names::id_of_panic(&panic.place, &self.bug_key, manifest_dir);
            return Failed::of_panic(panic.clone(), id).located(manifest_dir);
        }
        let kind = self.kind();
        let frames =
            shared_frames(self.stacks.iter().map(|addresses| user_frames(addresses, manifest_dir)));
        let functions: Vec<&str> = frames.iter().map(|frame| frame.function.as_str()).collect();
        let signature = if kind == BugKind::StackOverflow {
            cycle(&functions)
        } else {
            functions.iter().take(FRAMES_MAX).map(|name| (*name).to_owned()).collect()
        };
        let first = BugId::of(&format!(
            "{kind}\n{}\n{}\n{}",
            self.error,
            signature.join("\n"),
            self.bug_key
        ));
        let noticed_by_an_allocator = self.is_noticed_by_an_allocator(manifest_dir);
        let id = match self.freed_in(manifest_dir) {
            _ if noticed_by_an_allocator => heap_damage(&self.bug_key),
            Some(function) => {
                BugId::of(&format!("use of freed memory\n{function}\n{}", self.bug_key))
            }
            None => first,
        };
        let location = frames
            .iter()
            .find(|frame| frame.has_line())
            .or(frames.first())
            .map_or_else(|| "an unknown place".to_owned(), Frame::place);
        let sign_of_damage = if noticed_by_an_allocator {
            SignOfDamage::Heap
        } else if self.is_wild || self.has_damaged_stack() {
            SignOfDamage::Pointer
        } else {
            SignOfDamage::None
        };
        let location = if noticed_by_an_allocator {
            format!("the heap, noticed at {location}")
        } else {
            location
        };
        let message = if noticed_by_an_allocator {
            format!("{}{NOTICED}", self.message())
        } else {
            self.message()
        };
        let addresses = self.stacks.first().cloned().unwrap_or_default();
        Failed {
            id,
            old_id: (id != first).then_some(first),
            kind,
            location,
            place: Place::default(),
            message,
            sign_of_damage,
            addresses,
        }
    }

    /// Whether a fault happened on a stack that was overwritten.
    fn has_damaged_stack(&self) -> bool {
        matches!(self.cause, DeathCause::Signal(_) | DeathCause::StackOverflow)
            && self.stacks.first().is_none_or(|addresses| !leads_to_the_bottom(addresses))
    }

    /// Whether an allocator found its memory damaged. The place of the check tells nothing about
    /// the cause.
    fn is_noticed_by_an_allocator(&self, manifest_dir: &Path) -> bool {
        let is_fault = matches!(self.cause, DeathCause::Signal(_));
        is_fault
            && self
                .stacks
                .first()
                .is_some_and(|addresses| is_noticed_by_an_allocator(addresses, manifest_dir))
    }

    /// The function that freed a block which was used later. The use itself may be in any code that
    /// touches the block.
    fn freed_in(&self, manifest_dir: &Path) -> Option<String> {
        let is_error = self.cause == DeathCause::Sanitizer
            && matches!(self.error.as_str(), "heap-use-after-free" | "double-free");
        let frames = if is_error { user_frames(&self.freed, manifest_dir) } else { Vec::new() };
        frames.into_iter().next().map(|frame| frame.function)
    }

    pub(crate) fn kind(&self) -> BugKind {
        match self.cause {
            DeathCause::Signal(libc::SIGABRT | libc::SIGILL | libc::SIGTRAP) => BugKind::Abort,
            DeathCause::StackOverflow => BugKind::StackOverflow,
            DeathCause::Sanitizer => BugKind::Asan,
            DeathCause::Exit(_) => BugKind::Exit,
            DeathCause::Time => BugKind::Timeout,
            DeathCause::Memory => BugKind::Oom,
            DeathCause::Leak => BugKind::Leak,
            DeathCause::Unseen(status) if libc::WIFEXITED(status) => BugKind::Exit,
            DeathCause::Unseen(status) if libc::WTERMSIG(status) == libc::SIGABRT => BugKind::Abort,
            DeathCause::Unseen(status) if libc::WTERMSIG(status) == libc::SIGKILL => BugKind::Oom,
            DeathCause::Signal(_) | DeathCause::Unseen(_) => BugKind::Segv,
        }
    }

    fn message(&self) -> String {
        match self.cause {
            DeathCause::Signal(signal) => {
                format!("the process was killed by {}", signal_name(signal))
            }
            DeathCause::StackOverflow => "the stack overflowed".to_owned(),
            DeathCause::Sanitizer => format!(
                "AddressSanitizer: {}",
                if self.error.is_empty() { "an error" } else { &self.error }
            ),
            DeathCause::Exit(code) => format!("the target ended its process with exit code {code}"),
            DeathCause::Time => "the run did not end in time".to_owned(),
            DeathCause::Memory => "the run used too much memory".to_owned(),
            DeathCause::Leak => "memory was not freed (LeakSanitizer)".to_owned(),
            DeathCause::Unseen(status) if libc::WIFEXITED(status) => {
                format!("the target ended its process with exit code {}", libc::WEXITSTATUS(status))
            }
            DeathCause::Unseen(status) => {
                format!("the process was killed by {}", signal_name(libc::WTERMSIG(status)))
            }
        }
    }
}

/// The bug for damage that an allocator detects.
pub(crate) fn heap_damage(bug_key: &str) -> BugId {
    BugId::of(&format!("heap damage\n{bug_key}"))
}

/// The frames that all stacks share, counted from the outermost. A loop is in the function that all
/// samples share, not in the functions that it calls.
fn shared_frames(stacks: impl Iterator<Item = Vec<Frame>>) -> Vec<Frame> {
    stacks
        .reduce(|one, other| {
            let same = one
                .iter()
                .rev()
                .zip(other.iter().rev())
                .take_while(|(one, other)| one.function == other.function)
                .count();
            one[one.len() - same..].to_vec()
        })
        .unwrap_or_default()
}

/// The functions of a recursion: those that occur at least three times, sorted by name. They are
/// the same at any depth, and wherever the stack was cut off.
fn cycle(functions: &[&str]) -> Vec<String> {
    let mut names: Vec<&str> = functions
        .iter()
        .copied()
        .filter(|name| functions.iter().filter(|other| other == &name).count() > 2)
        .collect();
    sort_by(&mut names, Ord::cmp);
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
        libc::SIGKILL => "SIGKILL, from outside or by the system because memory ran out".to_owned(),
        libc::SIGXCPU => "SIGXCPU: it reached its limit of processor time".to_owned(),
        other => format!("signal {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_env = "gnu")]
    fn a_stack_that_ends_too_soon_counts_as_overwritten() {
        let mut addresses = [std::ptr::null_mut(); 128];
        // SAFETY: the array has room for 128 addresses.
        let count = unsafe { libc::backtrace(addresses.as_mut_ptr(), 128) } as usize;
        let stack: Vec<usize> = addresses[..count].iter().map(|address| address.addr()).collect();
        let sign = |stack: &[usize]| {
            let death = Death {
                cause: DeathCause::Signal(libc::SIGILL),
                stacks: vec![stack.to_vec()],
                ..Death::unseen(0)
            };
            death.named(Path::new(env!("CARGO_MANIFEST_DIR"))).sign_of_damage
        };
        // This stack ends where its thread began.
        assert_eq!(sign(&stack), SignOfDamage::None);
        assert_eq!(sign(&stack[..3]), SignOfDamage::Pointer);
        assert_eq!(sign(&[]), SignOfDamage::Pointer);
        // An unrecorded stack is no sign of damage.
        assert_eq!(
            Death::unseen(libc::SIGSEGV).named(Path::new("")).sign_of_damage,
            SignOfDamage::None
        );
    }

    #[test]
    fn samples_share_their_outermost_functions() {
        let stack = |functions: &[&str], line| {
            functions.iter().map(|name| Frame::new(name, "a.rs", line)).collect::<Vec<_>>()
        };
        let shared = shared_frames(
            [
                stack(&["x", "c", "b", "a"], 1),
                stack(&["y", "z", "c", "b", "a"], 2),
                stack(&["c", "b", "a"], 3),
            ]
            .into_iter(),
        );
        assert_eq!(
            shared.iter().map(|frame| &*frame.function).collect::<Vec<_>>(),
            ["c", "b", "a"]
        );
    }

    #[test]
    fn a_recursion_has_the_same_cycle_wherever_its_stack_is_cut() {
        assert_eq!(cycle(&["a", "b", "a", "b", "a", "b", "main"]), ["a", "b"]);
        assert_eq!(cycle(&["leaf", "b", "a", "b", "a", "b", "a", "main"]), ["a", "b"]);
    }
}
