//! The main function of a target without libFuzzer: AFL++ or the random engine, and the modes.

#[cfg(not(feature = "afl"))]
use std::path::Path;

#[cfg(not(feature = "afl"))]
use crate::engines::files;
use crate::engines::modes::{self, WRONG_USE};
#[cfg(not(feature = "afl"))]
use crate::process;
use crate::session::config::{self, Mode};
use crate::target::Target;

/// Runs the process to its end.
pub fn main(target: &'static Target) -> i32 {
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    match config::mode() {
        _ if config::is_off() => without_mode(target, &arguments),
        Ok(Mode::Fuzz) => without_mode(target, &arguments),
        Ok(mode) => modes::run(target, mode, &arguments),
        Err(message) => modes::refuse(WRONG_USE, &message),
    }
}

#[cfg(feature = "afl")]
fn without_mode(target: &'static Target, arguments: &[String]) -> i32 {
    crate::engines::afl::run(target, arguments)
}

#[cfg(not(feature = "afl"))]
fn without_mode(target: &'static Target, arguments: &[String]) -> i32 {
    if config::is_off() {
        process::leave(0)
    }
    if !arguments.is_empty() && arguments.iter().all(|argument| Path::new(argument).is_file()) {
        return files::run_all(target, arguments);
    }
    modes::run(target, Mode::Random, arguments)
}
