//! The target `calculator` on libfuzzer-sys.
#![no_main]

use drop_in_values::{Expr, Target};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|value: Expr| -> Corpus {
    if Target::Calculator.check(&value.into()) { Corpus::Keep } else { Corpus::Reject }
});
