//! The target `nestedlists` on libfuzzer-sys.
#![no_main]

use drop_in_values::{Lists, Target};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|value: Lists| -> Corpus {
    if Target::Nestedlists.check(&value.into()) { Corpus::Keep } else { Corpus::Reject }
});
