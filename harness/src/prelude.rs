//! The items that a target or a property needs: `use dwindle::prelude::*;`.

#[doc(no_inline)]
pub use dwindle_derive::Generate;
#[doc(no_inline)]
pub use dwindle_engine::TestCase;
#[doc(no_inline)]
pub use dwindle_engine::generators::{self as g, Generate, Generator, any};
#[doc(no_inline)]
pub use dwindle_engine::state_machine::{Pool, StateMachine};
