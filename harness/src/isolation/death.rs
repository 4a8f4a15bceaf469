//! A worker's last moments: what kills it writes down, in shared memory and without allocating, where it was and what had been drawn.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use dwindle_engine::{TestCase, Trace};

use super::bell::Bell;
use super::sanitizer;
use super::shared::{AREA, Area, Header, Shared};
use super::wire::{Reader, Writer};
use crate::failure::deaths::{Cause, Death};
use crate::failure::executor::Executor;
use crate::failure::panics::{self, Panic};

/// Why a record was written, as its first byte.
mod cause {
    pub(crate) const SIGNAL: u8 = 0;
    pub(crate) const SANITIZER: u8 = 1;
    pub(crate) const EXIT: u8 = 2;
    pub(crate) const SAMPLE: u8 = 3;
    pub(crate) const LEAK: u8 = 4;
}

/// Where a record goes, and what rings when it is there.
static MEMORY: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static BELL: AtomicPtr<Bell> = AtomicPtr::new(null_mut());
static EXECUTOR: AtomicPtr<Executor<fn(&mut TestCase)>> = AtomicPtr::new(null_mut());
/// Whether the target runs: a death at any other time is a bug of ours.
static RUNNING: AtomicBool = AtomicBool::new(false);

/// What the process does once its record is written.
static AFTERWARDS: OnceLock<fn()> = OnceLock::new();

/// How many return addresses are written.
const ADDRESSES_MAX: usize = 256;
/// Large enough to walk a stack on.
const STACK: usize = 256 << 10;
/// A fault so near to the end of the stack is its overflow: a function with a large frame may step far over it.
const BEYOND: usize = 1 << 20;

/// The stack that handlers run on: the target's own may be used up.
#[repr(align(16))]
struct Stack(UnsafeCell<[u8; STACK]>);

// SAFETY: only the kernel touches it, for one thread.
unsafe impl Sync for Stack {}

static HANDLERS_STACK: Stack = Stack(UnsafeCell::new([0; STACK]));

/// The signal that asks where a run is that takes too long.
pub(super) fn sample_signal() -> c_int {
    libc::SIGRTMIN() + 7
}

/// Runs the target, what it is killed by being recorded.
#[inline]
pub(crate) fn watched<T>(run: impl FnOnce() -> T) -> T {
    RUNNING.store(true, Ordering::Release);
    let result = run();
    RUNNING.store(false, Ordering::Release);
    result
}

/// From now on this process writes a record before it dies, adds one to `bell`, wakes whoever waits for it, and does what is to be done `afterwards`, which may be
/// within a handler. `executor` is the one that runs the target.
pub(crate) fn record_in<H: Header>(shared: &'static Shared<H>, bell: &'static Bell, executor: &mut Executor<fn(&mut TestCase)>, afterwards: fn()) {
    unsafe extern "C" {
        fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    // SAFETY: only a process that records writes to the area.
    MEMORY.store(unsafe { shared.write(Area::Record) }.as_mut_ptr(), Ordering::Release);
    BELL.store(std::ptr::from_ref(bell).cast_mut(), Ordering::Release);
    EXECUTOR.store(std::ptr::from_mut(executor), Ordering::Release);
    let _ = AFTERWARDS.set(afterwards);
    // SAFETY: the handlers are plain functions that live as long as the program; the stack is the program's and of the given size.
    unsafe {
        let stack = libc::stack_t { ss_sp: HANDLERS_STACK.0.get().cast(), ss_flags: 0, ss_size: STACK };
        libc::sigaltstack(&raw const stack, null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        libc::sigemptyset(&raw mut action.sa_mask);
        // A second fault, in the handler, kills at once.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND | libc::SA_NODEFER;
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGABRT, libc::SIGSYS] {
            libc::sigaction(signal, &raw const action, null_mut());
        }
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigaction(sample_signal(), &raw const action, null_mut());
        on_exit(on_exit_of_the_target, null_mut());
    }
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    if !RUNNING.load(Ordering::Acquire) {
        if signal == sample_signal() {
            return;
        }
        leave();
    }
    if signal == sample_signal() {
        record(cause::SAMPLE, 0, false, b"");
        return;
    }
    // SAFETY: the kernel hands a valid description to the handler.
    let address = unsafe { (*info).si_addr() } as usize;
    let is_overflow = matches!(signal, libc::SIGSEGV | libc::SIGBUS) && is_at_the_end_of_the_stack(address);
    record(cause::SIGNAL, signal as u64, is_overflow, b"");
    leave_recorded()
}

extern "C" fn on_exit_of_the_target(code: c_int, _argument: *mut c_void) {
    if RUNNING.load(Ordering::Acquire) {
        record(cause::EXIT, code as u64, false, b"");
        leave_recorded()
    }
}

/// What `AddressSanitizer` calls before it reports an error; a report takes a hundred milliseconds that nobody reads here.
///
/// Without a sanitizer nobody calls it. In a process that is no worker it does nothing.
#[unsafe(no_mangle)]
extern "C" fn __asan_on_error() {
    if !RUNNING.load(Ordering::Acquire) {
        return;
    }
    record(cause::SANITIZER, 0, false, sanitizer::error());
    leave_recorded()
}

fn is_at_the_end_of_the_stack(address: usize) -> bool {
    // SAFETY: attributes of zeros are overwritten before they are read; the pointers are to locals.
    let end = unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return false;
        }
        let (mut end, mut size) = (null_mut(), 0);
        libc::pthread_attr_getstack(&raw const attributes, &raw mut end, &raw mut size);
        end as usize
    };
    (end.saturating_sub(BEYOND)..end + BEYOND / 4).contains(&address)
}

/// Ends this process, a run of which has taken memory at these return addresses and not given it back.
pub(super) fn of_a_leak(addresses: &[usize]) -> ! {
    write(cause::LEAK, 0, false, b"", addresses);
    leave_recorded()
}

/// Writes the record, with the return addresses of the caller.
fn record(cause: u8, number: u64, is_overflow: bool, error: &[u8]) {
    let mut addresses = [0; ADDRESSES_MAX];
    let mut count = 0;
    // SAFETY: nobody else walks a stack in this process now, or it is the walk that was interrupted, and then this one kills it.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            addresses[count] = frame.ip() as usize;
            count += 1;
            count < ADDRESSES_MAX
        });
    }
    write(cause, number, is_overflow, error, &addresses[..count]);
}

/// Writes the record: no locks, no allocation.
fn write(cause: u8, number: u64, is_overflow: bool, error: &[u8], addresses: &[usize]) {
    // SAFETY: all three live as long as the process. The target, which is interrupted, may be about to change what is read here: the reader checks every word
    // of it, and a fault while reading kills a process that is about to die.
    let (memory, bell, executor) = unsafe {
        let memory = std::slice::from_raw_parts_mut(MEMORY.load(Ordering::Acquire), AREA);
        (memory, &*BELL.load(Ordering::Acquire), &*EXECUTOR.load(Ordering::Acquire))
    };
    let mut writer = Writer::new(memory);
    writer.byte(cause);
    writer.number(number);
    writer.byte(u8::from(is_overflow));
    writer.string(error);
    writer.string(executor.tc.current_bug_key().as_bytes());
    panics::peek(|panic| match panic {
        Some(panic) => write_panic(&mut writer, panic),
        None => writer.byte(0),
    });
    writer.addresses(addresses);
    writer.trace(executor.tc.trace());
    bell.set(bell.get() + 1);
}

fn write_panic(writer: &mut Writer<'_>, panic: &Panic) {
    writer.byte(1);
    writer.string(panic.message.as_bytes());
    writer.string(panic.file.as_bytes());
    writer.number(u64::from(panic.line));
    writer.number(u64::from(panic.column));
    writer.addresses(&panic.addresses);
}

fn leave_recorded() -> ! {
    if let Some(afterwards) = AFTERWARDS.get() {
        afterwards();
    }
    leave()
}

fn leave() -> ! {
    // SAFETY: ends the process, at once.
    unsafe { libc::_exit(1) }
}

/// What a record says; what had been drawn ends up in `trace`.
pub(crate) fn read(bytes: &[u8], trace: &mut Trace) -> Option<Death> {
    let mut reader = Reader::new(bytes);
    let cause = reader.byte()?;
    let number = reader.number()?;
    let is_overflow = reader.byte()? != 0;
    let (error, bug_key) = (reader.text()?, reader.text()?);
    let panic = if reader.byte()? == 0 { None } else { Some(read_panic(&mut reader)?) };
    let addresses = reader.addresses()?;
    // A trace that was caught in the middle of a change is none.
    if reader.trace(trace).is_none() {
        trace.clear();
    }
    let cause = match cause {
        cause::SANITIZER => Cause::Sanitizer,
        cause::EXIT => Cause::Exit(number as i32),
        cause::SAMPLE => Cause::Time,
        cause::LEAK => Cause::Leak,
        _ if is_overflow => Cause::StackOverflow,
        _ => Cause::Signal(number as i32),
    };
    Some(Death { cause, stacks: vec![addresses], error, bug_key, panic })
}

fn read_panic(reader: &mut Reader<'_>) -> Option<Panic> {
    let (message, file) = (reader.text()?, reader.text()?);
    let (line, column) = (reader.number()? as u32, reader.number()? as u32);
    Some(Panic { message, file, line, column, addresses: reader.addresses()? })
}
