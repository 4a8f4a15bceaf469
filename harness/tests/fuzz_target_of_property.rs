//! A fuzz target of a property. A replay counts panics in any thread, so no other test panics here.

use dwindle::prelude::*;

mod target {
    dwindle::fuzz_target!(super::sums);
}

#[dwindle::test(store = None)]
#[ignore = "only its fuzz target runs here"]
pub(crate) fn sums(#[generate(with = g::vec(g::integers(0..=10_000u32)))] numbers: Vec<u32>) {
    assert!(numbers.iter().sum::<u32>() <= 1000);
}

#[test]
fn a_fuzz_target_of_a_property_reads_bytes_as_its_test_does() {
    // One element, 1001 in two bytes as a range of more than 256 values has them in four, and the
    // end.
    let input = [1, 0xE9, 3, 0, 0, 0];
    let caught = std::panic::catch_unwind(|| dwindle::replay(target::dwindle_property, &input))
        .expect_err("the sum is too large");
    assert!(
        caught
            .downcast_ref::<&str>()
            .is_some_and(|text| text.contains("numbers.iter().sum::<u32>() <= 1000"))
    );
    dwindle::replay(target::dwindle_property, &[1, 0xE8, 3, 0, 0, 0]);
}
