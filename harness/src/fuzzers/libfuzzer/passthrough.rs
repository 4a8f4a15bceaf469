//! Passthrough: the process executes exactly what a target on libfuzzer-sys executes.
//!
//! libFuzzer learns from edges, from the operands of comparisons and from the depth of the stack.
//! It learns from dwindle's code too. So each symbol that libFuzzer calls is two instructions of
//! assembler (see [`__dwindle_entry_points`](crate::__dwindle_entry_points)). They jump either to
//! dwindle's run, or to functions with the same text as those of libfuzzer-sys. A constructor
//! chooses between them before libFuzzer counts anything.
//!
//! Relies on two properties of LLVM and libFuzzer: assembler is not instrumented, and comparisons
//! of one byte enter no table of libFuzzer. The test `xtask/tests/end_to_end/passthrough.rs`
//! compares targets with their twins on libfuzzer-sys. It fails if either property is no longer
//! true.

use std::ffi::{CStr, c_char, c_int};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use dwindle_engine::TestCase;
use dwindle_engine::internals::{CHOICES_MAX, Driver, Outcome, execute};
pub use libfuzzer_sys::rust_libfuzzer_debug_path as debug_path;

use super::arguments::{self, Given};
use super::tmin::tmin;
use super::{coverage, refuse};
use crate::arbitrary::Corpus;
use crate::exit::libfuzzer::NOT_DONE;
use crate::failure::location::PortablePlace;
use crate::isolation::threads;
use crate::system::process;
use crate::target::Target;
use crate::{environment, exit};

/// dwindle's own run.
const ON: u8 = 0;
/// libFuzzer as libfuzzer-sys runs it.
const OFF: u8 = 1;
/// The same, but dwindle handles a failing input in the way that a fuzzing service asks for.
const SERVICE: u8 = 2;

/// Whether the entry points bypass dwindle's run: one of the constants above. The entry points read
/// it as a byte.
pub static PASSTHROUGH: AtomicU8 = AtomicU8::new(ON);

// The mode that the target was built for. The symbol is weak because a test binary holds no target.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak dwindle_default",
    ".globl dwindle_built_for",
    ".hidden dwindle_built_for",
    "dwindle_built_for: .quad dwindle_default",
    ".popsection",
);

unsafe extern "C" {
    safe static dwindle_built_for: Option<&'static u8>;
}

/// The mode that `DWINDLE_DEFAULT` names when the target is built.
///
/// # Panics
/// While the target is compiled, if the words name no known mode.
#[must_use]
pub const fn built_for(words: Option<&str>) -> u8 {
    match words {
        None => ON,
        Some(words) => match words.as_bytes() {
            b"" | b"on" => ON,
            b"off" => OFF,
            b"service" => SERVICE,
            _ => panic!("DWINDLE_DEFAULT is not a mode; leave it unset, or use on, off or service"),
        },
    }
}

/// Chooses the mode before libFuzzer has a counter. Returns true for passthrough: dwindle then
/// leaves everything as the compiler and libFuzzer have it.
pub(super) fn decide() -> bool {
    let asked = variable(c"DWINDLE");
    let wanted = if is_empty(asked) {
        dwindle_built_for.map_or(ON, |built_for| *built_for)
    } else if is(asked, c"off") {
        OFF
    } else if is(asked, c"service") {
        SERVICE
    } else {
        ON
    };
    // `cargo dwindle` and the minimizer always use dwindle's run, also in a target that was built
    // for a service.
    let has_mode = wanted != OFF && !is_empty(variable(c"DWINDLE_MODE"));
    PASSTHROUGH.store(if has_mode { ON } else { wanted }, Ordering::Relaxed);
    let steps_aside = !has_mode && wanted != ON;
    if steps_aside {
        threads::leave_alone();
    }
    steps_aside
}

/// Reads a variable with the C library's function. A constructor runs before the standard library
/// is set up, and comparisons in the standard library would reach libFuzzer.
fn variable(name: &CStr) -> *const c_char {
    // SAFETY: no thread changes the environment before main.
    unsafe { libc::getenv(name.as_ptr()) }
}

fn is_empty(text: *const c_char) -> bool {
    // SAFETY: a pointer that is not null points to a C string.
    text.is_null() || unsafe { *text } == 0
}

/// Whether a C string is this word.
fn is(text: *const c_char, word: &CStr) -> bool {
    // SAFETY: both are C strings.
    let [a, b, c, d] = unsafe { libc::strcmp(text, word.as_ptr()) }.to_ne_bytes();
    // This compares one byte, and the compiler cannot widen it. libFuzzer would record operands of
    // four bytes.
    black_box(a | b | c | d) == 0
}

/// Refuses an unknown value of `DWINDLE`. A run that was meant for passthrough must not continue as
/// another run.
pub(super) fn check() -> Result<(), String> {
    match std::env::var_os("DWINDLE") {
        Some(other) if !["", "on", "off", "service"].iter().any(|known| other == *known) => {
            Err(format!(
                "DWINDLE={} is not a mode; leave it unset, or use on, off or service",
                other.display()
            ))
        }
        _ => Ok(()),
    }
}

/// Does what libfuzzer-sys does before the first execution. In a service it minimizes a failing
/// input on request, and then does not return.
#[expect(clippy::similar_names, reason = "argc and argv have no other names")]
pub fn initialize(target: &'static Target, argc: *mut c_int, argv: *mut *mut *mut c_char) {
    if PASSTHROUGH.load(Ordering::Relaxed) == SERVICE {
        prepare_service(target, argc, argv);
    }
    // For a drop-in target, this leaves out the function that dwindle's run would fuzz. A target
    // that draws choices needs all functions, because `decode` runs its function too.
    coverage::tables().give_rest(if target.is_drop_in() {
        target.property_in_memory()
    } else {
        &raw const NOTHING
    });
    libfuzzer_sys::initialize(std::ptr::null(), std::ptr::null());
    crate::arbitrary::mutate_by(libfuzzer_sys::fuzzer_mutate);
}

/// An address at which no function begins.
static NOTHING: usize = 0x2;

#[cold]
#[inline(never)]
#[expect(clippy::similar_names, reason = "argc and argv have no other names")]
fn prepare_service(target: &'static Target, argc: *mut c_int, argv: *mut *mut *mut c_char) {
    // SAFETY: libFuzzer passes the argc and argv of main, which hold argc strings.
    let arguments = unsafe { arguments::read(argc, argv) };
    let given = Given::of(&arguments);
    serve(target, &given);
    say_panics(target.manifest_dir());
    if !given.len_control && !target.is_drop_in() {
        // SAFETY: as above.
        unsafe { arguments::append(vec!["-len_control=0".to_owned()], argc, argv) };
    }
}

/// Does what a service asks for with a failing input, then ends the process. Returns if the service
/// asks for nothing.
fn serve(target: &'static Target, given: &Given) {
    if given.cleanse_crash {
        process::leave(cleanse(given));
    }
    if !given.minimize_crash {
        return;
    }
    let Some(file) = given.inputs.first() else {
        refuse(NOT_DONE, "-minimize_crash=1 needs the file to minimize")
    };
    // SAFETY: this process has one thread. All processes that it starts from now on belong to
    // dwindle.
    unsafe {
        std::env::set_var("DWINDLE", "on");
        if let Some(seconds) = given.max_total_time.filter(|seconds| *seconds > 0)
            && std::env::var_os(environment::BUDGET_SECONDS).is_none()
        {
            std::env::set_var(environment::BUDGET_SECONDS, seconds.to_string());
        }
    }
    crate::limits::limit_memory(given.rss_limit());
    let prefix = given.artifact_prefix.as_deref().unwrap_or("./");
    process::leave(tmin(target, Path::new(file), prefix, given.exact_artifact_path.as_deref()));
}

/// Copies the input. libFuzzer would replace bytes by simpler ones, and a minimized input already
/// holds the simplest bytes.
fn cleanse(given: &Given) -> c_int {
    let ([input], Some(output)) = (given.inputs.as_slice(), &given.exact_artifact_path) else {
        return exit::refuse(
            NOT_DONE,
            "-cleanse_crash=1 needs one file, and -exact_artifact_path for the copy",
        );
    };
    match fs::copy(input, output) {
        Ok(_) => {
            eprintln!(
                "dwindle: {output} is a copy of {input}, because minimized inputs already hold \
                 the simplest values"
            );
            0
        }
        Err(error) => exit::refuse(NOT_DONE, &format!("cannot copy {input} to {output}: {error}")),
    }
}

/// Adds a line to what a panic prints, in the form that `ClusterFuzz` reads. This form is older
/// than that of the standard library, and has one line.
///
/// The text between the quotes is the same for two inputs of one bug. It holds the place, and the
/// message unless the message contains values.
fn say_panics(manifest_dir: &'static Path) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        before(info);
        let place = info.location().map_or_else(
            || "unknown".to_owned(),
            |at| PortablePlace::new(at.file(), at.line(), at.column(), manifest_dir).to_string(),
        );
        let message = info.payload().downcast_ref::<&'static str>().copied();
        let thread = std::thread::current();
        eprintln!(
            "thread '{}' panicked at '{}'",
            thread.name().unwrap_or("<unnamed>"),
            quoted(&place, message)
        );
    }));
}

/// The place and the first line of the message. Replaces control characters and quotes, because a
/// quote would end the text too early.
fn quoted(place: &str, message: Option<&str>) -> String {
    let line = message.and_then(|message| message.lines().next()).filter(|line| !line.is_empty());
    let text = line.map_or_else(|| place.to_owned(), |line| format!("{place}: {line}"));
    text.replace('\'', "`").replace(char::is_control, " ")
}

/// The test case of a process. It is made once and restarted for each execution.
pub type OneTestCase = LazyLock<Mutex<Driver>>;

/// Runs a target that draws choices on the bytes of one execution. A panic never returns, because
/// the hook of libfuzzer-sys aborts.
#[inline]
pub fn decode(
    test_case: &OneTestCase,
    bytes: &[u8],
    property: impl FnOnce(&mut TestCase),
) -> Corpus {
    let mut tc = test_case.lock().unwrap_or_else(PoisonError::into_inner);
    tc.start_bytes(bytes, CHOICES_MAX);
    match execute(&mut tc, property) {
        Outcome::Passed => Corpus::Keep,
        Outcome::Overrun | Outcome::Rejected => Corpus::Reject,
        // The target has replaced the panic hook. A panic must still count as a failure.
        Outcome::Failed(_) => std::process::abort(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_built_for_one_of_three_modes() {
        let words = [None, Some(""), Some("on"), Some("off"), Some("service")];
        assert_eq!(words.map(built_for), [ON, ON, ON, OFF, SERVICE]);
        assert!(std::panic::catch_unwind(|| built_for(Some("of"))).is_err());
    }

    #[test]
    fn values_of_a_variable_are_compared_whole() {
        for (text, word, same) in [
            (c"off", c"off", true),
            (c"offset", c"off", false),
            (c"of", c"off", false),
            (c"", c"off", false),
        ] {
            assert_eq!(is(text.as_ptr(), word), same, "{text:?} {word:?}");
        }
        assert!(is_empty(std::ptr::null()) && is_empty(c"".as_ptr()) && !is_empty(c"on".as_ptr()));
    }

    #[test]
    fn a_message_contains_no_quote_and_no_control_character() {
        assert_eq!(quoted("src/a.rs:1:2", None), "src/a.rs:1:2");
        assert_eq!(quoted("src/a.rs:1:2", Some("it isn't\nso")), "src/a.rs:1:2: it isn`t");
        assert_eq!(quoted("src/a.rs:1:2", Some("a\x1b[1m")), "src/a.rs:1:2: a [1m");
    }
}
