//! A rule's argument has a type without a generator
//!
//! Derive `Generate` for the type, name a generator, or take a value of a pool with
//! `#[from(pool)]`.

use dwindle::prelude::*;

#[derive(Debug)]
struct Mode(u8);

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn create(&mut self, mode: Mode) {
        self.names.push(format!("{mode:?}"));
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
