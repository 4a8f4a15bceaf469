use dwindle_engine::{Pool, state_machine};

struct Machine {
    values: Pool<u8>,
}

struct Empty;

#[state_machine]
impl Empty {
    fn none(&self) {}
}

#[state_machine]
struct NotABlock;

#[state_machine]
impl Clone for Machine {
    fn clone(&self) -> Machine {
        unimplemented!()
    }
}

struct Wordy;

#[state_machine(steps = 3)]
impl Wordy {
    #[rule]
    fn one(&self) {}
}

#[state_machine]
impl Machine {
    #[rule(if = self.values.is_empty())]
    fn unknown(&mut self) {}

    #[rule(weight = 0)]
    fn never(&mut self) {}

    #[rule(weight = 256)]
    fn always(&mut self) {}

    #[rule(when = true, when = false)]
    fn twice(&mut self) {}

    #[rule(into = values)]
    fn nothing(&mut self) {}

    #[rule]
    fn no_machine(value: u8) {}

    #[rule]
    fn consumed(self) {}

    #[rule]
    fn borrowed(&mut self, name: &str) {}

    #[rule]
    fn from_nowhere(&mut self, #[from] value: u8) {}

    #[rule]
    fn from_both(&mut self, #[from(values)] #[generate(with = g::just(1))] value: u8) {}

    #[rule]
    fn generated_by(&mut self, #[generate(by = 3)] value: u8) {}

    #[rule]
    fn generated(&mut self, #[generate] value: u8) {}

    #[rule]
    fn generated_case(&mut self, #[generate(with = 3)] tc: &mut dwindle_engine::TestCase) {}

    #[rule]
    fn generic<T>(&mut self, value: T) {}

    #[rule]
    async fn waits(&mut self) {}

    #[rule]
    unsafe fn dangerous(&mut self) {}

    #[rule]
    #[invariant]
    fn both(&self) {}

    #[invariant]
    fn changes(&mut self) {}

    #[invariant]
    fn draws(&self, value: u8) {}

    #[invariant]
    fn asks(&self) -> bool {
        true
    }

    #[invariant(when = true)]
    fn now_and_then(&self) {}
}

fn main() {}
