//! A queue in a ring buffer, beside `VecDeque`.

use std::collections::VecDeque;

use dwindle::prelude::*;

/// What is wrong with the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    /// Growing leaves the values that wrap around the end in their places.
    GrowsInPlace,
    /// `pop` moves the first slot past the end and does not wrap it around.
    HeadPastTheEnd,
    /// `last` reads the last slot, if the queue begins in slot 0 and has more than two values.
    LastOfSlotZero,
    /// `skip` removes values from the end instead of the front.
    SkipsFromTheEnd,
    /// `clear` keeps the values that wrap around the end.
    ClearsUpToTheEnd,
}

/// A queue that grows.
struct Ring {
    slots: Vec<u32>,
    first: usize,
    len: usize,
    bug: Option<Bug>,
}

impl Ring {
    fn new(capacity: usize, bug: Option<Bug>) -> Ring {
        Ring { slots: vec![0; capacity], first: 0, len: 0, bug }
    }

    fn slot(&self, index: usize) -> usize {
        (self.first + index) % self.slots.len()
    }

    fn push(&mut self, value: u32) {
        if self.len == self.slots.len() {
            if self.bug != Some(Bug::GrowsInPlace) {
                self.slots.rotate_left(self.first);
                self.first = 0;
            }
            self.slots.resize(self.len * 2, 0);
        }
        let free = self.slot(self.len);
        self.slots[free] = value;
        self.len += 1;
    }

    fn pop(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let value = self.slots.get(self.first).copied();
        self.first += 1;
        if self.bug != Some(Bug::HeadPastTheEnd) {
            self.first %= self.slots.len();
        }
        self.len -= 1;
        value
    }

    fn last(&self) -> Option<u32> {
        if self.bug == Some(Bug::LastOfSlotZero) && self.first == 0 && self.len > 2 {
            return self.slots.last().copied();
        }
        self.len.checked_sub(1).map(|last| self.slots[self.slot(last)])
    }

    fn skip(&mut self, count: usize) {
        if self.bug != Some(Bug::SkipsFromTheEnd) {
            self.first = self.slot(count);
        }
        self.len -= count;
    }

    fn clear(&mut self) {
        let round_the_end = (self.first + self.len).saturating_sub(self.slots.len());
        self.len = if self.bug == Some(Bug::ClearsUpToTheEnd) { round_the_end } else { 0 };
        self.first = 0;
    }

    fn to_vec(&self) -> Vec<u32> {
        (0..self.len).map(|index| self.slots[self.slot(index)]).collect()
    }
}

/// The queue and its model.
pub(crate) struct Queue {
    ring: Ring,
    model: VecDeque<u32>,
}

impl Queue {
    pub(crate) fn new(bug: Option<Bug>) -> Queue {
        Queue { ring: Ring::new(4, bug), model: VecDeque::new() }
    }
}

#[dwindle::state_machine(name = "queue")]
impl Queue {
    #[rule(weight = 3)]
    fn push(&mut self, value: u32) {
        self.ring.push(value);
        self.model.push_back(value);
    }

    #[rule(weight = 2)]
    fn pop(&mut self) {
        assert_eq!(self.ring.pop(), self.model.pop_front(), "the value that was popped");
    }

    #[rule]
    fn last(&self) {
        assert_eq!(self.ring.last(), self.model.back().copied(), "the last value");
    }

    #[rule]
    fn skip(&mut self, #[generate(with = g::integers(0..=self.model.len()))] count: usize) {
        self.ring.skip(count);
        self.model.drain(..count);
    }

    #[rule(when = !self.model.is_empty())]
    fn clear(&mut self) {
        self.ring.clear();
        self.model.clear();
    }

    #[invariant]
    fn lengths_agree(&self) {
        assert_eq!(self.ring.len, self.model.len(), "how many values there are");
    }

    #[invariant]
    fn values_agree(&self) {
        assert_eq!(self.model, self.ring.to_vec(), "the values");
    }
}
