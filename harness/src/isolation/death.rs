//! A process' last moments: what kills it writes down, in shared memory, where it was.
//!
//! A handler here takes no lock, allocates nothing and follows no reference into memory that the interrupted code may be changing. What it needs was made before:
//! the tables that a [walk](super::walk) reads, the bounds and the stack for handlers of each [thread](super::threads), the [notes](super::note). What had been drawn is
//! published by the run itself, see [`Drawn`](super::drawn::Drawn).

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8, Ordering};

use super::bell::Bell;
use super::note::Note;
use super::record::{self, cause};
use super::shared::{Area, Header, Outgoing, Shared};
use super::walk::{self, Walk};
use super::{sanitizer, threads};
use crate::failure::deaths::Death;
use crate::failure::panics::{self, Panic};
use crate::system::{forked, process};

/// The area of records.
static RECORD: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
/// What rings when a record is there.
static BELL: AtomicPtr<Bell> = AtomicPtr::new(null_mut());
/// What the process does once its record is written.
static AFTERWARDS: OnceLock<fn()> = OnceLock::new();

/// The exit code of a process that had a fault while the target did not run.
pub(crate) const FAULT_OUTSIDE: c_int = 117;
/// How `si_code` says that nothing is mapped at an address.
const SEGV_MAPERR: c_int = 1;
/// Accesses through a null pointer lie below this.
const NULL_PAGES: usize = 64 << 10;
/// How many return addresses are written of the call that freed a block.
const FREED_MAX: usize = 64;

/// What this process does: a death while the target does not run is a bug of ours.
static STATE: AtomicU8 = AtomicU8::new(state::IDLE);

mod state {
    pub(crate) const IDLE: u8 = 0;
    pub(crate) const RUNNING: u8 = 1;
    pub(crate) const DYING: u8 = 2;
}

/// The thread that writes the record of a death.
static DYING: AtomicI32 = AtomicI32::new(0);

/// The words that tell failures of this run apart, and the first panic it had.
static KEY: Note<4096> = Note::new();
static PANIC: Note<65_536> = Note::new();

/// After so many seconds a handler is ended that has not ended by itself; what it wrote so far is the record.
const HANDLER_SECONDS_MAX: u32 = 10;

/// The signal that asks where a run is that takes too long.
pub(super) fn sample_signal() -> c_int {
    libc::SIGRTMIN() + 7
}

/// Runs the target, what it is killed by being recorded.
#[inline]
pub(crate) fn watched<T>(run: impl FnOnce() -> T) -> T {
    KEY.clear();
    PANIC.clear();
    STATE.store(state::RUNNING, Ordering::Release);
    let result = run();
    if STATE.compare_exchange(state::RUNNING, state::IDLE, Ordering::AcqRel, Ordering::Relaxed).is_err() {
        // Another thread of the target is dying of this run.
        wait_for_the_end();
    }
    result
}

/// Keeps the words that tell failures of this run apart.
pub(super) fn keyed(words: &str) {
    KEY.set(|writer, size| writer.raw(&words.as_bytes()[..words.floor_char_boundary(size)]));
}

/// Says that this process, a copy of one that runs the target, runs it no longer: how it ends is not recorded.
pub(super) fn stop_watching() {
    STATE.store(state::IDLE, Ordering::Release);
}

fn keep_panic(panic: &Panic) {
    PANIC.set(|writer, size| record::write_panic(writer, size, panic));
}

/// From now on this process writes a record before it dies, adds one to `bell`, wakes whoever waits for it, and does what is to be done `afterwards`, which may be
/// within a handler.
pub(crate) fn record_in<H: Header>(shared: &'static Shared<H>, bell: &'static Bell, afterwards: fn()) {
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
        action.sa_sigaction = on_signal as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        // Nothing interrupts a handler. A second fault in it kills at once, by the system's hand.
        libc::sigfillset(&raw mut action.sa_mask);
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGABRT, libc::SIGSYS] {
            libc::sigaction(signal, &raw const action, null_mut());
        }
        // Where the run is may be asked in the middle of a fault.
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
            // SAFETY: the place is this thread's own; the code that was interrupted may be about to look at it.
            unsafe {
                let error = *libc::__errno_location();
                sample(context);
                *libc::__errno_location() = error;
            }
        }
        return;
    }
    begin_to_die();
    // SAFETY: the kernel hands a valid description to the handler.
    let address = unsafe { (*info).si_addr() } as usize;
    let is_overflow = matches!(signal, libc::SIGSEGV | libc::SIGBUS) && threads::is_overflow(address, walk::stack_pointer(context));
    // SAFETY: as above.
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
        // Behind this handler libFuzzer has one, which would call the exit of such a child a crash.
        // SAFETY: ends the process, as its `exit` would.
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

/// What `AddressSanitizer` calls before it reports an error; a report takes a hundred milliseconds that nobody reads here.
///
/// Without a sanitizer nobody calls it. In a process that is no worker it does nothing.
#[unsafe(no_mangle)]
extern "C" fn __asan_on_error() {
    if !forked::is_forked_by_target() && STATE.load(Ordering::Acquire) != state::IDLE {
        begin_to_die();
        die(cause::SANITIZER, 0, sanitizer::error(), Walk::here)
    }
}

/// Ends this process, a run of which has taken memory at these return addresses and not given it back.
pub(super) fn of_a_leak(addresses: &[usize]) -> ! {
    let mut record = compose();
    first_stage(&mut record, cause::LEAK, 0, b"");
    record::write_stack(&mut record, addresses);
    record.publish();
    ring();
    leave_recorded()
}

/// Returns in the thread that is to write the record. A second fault of that thread ends the process; other threads wait until it has ended.
fn begin_to_die() {
    let me = rustix::thread::gettid().as_raw_nonzero().get();
    let before = STATE.swap(state::DYING, Ordering::AcqRel);
    if before == state::DYING {
        if DYING.load(Ordering::Acquire) == me {
            leave();
        }
        wait_for_the_end();
    }
    DYING.store(me, Ordering::Release);
    if before == state::IDLE {
        process::leave_from_a_handler(FAULT_OUTSIDE);
    }
    end_if_it_hangs();
}

/// Writes the record, first of all why the process dies, and ends the process.
fn die(cause: u8, number: u64, error: &[u8], walk: impl FnOnce() -> Walk) -> ! {
    let mut record = compose();
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

/// Writes where the run is, and goes on.
fn sample(context: *const c_void) {
    let walk = Walk::of_interrupted(context);
    // The record of a death counts more.
    if STATE.load(Ordering::Acquire) != state::RUNNING {
        return;
    }
    let mut record = compose();
    first_stage(&mut record, cause::SAMPLE, 0, b"");
    record::write_stack(&mut record, walk.addresses());
    record.publish();
    ring();
}

fn compose() -> Outgoing {
    let place = RECORD.load(Ordering::Acquire);
    if place.is_null() {
        leave();
    }
    // SAFETY: only this process writes to the area, and there only the one thread that is dying, or the one that is asked where it is.
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
    // SAFETY: null, or a bell that lives as long as the process.
    if let Some(bell) = unsafe { BELL.load(Ordering::Acquire).as_ref() } {
        bell.set(bell.get().wrapping_add(1));
    }
}

/// A child that the target has forked dies as if nobody watched: what it does is no run of this one.
fn die_as_any_process(signal: c_int) {
    // SAFETY: system calls on this process alone. A fault happens again when the handler returns; a signal that was sent is sent again.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Nothing here can hang, as far as anybody knows. Should it do so all the same, the system ends this process.
fn end_if_it_hangs() {
    // SAFETY: system calls on this process alone, which comes to its end.
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
        // SAFETY: returns when a signal was handled.
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
    // Past what a sanitizer does at the end of a process.
    process::leave_from_a_handler(1)
}

/// What the record of a process says that died, or that was asked where it is.
pub(crate) fn read<H: Header>(shared: &Shared<H>) -> Option<Death> {
    record::read(&shared.read(Area::Record))
}

/// What a record says, from its bytes.
pub(crate) fn read_bytes(bytes: &[u8]) -> Option<Death> {
    record::read(bytes)
}
