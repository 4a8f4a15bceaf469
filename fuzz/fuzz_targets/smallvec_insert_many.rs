//! smallvec's `SmallVec` against a `Vec`. Finds memory that is overrun; run it with
//! `AddressSanitizer`.
#![no_main]

use dwindle_fuzz::smallvec::{Op, check};

dwindle::fuzz_target!(|ops: Vec<Op>| check(&ops));
