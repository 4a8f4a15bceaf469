//! The version with bugs.

use wasmi_old as wasmi;

#[path = "engine.rs"]
pub mod engine;
