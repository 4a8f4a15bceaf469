//! Panics of the target: seen by the hook, kept for whoever runs the target, not printed.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use crate::failure::frames::ADDRESSES_MAX;

/// The first panic of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Panic {
    /// May be garbage once the target has damaged memory.
    pub(crate) message: String,
    pub(crate) place: Place,
    /// Return addresses, innermost first; none unless they were wanted.
    pub(crate) addresses: Vec<usize>,
}

/// Where a panic was, as the compiler has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Empty where it is not known. In the process that panicked it lies in the executable, where no target writes to it.
    pub(crate) file: Cow<'static, str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    fn of(at: &std::panic::Location<'_>) -> Place {
        // SAFETY: only the compiler makes locations, and their files are constants of the program.
        let file: &'static str = unsafe { &*std::ptr::from_ref(at.file()) };
        Place { file: Cow::Borrowed(file), line: at.line(), column: at.column() }
    }

    /// Whether the file lies in the executable.
    pub(crate) fn is_static(&self) -> bool {
        matches!(self.file, Cow::Borrowed(_))
    }
}

/// How many runs go on the panics of which shall be kept with their return addresses.
static FRAMES_WANTED: AtomicU64 = AtomicU64::new(0);
static INSTALL: Once = Once::new();
static PROCESS_WATCHED: AtomicBool = AtomicBool::new(false);
/// Set with [`PROCESS_PANIC`], so that a run without a panic costs one load.
static PROCESS_SEEN: AtomicBool = AtomicBool::new(false);
/// Which run of the target is watched.
static RUN: AtomicU64 = AtomicU64::new(0);
static PROCESS_PANIC: Mutex<Option<Panic>> = Mutex::new(None);
static WITNESS: OnceLock<fn(&Panic)> = OnceLock::new();

thread_local! {
    static THREAD_WATCHED: Cell<bool> = const { Cell::new(false) };
    static THREAD_PANIC: RefCell<Option<Panic>> = const { RefCell::new(None) };
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// Puts the hook in place, once for the process. Until something is watched every panic goes to the hook that was there before.
pub(crate) fn install() {
    INSTALL.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            if !keep(info) {
                previous(info);
            }
        }));
    });
}

/// Runs something whose panic is kept with its return addresses. To walk the stack costs more than most executions of a target, and a report needs it once.
pub(crate) fn with_frames<T>(run: impl FnOnce() -> T) -> T {
    FRAMES_WANTED.fetch_add(1, Ordering::Relaxed);
    let result = run();
    FRAMES_WANTED.fetch_sub(1, Ordering::Relaxed);
    result
}

/// Whose panics count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of every thread but ours: a fuzzer runs one target at a time.
    Process,
    /// Those of the current thread: tests run side by side.
    Thread,
}

impl Scope {
    /// Begins or ends keeping the panics of this scope: they count while the target runs, and no longer, or a bug of ours would pass for one of the target.
    #[inline]
    pub(crate) fn watch(self, on: bool) {
        match self {
            Scope::Process => {
                if on {
                    // One thread runs the target, so nothing is lost between the two.
                    RUN.store(RUN.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
                }
                PROCESS_WATCHED.store(on, Ordering::Relaxed);
            }
            Scope::Thread => THREAD_WATCHED.set(on),
        }
    }

    /// Whether there was a panic since the last one was taken.
    #[inline]
    pub(crate) fn has_seen(self) -> bool {
        match self {
            Scope::Process => PROCESS_SEEN.load(Ordering::Acquire),
            Scope::Thread => THREAD_PANIC.with_borrow(Option::is_some),
        }
    }

    /// The first panic since the last call, if there was one.
    #[inline]
    pub(crate) fn take(self) -> Option<Panic> {
        match self {
            Scope::Process if !self.has_seen() => None,
            Scope::Process => {
                PROCESS_SEEN.store(false, Ordering::Release);
                PROCESS_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take()
            }
            Scope::Thread => THREAD_PANIC.take(),
        }
    }
}

/// Shows the first panic of each run of the process as soon as it is kept: a handler, which cannot wait for a lock, finds it elsewhere.
pub(crate) fn show_first_to(witness: fn(&Panic)) {
    let _ = WITNESS.set(witness);
}

/// Says that the current thread is dwindle's own: a panic in it is a bug of ours and never one of the target.
pub(crate) fn this_thread_is_ours() {
    OURS.set(true);
}

fn keep(info: &PanicHookInfo<'_>) -> bool {
    if OURS.get() {
        false
    } else if THREAD_WATCHED.get() {
        THREAD_PANIC.with_borrow_mut(|panic| {
            panic.get_or_insert_with(|| Panic::of(info));
        });
        true
    } else if PROCESS_WATCHED.load(Ordering::Relaxed) {
        let run = RUN.load(Ordering::Relaxed);
        let panic = Panic::of(info);
        let mut kept = PROCESS_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread that a run left behind must not put its panic on the next input.
        if run == RUN.load(Ordering::Relaxed) && PROCESS_WATCHED.load(Ordering::Relaxed) {
            if kept.is_none()
                && let Some(witness) = WITNESS.get()
            {
                witness(&panic);
            }
            kept.get_or_insert(panic);
            PROCESS_SEEN.store(true, Ordering::Release);
        }
        true
    } else {
        false
    }
}

impl Panic {
    fn of(info: &PanicHookInfo<'_>) -> Panic {
        let mut addresses = Vec::new();
        if FRAMES_WANTED.load(Ordering::Relaxed) > 0 {
            let mut push = |frame: &backtrace::Frame| {
                addresses.push(frame.ip() as usize);
                addresses.len() < ADDRESSES_MAX
            };
            // SAFETY: on Linux threads may walk their stacks at the same time. The lock that is left out is one that some other thread may hold for ever in the process
            // that this one was forked from.
            unsafe { backtrace::trace_unsynchronized(&mut push) };
        }
        let message = info.payload_as_str().unwrap_or("(a panic whose payload is no text)").to_owned();
        Panic { message, place: info.location().map(Place::of).unwrap_or_default(), addresses }
    }

    /// A panic that no hook saw, because the target has set a hook of its own.
    pub(crate) fn unseen(payload: &(dyn std::any::Any + Send)) -> Panic {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned()).or_else(|| payload.downcast_ref::<String>().cloned());
        let message = text.unwrap_or_else(|| "(a panic whose payload is no text)".to_owned());
        Panic { message, place: Place::default(), addresses: Vec::new() }
    }

    #[cfg(test)]
    pub(crate) fn at(place: Place) -> Panic {
        Panic { message: String::new(), place, addresses: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn nobody_who_walks_a_stack_holds_up_a_panic() {
        install();
        let (walks, walking) = mpsc::channel();
        let (ends, ended) = mpsc::channel::<()>();
        let walker = std::thread::spawn(move || {
            backtrace::trace(|_| {
                walks.send(()).unwrap();
                let _ = ended.recv();
                false
            });
        });
        walking.recv().unwrap();
        let (tells, told) = mpsc::channel();
        std::thread::spawn(move || {
            Scope::Thread.watch(true);
            let _ = with_frames(|| std::panic::catch_unwind(|| panic!("held up")));
            tells.send(Scope::Thread.take().map(|panic| (panic.message, panic.addresses.is_empty()))).unwrap();
        });
        let panic = told.recv_timeout(Duration::from_secs(20));
        drop(ends);
        walker.join().unwrap();
        assert_eq!(panic, Ok(Some(("held up".to_owned(), false))));
    }
}
