//! An invariant returns a `bool`
//!
//! An invariant asserts its condition.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn create(&mut self, name: String) {
        self.names.push(name);
    }

    #[invariant]
    fn is_small(&self) -> bool {
        self.names.len() < 100
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
