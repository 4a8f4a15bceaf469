//! Stateful tests: a machine whose rules are called in random order.
//!
//! A machine is usually a system and a simple model of it. Its *rules* are the operations on both.
//! Its *invariants* are the conditions that must hold at any time.
//!
//! A run draws steps until it stops. A step is a rule that is enabled in the current state,
//! together with its arguments. The run checks the invariants before the first step and after each
//! step.
//!
//! A report shows a failure as a program, and its last step is the one that failed. Shrinking finds
//! the fewest steps with the simplest arguments.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use dwindle::prelude::*;
//! # use dwindle_engine as dwindle;
//!
//! /// Files by their names, and handles that remember what they wrote or read last.
//! #[derive(Default)]
//! struct Files {
//!     content: BTreeMap<String, u32>,
//!     handles: Pool<Handle>,
//! }
//!
//! struct Handle {
//!     name: String,
//!     seen: u32,
//! }
//!
//! #[dwindle::state_machine]
//! impl Files {
//!     // Arguments are drawn by their type, or from a generator. What the rule gives back goes
//!     // into the pool.
//!     #[rule(into = handles)]
//!     fn open(&mut self, #[generate(with = g::text().len(1..=3))] name: String) -> Handle {
//!         let seen = *self.content.entry(name.clone()).or_default();
//!         Handle { name, seen }
//!     }
//!
//!     // A value of the pool: the rule is enabled only while there is one. This one comes up twice
//!     // as often.
//!     #[rule(weight = 2)]
//!     fn write(&mut self, #[from(handles)] handle: &mut Handle, value: u32) {
//!         self.content.insert(handle.name.clone(), value);
//!         handle.seen = value;
//!     }
//!
//!     // Taken by value it is gone from the pool.
//!     #[rule]
//!     fn close(&mut self, #[from(handles)] handle: Handle) {
//!         drop(handle);
//!     }
//!
//!     #[rule(when = self.handles.is_empty() && !self.content.is_empty())]
//!     fn remove(&mut self, tc: &mut TestCase) {
//!         let names: Vec<String> = self.content.keys().cloned().collect();
//!         self.content.remove(&tc.draw(g::sampled_from(names)));
//!     }
//!
//!     #[invariant]
//!     fn handles_have_seen_what_there_is(&self) {
//!         assert!(self.handles.iter().all(|handle| self.content[&handle.name] == handle.seen));
//!     }
//! }
//!
//! fn property(tc: &mut TestCase) {
//!     tc.run(Files::default());
//! }
//! # property(&mut dwindle::internals::Driver::new());
//! ```
//!
//! Two handles of the same name can differ. The failure is:
//!
//! ```text
//! let handle_1 = machine.open("0");
//! let handle_2 = machine.open("0");
//! machine.write(&mut handle_1, 1);
//! ```
//!
//! The ideas come from Hypothesis (`RuleBasedStateMachine`: rules, preconditions, invariants,
//! bundles). Swarm testing, which leaves out some rules for a whole run, comes from Groce et al.
//! 2012.

mod rule;
pub(crate) mod given;
mod pool;
mod run;

pub use dwindle_derive::state_machine_of_engine as state_machine;
#[doc(hidden)]
pub use pool::IsPool;
pub use pool::Pool;
pub(crate) use rule::RULES_MAX;
pub use rule::Rule;

/// A machine with state, on which [`TestCase::run`](crate::TestCase::run) takes steps.
///
/// `#[state_machine]` on an impl block writes this implementation. Written by hand, it is:
///
/// ```
/// use dwindle::prelude::*;
/// use dwindle::state_machine::Rule;
/// # use dwindle_engine as dwindle;
///
/// struct Counter(u32);
///
/// impl StateMachine for Counter {
///     const RULES: &'static [Rule<Counter>] = &[
///         Rule::new("add", |counter, tc| counter.0 += u32::from(tc.draw(any::<u8>()))),
///         Rule::<Counter>::new("halve", |counter, _| counter.0 /= 2)
///             .when("counter.0 > 10", |counter| counter.0 > 10)
///             .weight(3),
///     ];
///
///     fn invariants(&self) {
///         assert!(self.0 < 100_000);
///     }
/// }
///
/// fn property(tc: &mut TestCase) {
///     tc.run(Counter(0));
/// }
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_random(1, 1000);
/// # property(&mut tc);
/// ```
pub trait StateMachine: Sized + 'static {
    /// The rules, at least one and at most 255. Put simple rules first, because shrinking prefers
    /// them.
    const RULES: &'static [Rule<Self>];

    /// The name of the machine in the program that shows a failure.
    fn name(&self) -> &'static str {
        "machine"
    }

    /// Maximum steps of a run. Without a limit, a random run rarely takes more than 64 steps. A run
    /// of a fuzzer takes as many as its input holds.
    fn steps_max(&self) -> usize {
        usize::MAX
    }

    /// Panics if a condition that must always hold is violated.
    fn invariants(&self) {}
}
