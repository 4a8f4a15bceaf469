//! The version that is taken to be right.

use wasmi_new as wasmi;

#[path = "engine.rs"]
pub mod engine;
