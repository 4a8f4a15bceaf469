//! A target's own mutator and crossover, which libFuzzer calls between two executions.

use std::ffi::c_uint;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use super::fuzzer::Fuzzer;
use super::{PURPOSE, Purpose};
use crate::events;
use crate::exit::WRONG_USE;
use crate::failure::panics::{Panic, Scope};

/// Runs the target's mutator on the buffer that libFuzzer gave it.
#[expect(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "only the symbol that libFuzzer calls hands the pointers on"
)]
pub fn mutate(
    mutate: fn(&mut [u8], usize, usize, u32) -> usize,
    data: *mut u8,
    size: usize,
    max_size: usize,
    seed: c_uint,
) -> usize {
    // SAFETY: libFuzzer's buffer has room for the larger of both sizes.
    let data = unsafe { slice::from_raw_parts_mut(data, size.max(max_size)) };
    between_executions("mutator", || mutate(data, size, max_size, seed)).min(max_size)
}

/// Runs the target's crossover on two inputs and the room for a third one. libFuzzer gives each by
/// its address and size.
pub fn cross_over(
    cross_over: fn(&[u8], &[u8], &mut [u8], u32) -> usize,
    one: (*const u8, usize),
    other: (*const u8, usize),
    out: (*mut u8, usize),
    seed: c_uint,
) -> usize {
    // SAFETY: libFuzzer's inputs and its buffer have the given sizes and do not overlap.
    let (one, other, room) = unsafe {
        (
            slice::from_raw_parts(one.0, one.1),
            slice::from_raw_parts(other.0, other.1),
            slice::from_raw_parts_mut(out.0, out.1),
        )
    };
    between_executions("crossover", || cross_over(one, other, room, seed)).min(out.1)
}

/// Runs the target's mutator or crossover. A panic in it is wrong use of dwindle and no bug. Its
/// edges do not count as coverage of the next input.
fn between_executions(what: &str, act: impl FnOnce() -> usize) -> usize {
    in_the_fuzzer(|fuzzer| fuzzer.link().mutates(true));
    Scope::Thread.watch(true);
    let size = catch_unwind(AssertUnwindSafe(act));
    Scope::Thread.watch(false);
    let panic = Scope::Thread.take();
    let Ok(size) = size else {
        let panic = panic
            .map(|Panic { place, message, .. }| {
                format!(" at {}:{}:{}: {message}", place.file, place.line, place.column)
            })
            .unwrap_or_default();
        events::error(&format!(
            "the {what} of the target panicked{panic}; it must return a size for every input and \
             seed"
        ));
        // libFuzzer ends with `exit` too, so the supervisor ends the run in order.
        std::process::exit(WRONG_USE);
    };
    in_the_fuzzer(|fuzzer| {
        fuzzer.link().mutates(false);
        fuzzer.has_mutated();
    });
    size
}

/// Calls `act` if this process fuzzes.
fn in_the_fuzzer(act: impl FnOnce(&mut Fuzzer)) {
    if let Ok(mut purpose) = PURPOSE.try_lock()
        && let Some(Purpose::Fuzz(fuzzer)) = purpose.as_mut()
    {
        act(fuzzer);
    }
}
