//! A rule draws from a field that is not a pool
//!
//! Make the field a `Pool`, and put values in with `#[rule(into = pool)]`.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn remove(&mut self, #[from(names)] name: String) {
        drop(name);
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
