//! Coverage-guided fuzzing that reads the fuzzer's bytes as *choices*, keeps each bug once and minimizes it by re-generating it.
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
//! `cargo fuzz run` and `cargo dwindle run` go on after a failure: a failure that is known is counted, a new one is claimed in the bug store and minimized by a
//! process of its own while fuzzing continues. [`#[dwindle::test]`](macro@test) makes a test of a property, and [`check`] runs one anywhere.
//!
//! Under `cargo test` a property is a function, which serves as a fuzz target too:
//!
//! ```
//! use dwindle::prelude::*;
//!
//! #[dwindle::test(cases = 500)]
//! fn sorting_keeps_the_length(numbers: Vec<u32>, #[generate(with = g::integers(1..=4))] times: usize) {
//!     let mut sorted = numbers.clone();
//!     (0..times).for_each(|_| sorted.sort_unstable());
//!     assert_eq!(sorted.len(), numbers.len());
//! }
//! ```
//!
//! What has state is tested by a machine, whose methods are called in random order: see [`mod@state_machine`].
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
//! Targets written for libfuzzer-sys stay as they are: see [`arbitrary`].
//!
//! Where to read: [`fuzz_target!`] and [`prelude`] for writing targets, [`generators`] for what can be drawn, [`codec`](engine::codec) for the byte format,
//! [`macro@test`], [`Settings`] and [`HealthCheck`] for properties under `cargo test`.

#[cfg(all(feature = "libfuzzer", feature = "afl"))]
compile_error!(
    "the features `libfuzzer` and `afl` of dwindle exclude each other: both define the coverage hooks. Build with `--no-default-features` and one of them"
);
#[cfg(panic = "abort")]
compile_error!(
    "dwindle needs `panic = \"unwind\"`: a panic of the target is caught, so that fuzzing can go on. Remove `panic = \"abort\"` from the profile of the fuzz crate"
);

mod target;
mod macros;
mod settings;
mod check;
mod shrinking;
mod replay;
#[doc(hidden)]
pub mod property;
mod failure;
mod isolation;
mod minimize;
mod session;
mod switches;
mod process;
mod priority;
mod offspring;
mod forked;
pub mod arbitrary;
#[doc(hidden)]
pub mod engines;
#[doc(hidden)]
pub mod records;

pub use check::{Failure, Passed, check};
pub use dwindle_derive::{reproduce, test};
#[doc(hidden)]
pub use dwindle_engine as engine;
pub use dwindle_engine::shrinking::InvalidShrink;
pub use dwindle_engine::{Generate, Generator, Pool, StateMachine, TestCase, any, generators, state_machine};
pub use property::HealthCheck;
pub use replay::replay;
pub use settings::Settings;
pub use shrinking::check_shrinking;
#[doc(hidden)]
pub use target::Target;

/// What a fuzz target needs: `use dwindle::prelude::*;`.
pub mod prelude {
    pub use crate::generators as g;
    pub use crate::{Generate, Generator, Pool, StateMachine, TestCase, any};
}
