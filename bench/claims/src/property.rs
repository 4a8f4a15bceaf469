//! A property with its failing condition in words.

use dwindle_engine::TestCase;

/// A property that the claims are measured on.
#[derive(Clone, Copy)]
pub struct Property {
    /// Its name in the table.
    pub name: &'static str,
    /// When it fails, in words.
    pub fails: &'static str,
    /// Draws of which not all can be free at the same time, by their numbers.
    pub traps: &'static [&'static [usize]],
    /// The property. `false` is a failure.
    pub holds: fn(&mut TestCase) -> bool,
}
