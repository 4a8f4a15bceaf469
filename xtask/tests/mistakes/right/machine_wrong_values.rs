use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule(weight = 3, when = self.names.len() < 9)]
    fn create(&mut self, name: String) {
        self.names.push(name);
    }
}
