//! The main function of a target without libFuzzer: AFL++ or the random engine, and the commands.

#[cfg(not(feature = "afl"))]
use std::path::Path;

#[cfg(not(feature = "afl"))]
use crate::commands::files;
use crate::environment::{self, Mode};
use crate::exit::{WRONG_USE, refuse};
use crate::fuzzers::{self, run_without_fuzzer};
#[cfg(not(feature = "afl"))]
use crate::system::process;
use crate::target::Target;

/// Runs the process to its end.
pub fn main(target: &'static Target) -> i32 {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    match fuzzers::mode() {
        _ if environment::is_off() => without_mode(target, &arguments),
        Ok(Mode::Fuzz) => without_mode(target, &arguments),
        Ok(mode) => run_without_fuzzer(target, mode, &arguments),
        Err(message) => refuse(WRONG_USE, &message),
    }
}

#[cfg(feature = "afl")]
fn without_mode(target: &'static Target, arguments: &[String]) -> i32 {
    crate::fuzzers::afl::run(target, arguments)
}

#[cfg(not(feature = "afl"))]
fn without_mode(target: &'static Target, arguments: &[String]) -> i32 {
    if environment::is_off() {
        process::leave(0)
    }
    if !arguments.is_empty() && arguments.iter().all(|argument| Path::new(argument).is_file()) {
        return files::run_all(target, arguments);
    }
    run_without_fuzzer(target, Mode::Random, arguments)
}
