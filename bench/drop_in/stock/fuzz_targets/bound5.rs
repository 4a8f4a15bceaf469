//! The target `bound5` on libfuzzer-sys.
#![no_main]

use drop_in_values::{Five, Target};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|value: Five| -> Corpus {
    if Target::Bound5.check(&value.into()) { Corpus::Keep } else { Corpus::Reject }
});
