//! A rule does not take the machine
//!
//! A rule takes `&mut self` or `&self` first.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn create(name: String) {
        drop(name);
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
