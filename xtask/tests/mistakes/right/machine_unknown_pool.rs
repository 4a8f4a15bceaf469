use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn close(&mut self, #[from(open)] file: u32) {
        self.names.push(file.to_string());
    }
}
