//! How many to take at once where many may go.

/// 1, 2, 8, 128 and so on as long as that goes, then half as many again and again.
///
/// Thousands go in a few steps; where every other one is needed, it takes no more of them than doubling would.
pub(super) struct Gallop {
    step: usize,
    grows: bool,
}

impl Gallop {
    pub(super) fn new() -> Gallop {
        Gallop { step: 1, grows: true }
    }

    /// How many to try next, unless that is over.
    pub(super) fn step(&self) -> Option<usize> {
        (self.step > 0).then_some(self.step)
    }

    /// Whether so many could go.
    pub(super) fn went(&mut self, went: bool) {
        self.grows &= went;
        self.step = if self.grows { self.step.saturating_mul(self.step).saturating_mul(2) } else { self.step / 2 };
    }
}
