//! The engines that look for bugs: libFuzzer, AFL++ and the random engine.

#[cfg(feature = "libfuzzer")]
pub mod libfuzzer;
#[cfg(feature = "afl")]
mod afl;
// Tests cannot be linked with AFL++'s runtime, so this stands beside it.
#[cfg(any(test, feature = "afl"))]
mod awaited_cases;
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
mod own;
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
mod scores;
mod member;
mod several;
pub(crate) mod random;
#[cfg(not(feature = "libfuzzer"))]
pub mod standalone;

use crate::environment::{self, Mode};
use crate::exit::{WRONG_USE, refuse};
use crate::switches;
use crate::system::{children, offspring, process};
use crate::target::Target;
use crate::{commands, isolation};

/// How many random cases a run of libFuzzer or AFL++ begins with.
#[cfg(any(test, feature = "libfuzzer", feature = "afl"))]
const RANDOM_CASES: u32 = 128;

/// Returns the mode of this process. Every process calls this first, so it also refuses switches
/// that do not exist.
pub(crate) fn mode() -> Result<Mode, String> {
    switches::check()?;
    environment::mode()
}

/// Does what `mode` asks for without a fuzzer, then ends the process.
pub(crate) fn run_without_fuzzer(target: &'static Target, mode: Mode, arguments: &[String]) -> ! {
    isolation::only_ask();
    children::adopt_orphans();
    let code = match mode {
        Mode::Random => random::run(target, arguments),
        Mode::Command(command) => commands::run(target, command, arguments),
        Mode::Fuzz => refuse(
            WRONG_USE,
            "this build has no fuzzing engine; build it with the feature `libfuzzer`, or use \
             DWINDLE_MODE=random",
        ),
    };
    offspring::end_all_but(&[]);
    process::leave(code)
}
