//! A state machine that writes down its steps.

use dwindle::prelude::*;

use super::value::Value;

/// Registers, and handles that come and go.
#[derive(Default)]
pub struct Recorder {
    /// The steps so far.
    pub steps: Vec<Value>,
    registers: [u16; 4],
    handles: Pool<u64>,
    made: u64,
}

impl Recorder {
    fn note(&mut self, tag: usize, values: &[i128]) {
        let values = values.iter().map(|value| Value::Int(*value)).collect();
        self.steps.push(Value::Tagged(tag, values));
    }
}

#[dwindle::state_machine]
impl Recorder {
    #[rule]
    fn tick(&mut self) {
        self.note(0, &[]);
    }

    #[rule(into = handles)]
    fn open(&mut self) -> u64 {
        self.made += 1;
        self.note(1, &[]);
        self.made
    }

    #[rule]
    fn write(&mut self, #[from(handles)] handle: &mut u64, value: u8) {
        let handle = i128::from(*handle);
        self.note(2, &[handle, i128::from(value)]);
    }

    #[rule]
    fn close(&mut self, #[from(handles)] handle: u64) {
        self.note(3, &[i128::from(handle)]);
    }

    #[rule]
    fn set(&mut self, #[generate(with = g::integers(0usize..4))] register: usize, value: u16) {
        self.registers[register] = value;
        self.note(4, &[register as i128, i128::from(value)]);
    }

    #[rule(when = self.registers.iter().any(|value| *value > 0))]
    fn add(&mut self, #[generate(with = g::integers(0usize..4))] register: usize) {
        let sum: i128 = self.registers.iter().map(|value| i128::from(*value)).sum();
        self.note(5, &[register as i128, sum]);
    }
}
