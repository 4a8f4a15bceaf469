//! The twin of `fuzz_targets/decimal_expr.rs`.
#![no_main]

use dwindle_fuzz::decimal::{Expr, eval};

libfuzzer_sys::fuzz_target!(|expr: Expr| {
    eval(&expr);
});
