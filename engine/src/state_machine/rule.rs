//! One thing that can be done with a machine.

use std::fmt;

use crate::test_case::TestCase;

/// How many rules a machine may have: a step is one byte of a fuzzer's input, in which 0 ends the run.
pub const RULES_MAX: usize = 255;

/// One thing that can be done with a machine: how often, when, and what it does.
pub struct Rule<M> {
    name: &'static str,
    weight: u8,
    needs: &'static str,
    enabled: fn(&M) -> bool,
    take: fn(&mut M, &mut TestCase),
    is_worded: bool,
}

impl<M> Rule<M> {
    /// A rule that is always enabled. `take` draws what it needs and takes the step; what it draws is shown below the line `machine.name();`.
    ///
    /// A step that panics fails the test case, one that rejects (`tc.assume`) rejects it whole: say with [`when`](Rule::when) when the rule makes sense.
    pub const fn new(name: &'static str, take: fn(&mut M, &mut TestCase)) -> Rule<M> {
        Rule { name, weight: 1, needs: "nothing", enabled: |_| true, take, is_worded: false }
    }

    /// The same for a `take` that shows its own line: what the attribute makes.
    #[doc(hidden)]
    pub const fn worded(name: &'static str, take: fn(&mut M, &mut TestCase)) -> Rule<M> {
        Rule { is_worded: true, ..Rule::new(name, take) }
    }

    /// Only in states for which `enabled` is true. `words` say the same, for people whose machine is stuck.
    #[must_use]
    pub const fn when(self, words: &'static str, enabled: fn(&M) -> bool) -> Rule<M> {
        Rule { needs: words, enabled, ..self }
    }

    /// How often it comes up, beside rules of weight 1. Shrinking does not look at it.
    ///
    /// # Panics
    /// If the weight is 0.
    #[must_use]
    pub const fn weight(self, weight: u8) -> Rule<M> {
        assert!(weight > 0, "the weight of a rule is 1 to 255; to switch a rule off, give it the precondition `false`");
        Rule { weight, ..self }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Its weight where it is enabled, else 0.
    pub(super) fn weight_in(&self, machine: &M) -> u8 {
        if (self.enabled)(machine) { self.weight } else { 0 }
    }

    /// What must hold for it to be enabled.
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
        f.debug_struct("Rule").field("name", &self.name).field("weight", &self.weight).field("needs", &self.needs()).finish_non_exhaustive()
    }
}
