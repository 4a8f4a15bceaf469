//! Coverage-guided fuzzing that reads the fuzzer's bytes as *choices*. It keeps each bug once and
//! minimizes it by re-generating it.
//!
//! A fuzz target draws what it needs:
//!
//! ```no_run
//! #![no_main]
//! use dwindle::prelude::*;
//!
//! dwindle::fuzz_target!(|tc: &mut TestCase| {
//!     let numbers = tc.draw(g::vec(g::integers(0..=1000u32)).len(..50));
//!     let mut sorted = numbers.clone();
//!     sorted.sort_unstable();
//!     assert!(sorted.is_sorted());
//! });
//! ```
//!
//! `cargo fuzz run` and `cargo dwindle run` continue after a failure. A known failure is counted. A
//! new one is claimed in the bug store, and a separate process minimizes it while fuzzing
//! continues. [`#[dwindle::test]`](macro@test) makes a test of a property, and [`check`] runs one
//! anywhere.
//!
//! Under `cargo test` a property is a function, which is also a fuzz target:
//!
//! ```
//! use dwindle::prelude::*;
//!
//! #[dwindle::test(max_cases = 500)]
//! fn sorting_keeps_the_length(
//!     numbers: Vec<u32>,
//!     #[generate(with = g::integers(1..=4))] times: usize,
//! ) {
//!     let mut sorted = numbers.clone();
//!     (0..times).for_each(|_| sorted.sort_unstable());
//!     assert_eq!(sorted.len(), numbers.len());
//! }
//! ```
//!
//! A state machine tests code that has state. Its methods are called in random order: see
//! [`mod@state_machine`].
//!
//! ```no_run
//! #![no_main]
//! use dwindle::prelude::*;
//!
//! struct Counter(u32);
//!
//! #[dwindle::state_machine]
//! impl Counter {
//!     #[rule]
//!     fn add(&mut self, number: u8) {
//!         self.0 += u32::from(number);
//!     }
//!
//!     #[rule(when = self.0 > 0)]
//!     fn halve(&mut self) {
//!         self.0 /= 2;
//!     }
//!
//!     #[invariant]
//!     fn stays_small(&self) {
//!         assert!(self.0 < 1000);
//!     }
//! }
//!
//! dwindle::fuzz_target!(|tc: &mut TestCase| {
//!     tc.run(Counter(0));
//! });
//! ```
//!
//! Targets written for libfuzzer-sys stay unchanged: see the module `arbitrary`.
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `libfuzzer` (default) | fuzz targets under libFuzzer; cargo builds it with a C++ compiler |
//! | `afl` | fuzz targets under AFL++; excludes `libfuzzer` |
//! | `fuzzing` | fuzz targets with the random engine; both engines imply it |
//! | `arbitrary-derive` | `#[derive(Arbitrary)]` in the module `arbitrary`; implies `fuzzing` |
//! | `chrono`, `uuid` | generators for types of these crates |
//!
//! A fuzz target needs `fuzzing`, and `fuzzing` needs Linux. A crate that only has properties
//! depends on dwindle with `default-features = false`. Such a build is small and works on every
//! system. Properties run, shrink, explain, replay and keep their failures as with `fuzzing`, with
//! the same bug ids. These things are absent:
//!
//! - Reports have no `frames`, because nothing reads the symbols of the executable.
//! - [`replay`](fn@replay) does not notice a target that ends its process.
//! - On systems other than Linux, time limits count wall time. Time spent waiting for the processor
//!   counts too.
//! - A run that is killed while it writes may leave a temporary file in the store. A later run
//!   removes it after a day.
//!
//! Where to read on:
//! - [`fuzz_target!`] and [`prelude`] for writing targets.
//! - [`generators`] for the values that a target can draw.
//! - `engine/src/codec/format.md` in the repository for the byte format.
//! - [`macro@test`], [`Settings`] and [`HealthCheck`] for properties under `cargo test`.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "libfuzzer", feature = "afl"))]
compile_error!(
    "the features `libfuzzer` and `afl` of dwindle exclude each other: both define the coverage \
     hooks. Build with `--no-default-features` and one of them"
);
#[cfg(panic = "abort")]
compile_error!(
    "dwindle needs `panic = \"unwind\"`, because it catches panics of the target and continues. \
     Remove `panic = \"abort\"` from the profile of the fuzz crate"
);

// Generated code names the crate like this, also in its own tests.
#[cfg(test)]
extern crate self as dwindle;

mod macros;
pub mod prelude;
#[cfg(feature = "fuzzing")]
mod target;
mod settings;
mod check;
mod replay;
mod shrinking;
mod property;
#[cfg(feature = "fuzzing")]
pub mod arbitrary;
#[cfg(feature = "fuzzing")]
mod fuzzers;
#[cfg(feature = "fuzzing")]
mod commands;
#[cfg(feature = "fuzzing")]
mod session;
mod explain;
#[cfg_attr(not(feature = "fuzzing"), expect(dead_code, reason = "fuzzing needs the rest"))]
mod minimize;
mod report;
#[cfg(feature = "fuzzing")]
mod isolation;
#[cfg_attr(not(feature = "fuzzing"), expect(dead_code, reason = "fuzzing needs the rest"))]
mod execution;
#[cfg_attr(not(feature = "fuzzing"), expect(dead_code, reason = "fuzzing needs the rest"))]
mod failure;
#[cfg_attr(not(feature = "fuzzing"), expect(dead_code, reason = "fuzzing needs the rest"))]
mod limits;
#[cfg_attr(not(feature = "fuzzing"), expect(dead_code, reason = "fuzzing needs the rest"))]
mod environment;
#[cfg_attr(not(feature = "fuzzing"), expect(dead_code, reason = "fuzzing needs the rest"))]
mod exit;
#[cfg(feature = "fuzzing")]
mod flags;
#[cfg(feature = "fuzzing")]
mod events;
mod display;
#[cfg(feature = "fuzzing")]
mod switches;
mod system;
#[cfg(feature = "fuzzing")]
mod records;
#[cfg(doctest)]
mod documents;

pub use check::{Failure, Passed, check};
pub use dwindle_derive::reproduce_failure;
/// Turns a property into a test. `cargo test` runs it on many cases, and prints the smallest
/// failing case.
///
/// ```
/// use dwindle::prelude::*;
///
/// #[dwindle::test]
/// fn sorting_keeps_the_length(
///     numbers: Vec<u32>,
///     #[generate(with = g::integers(1..=4))] times: usize,
/// ) {
///     let mut sorted = numbers.clone();
///     (0..times).for_each(|_| sorted.sort_unstable());
///     assert_eq!(sorted.len(), numbers.len());
/// }
///
/// #[dwindle::test(max_cases = 200, seed = 7)]
/// fn drawn_as_it_goes(tc: &mut TestCase) -> Result<(), std::num::ParseIntError> {
///     let number = tc.draw(any::<u32>());
///     assert_eq!(number.to_string().parse::<u32>()?, number);
///     Ok(())
/// }
///
/// #[dwindle::test]
/// async fn borrowed_and_awaited(text: &str, #[generate(with = g::bytes().len(4))] data: &[u8]) {
///     let joined = std::future::ready([text.as_bytes(), data].concat()).await;
///     assert!(joined.ends_with(data));
/// }
/// ```
///
pub use dwindle_derive::test;
pub use dwindle_derive::{Generate, state_machine};
pub use dwindle_engine::generators::{self, Generate, Generator, any};
// With braces, the module without the attribute of the same name.
pub use dwindle_engine::state_machine::{self, Pool, StateMachine};
pub use dwindle_engine::{InvalidShrink, TestCase};
pub use replay::replay;
pub use settings::{HealthCheck, Settings};
pub use shrinking::check_shrinking;

/// The items that macros and generated code use, and what the fuzz targets and the measurements of
/// dwindle itself need. They are not for users.
#[doc(hidden)]
pub mod __private {
    pub use dwindle_engine as engine;
    pub use dwindle_engine::__private::*;

    #[cfg(feature = "libfuzzer")]
    pub use crate::fuzzers::libfuzzer;
    #[cfg(all(feature = "fuzzing", not(feature = "libfuzzer")))]
    pub use crate::fuzzers::standalone;
    #[cfg(feature = "fuzzing")]
    pub use crate::target::Target;
    pub use dwindle_derive::target_mistake;

    /// What `#[dwindle::test]` expands to.
    pub mod property {
        pub use crate::property::{Property, block_on, run, settle};
    }

    /// What `dwindle::arbitrary::fuzz_target!` expands to.
    #[cfg(feature = "fuzzing")]
    pub mod drop_in {
        pub use crate::arbitrary::entry::{Bytes, bytes, end, is_too_short, no_value};
    }

    /// Entry points for the fuzz target `crash_record`.
    #[cfg(feature = "fuzzing")]
    pub mod records {
        pub use crate::records::{death, drawn, entries};
    }
}
