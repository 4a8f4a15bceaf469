//! A run of a machine: steps until it stops.

use std::fmt::{Debug, Write};

use super::pool::Variable;
use super::{RULES_MAX, Rule, StateMachine};
use crate::misuse::require;
use crate::test_case::TestCase;
use crate::trace::Label;

/// One step: the rule and what it draws.
const STEP: Label = Label::of("dwindle::state_machine::Step");

impl TestCase {
    /// Takes steps on `machine`, drawn among the rules that are enabled, until the source of choices stops, and gives the machine back.
    ///
    /// The invariants are checked before the first step and behind each. A failure is shown as a program of the steps taken, the one that failed last. Where no
    /// rule is enabled any more the run ends, as one of a connection that was closed does; a note then says what each rule needs.
    ///
    /// # Panics
    /// If a rule or an invariant does; if the machine has no rules, or more than [`RULES_MAX`]; if no rule is enabled at its start, so that it takes no step ever.
    #[track_caller]
    pub fn run<M: StateMachine>(&mut self, mut machine: M) -> M {
        let rules = M::RULES;
        require!(!rules.is_empty(), "a state machine without rules takes no steps: mark at least one method with #[rule], or name one in `RULES`");
        require!(rules.len() <= RULES_MAX, "a state machine has at most {RULES_MAX} rules, and this one {}: let one rule draw what it does", rules.len());
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
                require!(!is_start, "the state machine is stuck at its start: {}. Let one rule be enabled, or begin in another state", needs(rules));
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

    /// Shows the line of a step: what the attribute's rules call before they take it.
    #[doc(hidden)]
    #[cold]
    pub fn say_step(&mut self, machine: &str, rule: &str, result: Option<Variable>, arguments: &[&dyn Debug]) {
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

/// What each rule needs, in words.
fn needs<M>(rules: &[Rule<M>]) -> String {
    let needs: Vec<String> = rules.iter().map(|rule| format!("`{}` needs {}", rule.name(), rule.needs())).collect();
    needs.join(", ")
}
