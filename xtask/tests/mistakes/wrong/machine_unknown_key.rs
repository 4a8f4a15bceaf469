//! A rule has an unknown key
//!
//! The keys are `when`, `weight` and `into`.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule(if = !self.names.is_empty())]
    fn clear(&mut self) {
        self.names.clear();
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
