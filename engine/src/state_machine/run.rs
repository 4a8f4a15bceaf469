//! A run of a machine: steps until it stops.

use std::fmt::{Debug, Write};

use super::pool::Variable;
use super::{RULES_MAX, Rule, StateMachine};
use crate::misuse::require;
use crate::test_case::TestCase;
use crate::trace::Label;

/// One step: the rule and its draws.
const STEP: Label = Label::of("dwindle::state_machine::Step");

impl TestCase {
    /// Takes steps on `machine` until the source of choices stops, and returns the machine. Each
    /// step is drawn among the enabled rules.
    ///
    /// The run checks the invariants before the first step and after each step. A report shows a
    /// failure as a program of the steps, and the last step is the one that failed. The run ends
    /// early when no rule is enabled, for example after a connection was closed. A note then states
    /// what each rule needs.
    ///
    /// # Panics
    /// If a rule or an invariant panics. If the machine has no rules, or more than 255. If no rule
    /// is enabled at the start, because such a machine never takes a step.
    #[track_caller]
    pub fn run<M: StateMachine>(&mut self, mut machine: M) -> M {
        let rules = M::RULES;
        require!(
            !rules.is_empty(),
            "a state machine without rules takes no steps: mark at least one method with #[rule], \
             or name one in `RULES`"
        );
        require!(
            rules.len() <= RULES_MAX,
            "a state machine has at most {RULES_MAX} rules, and this one {}: let one rule draw \
             what it does",
            rules.len()
        );
        machine.invariants();
        self.open_span(Label::COLLECTION);
        let mut steps = self.steps(machine.steps_max());
        let mut weights = [0; RULES_MAX];
        let weights = &mut weights[..rules.len()];
        let mut is_start = true;
        loop {
            for (weight, rule) in weights.iter_mut().zip(rules) {
                *weight = rule.weight_in(&machine);
            }
            if weights.iter().all(|weight| *weight == 0) {
                require!(
                    !is_start,
                    "the state machine is stuck at its start: {}. Let one rule be enabled, or \
                     begin in another state",
                    needs(rules)
                );
                if self.is_heard() {
                    self.note(format!("the run ended where no rule was enabled: {}", needs(rules)));
                }
                break;
            }
            let Some(index) = self.more_step(&mut steps, weights, STEP) else { break };
            is_start = false;
            let rule = &rules[index];
            if !rule.is_worded() && self.is_heard() {
                self.say_step(machine.name(), rule.name(), None, &[]);
            }
            self.set_in_step(true);
            rule.take(&mut machine, self);
            self.set_in_step(false);
            self.close_spans(2);
            machine.invariants();
        }
        self.close_span();
        machine
    }

    /// Shows the line of a step. Rules that the attribute generates call this before the step.
    #[doc(hidden)]
    #[cold]
    pub fn say_step(
        &mut self,
        machine: &str,
        rule: &str,
        result: Option<Variable>,
        arguments: &[&dyn Debug],
    ) {
        let mut line = String::new();
        if let Some(result) = result {
            let _ = write!(line, "let {result:?} = ");
        }
        let _ = write!(line, "{machine}.{rule}(");
        for (index, argument) in arguments.iter().enumerate() {
            let _ = write!(line, "{}{argument:?}", if index == 0 { "" } else { ", " });
        }
        line.push_str(");");
        self.say_line(&line);
    }
}

/// Describes what each rule needs.
fn needs<M>(rules: &[Rule<M>]) -> String {
    let needs: Vec<String> =
        rules.iter().map(|rule| format!("`{}` needs {}", rule.name(), rule.needs())).collect();
    needs.join(", ")
}
