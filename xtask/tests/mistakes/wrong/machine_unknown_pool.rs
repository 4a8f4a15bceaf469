//! A rule draws from a field that does not exist
//!
//! Name a field of the machine, of type `Pool`.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn close(&mut self, #[from(opened)] file: u32) {
        self.names.push(file.to_string());
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
