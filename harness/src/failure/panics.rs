//! Panics of the target. The hook keeps them for the code that runs the target, and does not print
//! them.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

#[cfg(feature = "fuzzing")]
use crate::failure::frames::ADDRESSES_MAX;

/// The first panic of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Panic {
    /// May be garbage once the target has damaged memory.
    pub(crate) message: String,
    pub(crate) place: Place,
    /// Return addresses, innermost first. Empty unless they were requested.
    pub(crate) addresses: Vec<usize>,
}

/// The place of a panic, as the compiler recorded it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Empty if the file is unknown. In the process that panicked it lies in the executable, where
    /// no target writes to it.
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

    /// Whether the file name lies in the executable.
    pub(crate) fn is_static(&self) -> bool {
        matches!(self.file, Cow::Borrowed(_))
    }
}

/// Number of active runs whose panics are kept with return addresses.
static FRAMES_WANTED: AtomicU64 = AtomicU64::new(0);
static INSTALL: Once = Once::new();
static PROCESS_WATCHED: AtomicBool = AtomicBool::new(false);
/// Set with [`PROCESS_PANIC`], so that a run without a panic costs only one load.
static PROCESS_SEEN: AtomicBool = AtomicBool::new(false);
/// The number of the watched run of the target.
static RUN: AtomicU64 = AtomicU64::new(0);
static PROCESS_PANIC: Mutex<Option<Panic>> = Mutex::new(None);
static WITNESS: OnceLock<fn(&Panic)> = OnceLock::new();

thread_local! {
    static THREAD_WATCHED: Cell<bool> = const { Cell::new(false) };
    static THREAD_PANIC: RefCell<Option<Panic>> = const { RefCell::new(None) };
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// Installs the hook, once for the process. Until a scope is watched, every panic goes to the
/// previous hook.
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

/// Runs `run` and keeps its panic with return addresses. Walking the stack costs more than most
/// executions of a target, and a report needs it once.
pub(crate) fn with_frames<T>(run: impl FnOnce() -> T) -> T {
    FRAMES_WANTED.fetch_add(1, Ordering::Relaxed);
    let result = run();
    FRAMES_WANTED.fetch_sub(1, Ordering::Relaxed);
    result
}

/// The threads whose panics count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every thread except dwindle's own threads. A fuzzer runs one target at a time.
    Process,
    /// The current thread only. Tests run in parallel.
    Thread,
}

impl Scope {
    /// Starts or stops keeping the panics of this scope. They count only while the target runs.
    /// Otherwise a bug of dwindle would pass for a bug of the target.
    #[inline]
    pub(crate) fn watch(self, on: bool) {
        match self {
            Scope::Process => {
                if on {
                    // One thread runs the target, so no update is lost between the load and the
                    // store.
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

/// Shows the first panic of each run of the process to `witness` as soon as it is kept. A signal
/// handler cannot wait for the lock, so it reads the panic from another place.
pub(crate) fn show_first_to(witness: fn(&Panic)) {
    let _ = WITNESS.set(witness);
}

/// Marks the current thread as dwindle's own. A panic in it is a bug of dwindle, never of the
/// target.
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
        // A thread that outlives its run must not add its panic to the next input.
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

/// The return addresses of the calling thread, innermost first.
///
/// They begin in the function that holds `info` and called the hook. Symbols of the hook itself
/// would take long to read, because dwindle is one large unit of debug information.
#[cfg(feature = "fuzzing")]
fn return_addresses(info: &PanicHookInfo<'_>) -> Vec<usize> {
    let mut addresses = Vec::new();
    let hook_ends = std::ptr::from_ref(info) as usize;
    let mut push = |frame: &backtrace::Frame| {
        if frame.sp() as usize > hook_ends {
            addresses.push(frame.ip() as usize);
        }
        addresses.len() < ADDRESSES_MAX
    };
    // SAFETY: on Linux, several threads may walk their stacks at the same time. This call omits a
    // lock, because a thread of the parent process may have held it at the fork and would never
    // release it.
    unsafe { backtrace::trace_unsynchronized(&mut push) };
    addresses
}

/// Without the feature `fuzzing` there is no name for an address.
#[cfg(not(feature = "fuzzing"))]
fn return_addresses(_: &PanicHookInfo<'_>) -> Vec<usize> {
    Vec::new()
}

impl Panic {
    fn of(info: &PanicHookInfo<'_>) -> Panic {
        let wanted = FRAMES_WANTED.load(Ordering::Relaxed) > 0;
        let addresses = if wanted { return_addresses(info) } else { Vec::new() };
        let message =
            info.payload_as_str().unwrap_or("(a panic whose payload is not text)").to_owned();
        Panic { message, place: info.location().map(Place::of).unwrap_or_default(), addresses }
    }

    /// A panic that the hook did not see, because the target has set another hook.
    pub(crate) fn unseen(payload: &(dyn std::any::Any + Send)) -> Panic {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned());
        let message = text.unwrap_or_else(|| "(a panic whose payload is not text)".to_owned());
        Panic { message, place: Place::default(), addresses: Vec::new() }
    }

    #[cfg(test)]
    pub(crate) fn at(place: Place) -> Panic {
        Panic { message: String::new(), place, addresses: Vec::new() }
    }
}

#[cfg(test)]
#[cfg(feature = "fuzzing")]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_stack_walk_in_another_thread_does_not_delay_a_panic() {
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
            tells
                .send(Scope::Thread.take().map(|panic| (panic.message, panic.addresses.is_empty())))
                .unwrap();
        });
        let panic = told.recv_timeout(Duration::from_secs(20));
        drop(ends);
        walker.join().unwrap();
        assert_eq!(panic, Ok(Some(("held up".to_owned(), false))));
    }

    #[test]
    fn the_addresses_of_a_panic_begin_in_the_standard_library() {
        install();
        let addresses = std::thread::spawn(|| {
            Scope::Thread.watch(true);
            let _ = with_frames(|| std::panic::catch_unwind(|| panic!("here")));
            Scope::Thread.take().unwrap().addresses
        });
        let addresses = addresses.join().unwrap();
        let files: Vec<String> = addresses
            .iter()
            .flat_map(|address| crate::failure::symbols::at(address.wrapping_sub(1)))
            .map(|symbol| symbol.file)
            .collect();
        assert!(files[0].ends_with("library/std/src/panicking.rs"), "{files:#?}");
        assert!(files.iter().any(|file| file.ends_with("failure/panics.rs")), "{files:#?}");
    }
}
