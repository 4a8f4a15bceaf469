//! One of several reasons for which a target fails at one place.

use super::claims::Claims;
use crate::trace::Trace;

/// A minimized failure and what is claimed of it.
#[derive(Clone, Debug)]
pub struct Cause {
    /// The minimized input.
    pub minimized: Trace,
    /// The claims about it.
    pub claims: Claims,
}

impl Cause {
    /// Whether the input of `failing` contains this cause.
    pub fn explains(&self, failing: &Trace) -> bool {
        self.claims.covers(&self.minimized, failing)
    }
}

/// Whether two causes say the same: one explains the minimized input of the other.
pub fn joined(a: &Cause, b: &Cause) -> bool {
    a.explains(&b.minimized) || b.explains(&a.minimized)
}
