//! The condition of a rule is not a `bool`
//!
//! `when` takes an expression of type `bool`, which may read `self`.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule(when = self.names.len())]
    fn clear(&mut self) {
        self.names.clear();
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
