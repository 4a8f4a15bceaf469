use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn create(&mut self, name: String) {
        self.names.push(name);
    }
}
