//! The main function of a target without libFuzzer: the random engine, and the modes.

use crate::engines::modes::{self, WRONG_USE};
use crate::process;
use crate::session::config::{self, Mode};
use crate::session::events;
use crate::target::Target;

/// Runs the process to its end.
pub fn main(target: &'static Target) -> i32 {
    let mode = match config::mode() {
        Ok(Mode::Fuzz) => Mode::Random,
        Ok(mode) => mode,
        Err(message) => {
            events::error(&message);
            return WRONG_USE;
        }
    };
    if config::is_off() {
        process::leave(0);
    }
    modes::run(target, mode, &std::env::args().skip(1).collect::<Vec<_>>())
}
