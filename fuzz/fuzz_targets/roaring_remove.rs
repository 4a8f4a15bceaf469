//! roaring's bitmap against a `BTreeSet`. Finds two corruptions of run containers.
#![no_main]

use dwindle_fuzz::roaring::{Op, check};

dwindle::fuzz_target!(|ops: Vec<Op>| check(&ops));
