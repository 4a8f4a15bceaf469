use dwindle::prelude::*;

struct Files {
    names: Pool<String>,
}

#[dwindle::state_machine]
impl Files {
    #[rule(into = names)]
    fn create(&mut self, name: String) -> String {
        name
    }

    #[rule]
    fn remove(&mut self, #[from(names)] name: String) {
        drop(name);
    }
}
