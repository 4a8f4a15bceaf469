//! When a pass gives way to others.

use super::Search;

/// Says when a pass gives way to others: after a number of calls without an improvement. A
/// candidate with a known answer also costs time, so it counts too, but less.
pub(in crate::shrink) struct Fruitless {
    calls_max: u64,
    calls: u64,
    known: u64,
    improvements: u64,
}

/// How many candidates with a known answer count as one call.
const KNOWN_PER_CALL: u64 = 4;

impl Fruitless {
    pub(in crate::shrink) fn new(search: &Search<'_>, calls_max: u64) -> Fruitless {
        Fruitless {
            calls_max,
            calls: search.calls,
            known: search.known,
            improvements: search.improvements,
        }
    }

    /// Whether the pass must give way. This is also true once the budget is used up.
    pub(in crate::shrink) fn is_enough(&mut self, search: &Search<'_>) -> bool {
        if search.improvements > self.improvements {
            (self.improvements, self.calls, self.known) =
                (search.improvements, search.calls, search.known);
        }
        search.is_stopped()
            || search.calls - self.calls + (search.known - self.known) / KNOWN_PER_CALL
                >= self.calls_max
    }
}
