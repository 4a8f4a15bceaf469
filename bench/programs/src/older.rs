//! A version that agrees with the new one where only the old one is wrong.

use wasmi_older as wasmi;

#[path = "engine.rs"]
pub mod engine;
