//! A key of a rule has a wrong value
//!
//! `when` takes a condition, `weight` a number from 1 to 255, `into` the name of a field.

use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule(weight = 0)]
    fn create(&mut self, name: String) {
        self.names.push(name);
    }

    #[rule(weight = many)]
    fn clear(&mut self) {
        self.names.clear();
    }

    #[rule(into = "open")]
    fn open(&mut self) -> u32 {
        3
    }
}

fn property(tc: &mut TestCase) {
    tc.run(Files { open: Pool::default(), names: Vec::new() });
}

fn main() {}
