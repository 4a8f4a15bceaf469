//! See `large_values::wasm_validate`.
#![no_main]

use large_values::wasm_validate::check;

dwindle::fuzz_target!(|input: &[u8]| check(input));
