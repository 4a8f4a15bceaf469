//! Programs with faults behind one assertion.

use dwindle_engine::TestCase;

/// A set of faults, one bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faults(pub u32);

impl Faults {
    /// All of the first `count` faults.
    #[must_use]
    pub fn all(count: u32) -> Faults {
        Faults((1 << count) - 1)
    }

    /// One fault.
    #[must_use]
    pub fn only(fault: u32) -> Faults {
        Faults(1 << fault)
    }

    /// Whether the fault is there, and its condition holds. Then the program is wrong.
    #[must_use]
    pub fn hit(self, fault: u32, condition: bool) -> bool {
        condition && self.0 & 1 << fault != 0
    }
}

/// A program and its model. The one assertion says that they agree.
#[derive(Clone, Copy)]
pub struct Program {
    /// Its name in the table.
    pub name: &'static str,
    /// How many faults it has.
    pub faults: u32,
    /// Runs it with some of its faults. `false`: the assertion fails.
    pub agrees: fn(&mut TestCase, Faults) -> bool,
}
