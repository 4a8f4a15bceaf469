//! The record that a dying process writes into shared memory. It says why the process died, and
//! where.
//!
//! The handlers here take no lock and allocate nothing. They follow no reference into memory that
//! the interrupted code may be changing. Everything that they need was made before:
//!
//! - the tables that a [walk](super::walk) reads,
//! - the bounds and the handler stack of each [thread](super::threads),
//! - the [notes](super::note).
//!
//! The run itself publishes its choices, see [`Drawn`](super::drawn::Drawn).

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8, Ordering};

use super::bell::Bell;
use super::note::Note;
use super::record::{self, cause};
use super::shared::{Area, Header, Outgoing, Shared};
use super::walk::{self, Walk};
use super::{covered, sanitizer, threads};
use crate::failure::deaths::Death;
use crate::failure::panics::{self, Panic};
use crate::system::{forked, process};

/// The place of the record area in shared memory.
static RECORD: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
/// The bell that rings when a record is published.
static BELL: AtomicPtr<Bell> = AtomicPtr::new(null_mut());
/// What the process does after its record is written.
static AFTERWARDS: OnceLock<fn()> = OnceLock::new();

/// The exit code after a fault while the target did not run.
pub(crate) const FAULT_OUTSIDE: c_int = 117;
/// The `si_code` of an access to an address where nothing is mapped.
const SEGV_MAPERR: c_int = 1;
/// Accesses through a null pointer lie below this address.
const NULL_PAGES: usize = 64 << 10;
/// The maximum number of return addresses written for the call that freed a block.
const FREED_MAX: usize = 64;

/// What this process does. A death while the target does not run is a bug in dwindle.
static STATE: AtomicU8 = AtomicU8::new(state::IDLE);

mod state {
    pub(crate) const IDLE: u8 = 0;
    pub(crate) const RUNNING: u8 = 1;
    pub(crate) const DYING: u8 = 2;
}

/// The thread that writes the record of a death.
static DYING_THREAD: AtomicI32 = AtomicI32::new(0);

/// The user's `bug_key`, part of the bug id.
static KEY: Note<4096> = Note::new();
/// The first panic of the run.
static PANIC: Note<65_536> = Note::new();

/// The time limit for a handler, in seconds. After it the system ends the process. The stages
/// written so far are the record.
const HANDLER_SECONDS_MAX: u32 = 10;

/// The signal that requests a stack sample from a run that takes too long.
pub(super) fn sample_signal() -> c_int {
    libc::SIGRTMIN() + 7
}

/// Runs the target. If the target kills this process, the process writes a record.
#[inline]
pub(crate) fn watched<T>(run: impl FnOnce() -> T) -> T {
    KEY.clear();
    PANIC.clear();
    STATE.store(state::RUNNING, Ordering::Release);
    let result = run();
    if STATE
        .compare_exchange(state::RUNNING, state::IDLE, Ordering::AcqRel, Ordering::Relaxed)
        .is_err()
    {
        // Another thread of the target is dying in this run.
        wait_for_the_end();
    }
    result
}

/// Keeps the user's `bug_key` of this run for its record.
pub(crate) fn keep_bug_key(words: &str) {
    KEY.set(|writer, size| writer.raw(&words.as_bytes()[..words.floor_char_boundary(size)]));
}

/// Stops the recording in this process, a forked child that no longer runs the target. The end of
/// the child is not recorded.
pub(super) fn stop_watching() {
    STATE.store(state::IDLE, Ordering::Release);
}

fn keep_panic(panic: &Panic) {
    PANIC.set(|writer, size| record::write_panic(writer, size, panic));
    covered::end();
}

/// From now on a death while the target runs leaves a record. The dying process then adds one to
/// `bell`, which wakes its waiters. At the end it calls `afterwards`, possibly in a signal handler.
pub(crate) fn record_in<H: Header>(
    shared: &'static Shared<H>,
    bell: &'static Bell,
    afterwards: fn(),
) {
    unsafe extern "C" {
        fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    walk::prepare();
    threads::see();
    forked::mark();
    RECORD.store(shared.place(Area::Record), Ordering::Release);
    BELL.store(std::ptr::from_ref(bell).cast_mut(), Ordering::Release);
    let _ = AFTERWARDS.set(afterwards);
    panics::show_first_to(keep_panic);
    // SAFETY: the handlers are plain functions that live as long as the program.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction =
            on_signal as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        // The mask blocks all other signals in a handler. If the handler faults again, the kernel
        // kills the process at once.
        libc::sigfillset(&raw mut action.sa_mask);
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        for signal in [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGILL,
            libc::SIGFPE,
            libc::SIGTRAP,
            libc::SIGABRT,
            libc::SIGSYS,
        ] {
            libc::sigaction(signal, &raw const action, null_mut());
        }
        // The sample handler blocks no other signals: a fault may occur while it runs.
        libc::sigemptyset(&raw mut action.sa_mask);
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigaction(sample_signal(), &raw const action, null_mut());
        on_exit(on_exit_of_the_target, null_mut());
    }
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    if forked::is_forked_by_target() {
        die_as_any_process(signal);
        return;
    }
    if signal == sample_signal() {
        if STATE.load(Ordering::Acquire) == state::RUNNING {
            // SAFETY: `errno` belongs to this thread. The interrupted code may be about to read it,
            // so the handler restores it.
            unsafe {
                let error = *libc::__errno_location();
                sample(context);
                *libc::__errno_location() = error;
            }
        }
        return;
    }
    begin_to_die();
    // SAFETY: the kernel passes a valid description to the handler.
    let address = unsafe { (*info).si_addr() } as usize;
    let is_overflow = matches!(signal, libc::SIGSEGV | libc::SIGBUS)
        && threads::is_overflow(address, walk::stack_pointer(context));
    // SAFETY: the kernel passes a valid description to the handler.
    let is_null = unsafe { (*info).si_code } == SEGV_MAPERR && address < NULL_PAGES;
    let cause = match signal {
        _ if is_overflow => cause::OVERFLOW,
        libc::SIGSEGV | libc::SIGBUS if !is_null => cause::WILD,
        _ => cause::SIGNAL,
    };
    die(cause, signal as u64, b"", || Walk::of_interrupted(context))
}

extern "C" fn on_exit_of_the_target(code: c_int, _argument: *mut c_void) {
    if forked::is_forked_by_target() {
        // The exit handler of libFuzzer runs after this one. It would report the exit of such a
        // child as a crash.
        // SAFETY: the calls end the process, as its `exit` would.
        unsafe {
            libc::fflush(null_mut());
            libc::_exit(code);
        }
    }
    if !forked::is_forked_by_target() && STATE.load(Ordering::Acquire) != state::IDLE {
        begin_to_die();
        die(cause::EXIT, code as u64, b"", Walk::here)
    }
}

/// `AddressSanitizer` calls this function before it reports an error. The process ends here,
/// because a report takes a hundred milliseconds and is not read.
///
/// Without a sanitizer nothing calls this function. It does nothing while the target does not run.
#[unsafe(no_mangle)]
extern "C" fn __asan_on_error() {
    if !forked::is_forked_by_target() && STATE.load(Ordering::Acquire) != state::IDLE {
        begin_to_die();
        die(cause::SANITIZER, 0, sanitizer::error(), Walk::here)
    }
}

/// Ends this process after a run that leaked memory. `addresses` are the return addresses of the
/// allocation.
pub(super) fn die_of_leak(addresses: &[usize]) -> ! {
    let mut record = new_record();
    first_stage(&mut record, cause::LEAK, 0, b"");
    record::write_stack(&mut record, addresses);
    record.publish();
    ring();
    leave_recorded()
}

/// Returns in the thread that writes the record. A second fault of that thread ends the process,
/// and so does a fault while the target did not run. Other threads wait until the process has
/// ended.
fn begin_to_die() {
    // The code that follows, also that of other crates, does not belong to the run.
    covered::end();
    let me = rustix::thread::gettid().as_raw_nonzero().get();
    let before = STATE.swap(state::DYING, Ordering::AcqRel);
    if before == state::DYING {
        if DYING_THREAD.load(Ordering::Acquire) == me {
            leave();
        }
        wait_for_the_end();
    }
    DYING_THREAD.store(me, Ordering::Release);
    if before == state::IDLE {
        process::leave_from_a_handler(FAULT_OUTSIDE);
    }
    end_if_it_hangs();
}

/// Writes the record and ends the process. The first stage says why the process dies.
fn die(cause: u8, number: u64, error: &[u8], walk: impl FnOnce() -> Walk) -> ! {
    let mut record = new_record();
    first_stage(&mut record, cause, number, error);
    record.publish();
    ring();
    record::write_stack(&mut record, walk().addresses());
    record.publish();
    if cause == cause::SANITIZER {
        record::write_freed(&mut record, sanitizer::freed_by(&mut [0; FREED_MAX]));
        record.publish();
    }
    leave_recorded()
}

/// Writes where the run is, and lets the run continue.
fn sample(context: *const c_void) {
    let walk = Walk::of_interrupted(context);
    // The record of a death takes precedence over a sample.
    if STATE.load(Ordering::Acquire) != state::RUNNING {
        return;
    }
    let mut record = new_record();
    first_stage(&mut record, cause::SAMPLE, 0, b"");
    record::write_stack(&mut record, walk.addresses());
    record.publish();
    ring();
}

fn new_record() -> Outgoing {
    let place = RECORD.load(Ordering::Acquire);
    if place.is_null() {
        leave();
    }
    // SAFETY: only this process writes to the area. In it, only the dying or the sampled thread
    // writes.
    let mut record = unsafe { Outgoing::at(place) };
    record.restart();
    record
}

fn first_stage(record: &mut Outgoing, cause: u8, number: u64, error: &[u8]) {
    record::write_cause(record, cause, number, error);
    KEY.copy_to(record);
    PANIC.copy_to(record);
}

fn ring() {
    // SAFETY: the pointer is null, or points to a bell that lives as long as the process.
    if let Some(bell) = unsafe { BELL.load(Ordering::Acquire).as_ref() } {
        bell.set(bell.get().wrapping_add(1));
    }
}

/// Lets a child that the target forked die like any other process. What such a child does must not
/// be recorded as this process's run.
fn die_as_any_process(signal: c_int) {
    // SAFETY: the system calls affect only this process. A fault happens again when the handler
    // returns. The call to `raise` repeats a signal that was sent.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// No handler is known to hang. If one hangs, `SIGALRM` ends this process.
fn end_if_it_hangs() {
    // SAFETY: the system calls affect only this process, which is about to end.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        let mut alarm: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&raw mut alarm, libc::SIGALRM);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const alarm, null_mut());
        libc::alarm(HANDLER_SECONDS_MAX);
    }
}

fn wait_for_the_end() -> ! {
    loop {
        // SAFETY: the call returns when a signal was handled.
        unsafe { libc::pause() };
    }
}

fn leave_recorded() -> ! {
    if let Some(afterwards) = AFTERWARDS.get() {
        afterwards();
    }
    leave()
}

fn leave() -> ! {
    // Skips the work that a sanitizer does at the end of a process.
    process::leave_from_a_handler(1)
}

/// Reads the record of a process that died, or that was sampled.
pub(crate) fn read<H: Header>(shared: &Shared<H>) -> Option<Death> {
    record::read(&shared.read(Area::Record))
}

/// Reads a record from its bytes.
pub(crate) fn read_bytes(bytes: &[u8]) -> Option<Death> {
    record::read(bytes)
}
