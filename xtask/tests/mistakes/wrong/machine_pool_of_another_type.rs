//! A rule's pool holds another type
//!
//! The type of the argument is the type of the values in the pool, or a reference to it.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn close(&mut self, #[from(open)] file: u64) {
        self.names.push(file.to_string());
    }

    #[rule]
    fn read(&mut self, #[from(open)] file: &String) {
        self.names.push(file.clone());
    }

    #[rule(into = open)]
    fn create(&mut self, name: String) -> String {
        name
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
