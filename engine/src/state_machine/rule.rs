//! One operation of a machine.

use std::fmt;

use crate::test_case::TestCase;

/// Maximum rules of a machine. A step is one byte of a fuzzer's input, and the byte 0 ends the run.
pub(crate) const RULES_MAX: usize = 255;

/// One operation of a machine: its weight, its precondition and its action.
pub struct Rule<M> {
    name: &'static str,
    weight: u8,
    needs: &'static str,
    enabled: fn(&M) -> bool,
    take: fn(&mut M, &mut TestCase),
    is_worded: bool,
}

impl<M> Rule<M> {
    /// Creates a rule that is always enabled. `take` draws the arguments and takes the step. The
    /// report shows its draws below the line `machine.name();`.
    ///
    /// A step that panics fails the test case. A step that rejects (`tc.assume`) rejects the whole
    /// test case. To avoid this, use [`when`](Rule::when) to state when the rule makes sense.
    pub const fn new(name: &'static str, take: fn(&mut M, &mut TestCase)) -> Rule<M> {
        Rule { name, weight: 1, needs: "nothing", enabled: |_| true, take, is_worded: false }
    }

    /// Creates a rule whose `take` shows its own line, as the attribute generates it.
    #[doc(hidden)]
    pub const fn worded(name: &'static str, take: fn(&mut M, &mut TestCase)) -> Rule<M> {
        Rule { is_worded: true, ..Rule::new(name, take) }
    }

    /// Enables the rule only in states for which `enabled` is true. `words` describe this condition
    /// in messages, for example if the machine is stuck.
    #[must_use]
    pub const fn when(self, words: &'static str, enabled: fn(&M) -> bool) -> Rule<M> {
        Rule { needs: words, enabled, ..self }
    }

    /// Sets how often the rule is drawn, relative to rules of weight 1. Shrinking ignores the
    /// weight.
    ///
    /// # Panics
    /// If the weight is 0.
    #[must_use]
    pub const fn weight(self, weight: u8) -> Rule<M> {
        assert!(
            weight > 0,
            "the weight of a rule is 1 to 255; to switch a rule off, give it the precondition \
             `false`"
        );
        Rule { weight, ..self }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// The weight of the rule if it is enabled, otherwise 0.
    pub(super) fn weight_in(&self, machine: &M) -> u8 {
        if (self.enabled)(machine) { self.weight } else { 0 }
    }

    /// The condition under which the rule is enabled.
    pub(super) fn needs(&self) -> &'static str {
        self.needs
    }

    pub(super) fn is_worded(&self) -> bool {
        self.is_worded
    }

    pub(super) fn take(&self, machine: &mut M, tc: &mut TestCase) {
        (self.take)(machine, tc);
    }
}

impl<M> Clone for Rule<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Rule<M> {}

impl<M> fmt::Debug for Rule<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule")
            .field("name", &self.name)
            .field("weight", &self.weight)
            .field("needs", &self.needs())
            .finish_non_exhaustive()
    }
}
