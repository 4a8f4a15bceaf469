//! The target `large_union_list` on dwindle.
#![no_main]

use drop_in_values::{Lists, Target};
use dwindle::arbitrary::{Corpus, fuzz_target};

fuzz_target!(|value: Lists| -> Corpus {
    if Target::LargeUnionList.check(&value.into()) { Corpus::Keep } else { Corpus::Reject }
});
