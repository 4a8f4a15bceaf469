struct Counter(u32);

#[dwindle::state_machine]
impl Counter {
    #[rule]
    fn add(&mut self, number: u8) {
        self.0 += u32::from(number);
    }
}
