//! See `large_values::script_run`.
#![no_main]

use large_values::script_run::check;

dwindle::fuzz_target!(|input: String| check(&input));
