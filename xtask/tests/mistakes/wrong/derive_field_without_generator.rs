//! A field has a type without a generator
//!
//! Derive `Generate` for the type too, or name a generator for the field.

use dwindle::prelude::*;

#[derive(Debug, Clone)]
struct Currency(&'static str);

#[derive(Debug, Generate)]
struct Order {
    amount: u32,
    currency: Currency,
}

fn main() {}
