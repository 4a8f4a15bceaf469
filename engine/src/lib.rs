//! Choices, generators and the shrinker of dwindle.
//!
//! The same choices give the same outcome. For this, the engine opens no file, reads no clock,
//! starts no thread and has no `unsafe`. It leaves the panic hook as it is.
//!
//! Users depend on `dwindle`, which re-exports the items listed here. The hidden module `internals`
//! holds what runs targets: `dwindle` itself, the tests and the measurements use it.
//!
//! To read the code, start with these files, in this order:
//!
//! - `choice.rs`: a choice is one typed draw.
//! - `test_case/mod.rs`: a [`TestCase`] takes choices from bytes, from a replay or at random, and
//!   records them in a trace. `test_case/driver.rs` starts and ends its executions.
//! - [`generators`] turn choices into values.
//! - `codec/format.md` defines which bytes stand for which choices.
//! - `order.rs` defines which of two choice sequences is simpler.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

// Tests in this crate use the same paths as tests outside it.
#[cfg(test)]
extern crate self as dwindle_engine;

mod choice;
mod shares;
mod alphabet;
mod order;
mod trace;
mod codec;
mod integer;
mod hashed;
mod sorted;
mod replay;
mod parts;
mod random;
mod outcome;
mod test_case;
pub mod generators;
pub mod state_machine;
mod generated;
mod execute;
mod misuse;
mod explore;
#[cfg(feature = "fuzzing")]
mod mutation;
mod shrink;
mod explain;
mod shrinking;
pub mod prelude;
#[doc(hidden)]
pub mod internals;

pub use dwindle_derive::{GenerateOfEngine as Generate, state_machine_of_engine as state_machine};
pub use generators::{Generate, Generator, any};
pub use shrinking::InvalidShrink;
pub use state_machine::{Pool, StateMachine};
pub use test_case::TestCase;

/// The items that generated code uses. They are not for users.
#[doc(hidden)]
pub mod __private {
    pub use crate::generated::*;
    pub use crate::shares::Shares;
    pub use crate::state_machine::IsPool;
    pub use crate::state_machine::given::*;
    pub use crate::test_case::Alternatives;
    pub use crate::trace::Label;
}
