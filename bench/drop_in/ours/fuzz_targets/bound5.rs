//! The target `bound5` on dwindle.
#![no_main]

use drop_in_values::{Five, Target};
use dwindle::arbitrary::{Corpus, fuzz_target};

fuzz_target!(|value: Five| -> Corpus {
    if Target::Bound5.check(&value.into()) { Corpus::Keep } else { Corpus::Reject }
});
