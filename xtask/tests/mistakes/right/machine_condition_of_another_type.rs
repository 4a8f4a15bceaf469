use dwindle::prelude::*;

struct Files {
    open: Pool<u32>,
    names: Vec<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule(when = !self.names.is_empty())]
    fn clear(&mut self) {
        self.names.clear();
    }
}
