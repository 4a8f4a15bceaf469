//! A variant has a weight of zero
//!
//! A weight is a number from 1 to 65536. `skip` leaves a variant out.

use dwindle::prelude::*;

#[derive(Debug, Generate)]
enum Op {
    Push(u8),
    #[generate(weight = 0)]
    Pop,
}

fn main() {}
