//! One execution of a property.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::outcome::Halt;
use crate::test_case::{Driver, TestCase};

/// How one execution ended, before its failure gets a name.
#[derive(Debug)]
pub enum Ended {
    /// The property returned.
    Returned,
    /// The test case stopped the property, even if the property caught the unwinding.
    Halted(Halt),
    /// The property panicked with this payload.
    Panicked(Box<dyn Any + Send>),
}

/// Runs `property` on a started test case, and ends the execution.
///
/// This catches panics, and the panic hook still runs. The code that set the hook decides what it
/// prints.
#[expect(
    clippy::inline_always,
    reason = "a fuzzer that leaves out the edges of the function which leads to the target leaves \
              out these too"
)]
#[inline(always)]
pub fn execute(tc: &mut Driver, property: impl FnOnce(&mut TestCase)) -> Ended {
    let result = catch_unwind(AssertUnwindSafe(|| property(tc)));
    match (tc.finish(), result) {
        (Some(halt), _) => Ended::Halted(halt),
        (None, Ok(())) => Ended::Returned,
        (None, Err(payload)) => Ended::Panicked(payload),
    }
}
