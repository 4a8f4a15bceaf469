//! The items that a fuzz target needs: `use dwindle::prelude::*;`.

#[doc(no_inline)]
pub use crate::generators::{self as g, Generate, Generator, any};
#[doc(no_inline)]
pub use crate::state_machine::{Pool, StateMachine};
#[doc(no_inline)]
pub use crate::test_case::TestCase;
#[doc(no_inline)]
pub use dwindle_derive::GenerateOfEngine as Generate;
