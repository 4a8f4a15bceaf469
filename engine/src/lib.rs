//! Choices, generators and the shrinker of dwindle.
//!
//! The same choices give the same outcome. For this, the engine opens no file, reads no clock,
//! starts no thread and has no `unsafe`. It leaves the panic hook as it is.
//!
//! Read the modules in this order:
//!
//! - A [`choice`] is one typed draw.
//! - A [`TestCase`] takes choices from bytes, from a replay or at random, and records them in a
//!   [`Trace`].
//! - [`generators`] turn choices into values.
//! - The [`codec`] defines which bytes stand for which choices.
//! - [`order`] defines which of two choice sequences is simpler.

#![forbid(unsafe_code)]

// Tests in this crate use the same paths as tests outside it.
#[cfg(test)]
extern crate self as dwindle_engine;

pub mod choice;
pub mod alphabet;
pub mod order;
pub mod trace;
pub mod codec;
mod integer;
mod replay;
mod random;
pub mod outcome;
mod test_case;
pub mod generators;
pub mod state_machine;
mod execute;
pub mod misuse;
pub mod explore;
pub mod shrink;
pub mod shrinking;

pub use choice::{Choice, Constraint, Value};
pub use dwindle_derive::{Generate, state_machine};
pub use execute::{Ended, execute};
pub use explore::Explorer;
pub use generators::{Generate, Generator, any};
pub use integer::Integer;
pub use outcome::{Halt, Origin, Outcome, Rejection};
pub use state_machine::{Pool, StateMachine};
pub use test_case::{
    Alternatives, CHOICES_MAX, DEPTH_HARD, DEPTH_MAX, Follower, Repeat, Score, Scorer, TestCase,
    TranscriptEvent,
};
pub use trace::{Label, Span, Trace};
