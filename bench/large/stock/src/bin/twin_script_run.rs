//! See `large_values::script_run`.
#![no_main]

use large_values::script_run::check;

libfuzzer_sys::fuzz_target!(|input: String| check(&input));
