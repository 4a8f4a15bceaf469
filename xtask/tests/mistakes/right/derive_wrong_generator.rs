use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Order {
    #[generate(with = g::integers(1..=9).map(f64::from))]
    price: f64,
}
