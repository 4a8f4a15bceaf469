//! A rule's argument has a type without `Debug`
//!
//! The program of a failure shows the drawn arguments, so their types are `Debug`.

use dwindle::prelude::*;

#[derive(Generate)]
struct Mode(u8);

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn create(&mut self, mode: Mode) {
        self.names.push(mode.0.to_string());
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
