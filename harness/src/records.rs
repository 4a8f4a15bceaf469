//! Entry points for the fuzz target that tests the reader of a crashed process's record.

use std::sync::{Arc, Mutex, PoisonError};

use dwindle_engine::TestCase;
use dwindle_engine::internals::choice::Choice;
use dwindle_engine::internals::{Driver, Follower, Label, Trace, execute};

use crate::isolation::death;
use crate::isolation::wire::{Reader, Writer};

/// The text of a death record. `None` if the record has no content.
pub fn death(bytes: &[u8]) -> Option<String> {
    death::read_bytes(bytes).map(|death| format!("{death:?}"))
}

/// The draws in the entries that a run published. `None` if the bytes are not entries.
pub fn drawn(bytes: &[u8]) -> Option<Trace> {
    let mut trace = Trace::default();
    Reader::new(bytes).drawn(&mut trace)?;
    Some(trace)
}

/// The entries that a run of the property on `input` publishes.
pub fn entries(input: &[u8], property: impl FnMut(&mut TestCase)) -> Vec<u8> {
    let bytes = Arc::default();
    let mut tc = Driver::new();
    // No draw is longer than the input, except an alphabet.
    tc.follow(Entries { bytes: Arc::clone(&bytes), size: input.len() + (64 << 10) });
    tc.start_bytes_recorded(input, 10_000);
    execute(&mut tc, property);
    std::mem::take(&mut *bytes.lock().unwrap_or_else(PoisonError::into_inner))
}

struct Entries {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Maximum size of one entry.
    size: usize,
}

impl Entries {
    fn add(&self, write: impl FnOnce(&mut Writer<'_>)) {
        let mut memory = vec![0; self.size];
        let mut writer = Writer::new(&mut memory);
        write(&mut writer);
        let length = writer.written().unwrap_or(0);
        self.bytes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(&memory[..length]);
    }
}

impl Follower for Entries {
    fn chose(&mut self, choice: &Choice) {
        self.add(|writer| writer.choice(choice));
    }

    fn opened(&mut self, label: Label, start: u32) {
        self.add(|writer| writer.opened(label, start));
    }

    fn closed(&mut self, discarded: bool) {
        self.add(|writer| writer.closed(discarded));
    }
}
