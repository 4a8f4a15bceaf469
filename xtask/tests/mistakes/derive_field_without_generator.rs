//! A field has a type without a generator
//!
//! Derive `Generate` for the type too, or name a generator for the field.
//!
//! ```rust
//! #[derive(Debug, Generate)]
//! struct Order {
//!     amount: u32,
//!     #[generate(with = g::sampled_from([Currency::EUR, Currency::USD]))]
//!     currency: Currency,
//! }
//! ```

use dwindle::prelude::*;

#[derive(Debug, Clone)]
struct Currency(&'static str);

#[derive(Debug, Generate)]
struct Order {
    amount: u32,
    currency: Currency,
}

fn main() {}
