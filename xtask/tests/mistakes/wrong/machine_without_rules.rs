//! A state machine has no rules
//!
//! Mark the methods that are steps with `#[rule]`.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    fn create(&mut self, name: String) {
        self.names.push(name);
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
