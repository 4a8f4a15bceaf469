//! The target `calculator` on dwindle.
#![no_main]

use drop_in_values::{Expr, Target};
use dwindle::arbitrary::{Corpus, fuzz_target};

fuzz_target!(|value: Expr| -> Corpus {
    if Target::Calculator.check(&value.into()) { Corpus::Keep } else { Corpus::Reject }
});
