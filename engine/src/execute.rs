//! One execution of a property.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::outcome::{Outcome, Payload};
use crate::test_case::{Driver, TestCase};

/// Runs `property` on a started test case, and ends the execution.
///
/// The test case decides the outcome, even if the property caught the unwinding that stopped it.
/// This catches panics, and the panic hook still runs. The code that set the hook decides what it
/// prints.
#[expect(
    clippy::inline_always,
    reason = "a fuzzer that leaves out the edges of the function which leads to the target leaves \
              out these too"
)]
#[inline(always)]
pub fn execute(tc: &mut Driver, property: impl FnOnce(&mut TestCase)) -> Outcome<Payload> {
    let result = catch_unwind(AssertUnwindSafe(|| property(tc)));
    match (tc.finish(), result) {
        (Some(halt), _) => halt.into(),
        (None, Ok(())) => Outcome::Passed,
        (None, Err(payload)) => Outcome::Failed(payload),
    }
}
