//! The generator of a field draws another type
//!
//! Change the generator or the type. `.map(..)` converts the drawn value.

use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Order {
    #[generate(with = g::integers(1..=9u8))]
    price: f64,
}

fn main() {}
