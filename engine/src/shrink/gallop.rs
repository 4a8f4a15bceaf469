//! How many items to take at once where many may go.

/// Steps of 1, 2, 8, 128 and so on as long as they succeed, then half of the last step again and
/// again.
///
/// Thousands of items go in a few steps. Where every other item is needed, a gallop takes no more
/// steps than doubling would.
pub(super) struct Gallop {
    step: usize,
    grows: bool,
}

impl Gallop {
    pub(super) fn new() -> Gallop {
        Gallop { step: 1, grows: true }
    }

    /// How many items to try next, or `None` at the end.
    pub(super) fn step(&self) -> Option<usize> {
        (self.step > 0).then_some(self.step)
    }

    /// Records whether this many items could go.
    pub(super) fn went(&mut self, went: bool) {
        self.grows &= went;
        self.step = if self.grows {
            self.step.saturating_mul(self.step).saturating_mul(2)
        } else {
            self.step / 2
        };
    }
}
