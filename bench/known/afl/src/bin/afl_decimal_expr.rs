//! See `dwindle_fuzz`; the target is `fuzz/fuzz_targets/decimal_expr.rs`.

use dwindle_fuzz::decimal::{Expr, eval};

fn main() {
    afl::fuzz!(|expr: Expr| {
        eval(&expr);
    });
}
