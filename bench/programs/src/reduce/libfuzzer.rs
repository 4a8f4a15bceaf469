//! libFuzzer's minimizer, on the bytes that a fuzz target would read.
//!
//! It starts this program for each step. With [`SUBJECT`] in its environment, this program is the
//! fuzz target.

use std::ffi::{CString, c_char, c_int};
use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use dwindle_engine::internals::codec::encode;
use libfuzzer_sys as _;

use super::{Reduced, notes};
use crate::counted::process_time;
use crate::oracle::Oracle;
use crate::start::{Start, Subject};

/// Names the subject in a process that is a fuzz target.
const SUBJECT: &str = "PROGRAMS_FUZZ_TARGET";

static TARGET: OnceLock<(Subject, Oracle)> = OnceLock::new();

unsafe extern "C" {
    fn LLVMFuzzerRunDriver(
        argc: *mut c_int,
        argv: *mut *mut *mut c_char,
        target: unsafe extern "C" fn(*const u8, usize) -> c_int,
    ) -> c_int;

    /// libfuzzer-sys has it. It calls [`rust_fuzzer_test_input`].
    fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> c_int;
}

pub(super) fn reduce(start: Start, limit: Duration) -> Result<Reduced> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let case = scratch.path().join("case");
    let trace = start.trace();
    let bytes = trace.raw_input().map_or_else(|| encode(&trace.choices), |raw| raw.to_vec());
    fs::write(&case, &bytes).context("writing the input")?;
    let mut command = notes::limited(std::env::current_exe()?, limit);
    // `cargo fuzz tmin` gives each step 255 runs.
    command.args(["-minimize_crash=1", "-runs=100000"]).arg(&case);
    command.env(SUBJECT, start.subject.name());
    let notes = notes::taken_by(&mut command, scratch.path(), limit)?;
    Ok(Reduced {
        module: start.subject.of_bytes(&notes.smallest).context("the result is no module")?,
        runs: notes.runs,
        time: notes.time,
        oracle_time: notes.oracle_time,
        is_finished: notes.is_finished,
        course: Vec::new(),
    })
}

/// Runs as a fuzz target if this process is one. Returns its exit code.
///
/// # Errors
/// If the right version is not built.
pub fn fuzz() -> Result<Option<u8>> {
    let Ok(name) = std::env::var(SUBJECT) else { return Ok(None) };
    let subject = Subject::from_str(&name, false).map_err(anyhow::Error::msg)?;
    let _ = TARGET.set((subject, Oracle::new(subject.right())?));
    let arguments: Vec<CString> =
        std::env::args().map(CString::new).collect::<Result<_, _>>().context("a zero byte")?;
    let mut pointers: Vec<*mut c_char> =
        arguments.iter().map(|argument| argument.as_ptr().cast_mut()).collect();
    let mut count = c_int::try_from(pointers.len()).context("too many arguments")?;
    pointers.push(std::ptr::null_mut());
    let mut argv = pointers.as_mut_ptr();
    // SAFETY: libFuzzer reads `count` arguments that end with zero bytes. They live until the end.
    let code =
        unsafe { LLVMFuzzerRunDriver(&raw mut count, &raw mut argv, LLVMFuzzerTestOneInput) };
    Ok(Some(u8::try_from(code).unwrap_or(u8::MAX)))
}

/// The function that libfuzzer-sys calls for each input.
#[unsafe(no_mangle)]
#[expect(improper_ctypes_definitions, reason = "libfuzzer-sys declares it so")]
extern "C" fn rust_fuzzer_test_input(bytes: &[u8]) -> i32 {
    let Some((subject, oracle)) = TARGET.get() else { return 0 };
    let Some(module) = subject.of_bytes(bytes) else { return 0 };
    let began = process_time();
    let fails = oracle.difference(&module).is_some();
    notes::add(bytes, fails, process_time().saturating_sub(began));
    if fails {
        std::process::abort();
    }
    0
}
