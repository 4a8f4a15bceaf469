//! Arithmetic on `rust_decimal`. Finds a division that panics.
#![no_main]

use dwindle_fuzz::decimal::{Expr, eval};

dwindle::fuzz_target!(|expr: Expr| {
    eval(&expr);
});
