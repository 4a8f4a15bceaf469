//! A setting has a value of another type
//!
//! `max_cases`, `max_choices` and `seed` take whole numbers, `name` a text.

#[dwindle::test(max_cases = "many", seed = -3)]
fn is_small(number: u8) {
    assert!(u16::from(number) < 256);
}

fn main() {}
