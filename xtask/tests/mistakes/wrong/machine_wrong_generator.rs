//! The generator of a rule's argument draws another type
//!
//! Change the generator or the type. `.map(..)` converts the drawn value.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn create(&mut self, #[generate(with = g::characters())] name: String) {
        self.names.push(name);
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
