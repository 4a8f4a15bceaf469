//! The properties, one file for each crate, as a user of the crate writes them.

pub mod circular_buffer;
pub mod fixedbitset;
pub mod itertools;
pub mod num_bigint;
pub mod rangemap;
pub mod similar;
pub mod strsim;
pub mod textwrap;

use std::fmt::Debug;

use arbitrary::{Arbitrary, Unstructured};
use dwindle::__private::drop_in::{Bytes, is_too_short, no_value};
use dwindle::TestCase;

/// Makes a value of the whole input, as `dwindle::arbitrary::fuzz_target!` does.
fn drop_in<T: Debug + for<'a> Arbitrary<'a>>(tc: &mut TestCase, target: impl FnOnce(T)) {
    let bytes = Bytes::of(tc);
    if is_too_short(tc, &bytes, T::size_hint(0).0) {
        return;
    }
    match T::arbitrary_take_rest(Unstructured::new(&bytes)) {
        Ok(value) => {
            tc.show(&value);
            target(value);
        }
        Err(error) => no_value(tc, &error),
    }
}
