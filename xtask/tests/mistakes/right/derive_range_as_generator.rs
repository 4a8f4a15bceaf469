use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Die {
    #[generate(with = g::integers(1..=6))]
    eyes: u8,
}
