use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Mode(u8);

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule]
    fn create(&mut self, mode: Mode) {
        self.names.push(format!("{mode:?}"));
    }
}
