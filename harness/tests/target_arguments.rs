//! What a native fuzz target may take. A replay counts panics in any thread, so this file has its
//! own process.

use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

mod text {
    dwindle::fuzz_target!(|text: &str| {
        let text: &str = text;
        assert!(!text.starts_with('b'), "{text}");
    });
}

mod bytes {
    dwindle::fuzz_target!(init: (), |data: &[u8]| {
        let data: &[u8] = data;
        assert!(data.len() < 2, "{data:?}");
    });
}

mod lent {
    dwindle::fuzz_target!(|pair: &(u8, bool)| assert!(pair.0 < 9 || pair.1));
}

mod changed {
    dwindle::fuzz_target!(|mut numbers: Vec<u8>| {
        numbers.sort_unstable();
        assert!(numbers.first().is_none_or(|first| *first < 9));
    });
}

/// Whether the property fails on the input.
fn fails(property: fn(&mut dwindle::TestCase), input: &'static [u8]) -> bool {
    // A panic of the other test would count.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    catch_unwind(|| dwindle::replay(property, input)).is_err()
}

#[test]
fn borrowed_values_are_those_of_their_owners() {
    assert!(fails(text::dwindle_property, b"b\0"));
    assert!(!fails(text::dwindle_property, b"a\0"));
    assert!(fails(bytes::dwindle_property, &[1, 7, 1, 8, 0]));
    assert!(!fails(bytes::dwindle_property, &[1, 7, 0]));
    assert!(fails(lent::dwindle_property, &[9, 0]));
    assert!(!fails(lent::dwindle_property, &[9, 255]));
}

#[test]
fn the_value_may_be_mutable() {
    assert!(fails(changed::dwindle_property, &[1, 10, 1, 9, 0]));
    assert!(!fails(changed::dwindle_property, &[1, 10, 1, 8, 0]));
}
