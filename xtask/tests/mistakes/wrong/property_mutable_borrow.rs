//! An argument is borrowed for changes
//!
//! Take the value itself. `mut` in front of the name allows changes.

#[dwindle::test]
fn sorts(values: &mut Vec<u8>) {
    values.sort_unstable();
    assert!(values.is_sorted());
}

fn main() {}
