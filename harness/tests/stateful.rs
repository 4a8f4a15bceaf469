//! State machines outside any fuzzer: the smallest program of each seeded bug, from ten seeds.
//!
//! `cargo run --release -p dwindle --no-default-features --example stateful` prints the shares of
//! fifty seeds and the calls it took.

use std::collections::BTreeMap;

use dwindle::prelude::*;
use dwindle::{Settings, check};

mod machines;

use machines::{CASES, Case};

fn settings(seed: u64) -> Settings {
    Settings::default().seed(seed).max_cases(100_000).exhaust(machines::EXHAUST).store(None)
}

fn ends_at_a_smallest_program(case: &Case) {
    for seed in 0..10 {
        let failure = check(settings(seed), case.property).expect_err(case.name);
        let is_smallest = case.minima.iter().any(|minimum| failure.draws == *minimum);
        assert!(
            is_smallest,
            "{} from seed {seed}: {}\n{:#?}",
            case.name, failure.message, failure.draws
        );
        assert!(
            failure.calls_to_fixpoint < 1200,
            "{} took {} calls from seed {seed}",
            case.name,
            failure.calls_to_fixpoint
        );
    }
}

#[test]
fn bugs_of_a_queue_end_at_their_smallest_programs() {
    CASES.iter().filter(|case| case.name.starts_with("queue")).for_each(ends_at_a_smallest_program);
}

#[test]
fn bugs_of_a_store_end_at_their_smallest_programs() {
    CASES.iter().filter(|case| case.name.starts_with("store")).for_each(ends_at_a_smallest_program);
}

#[test]
fn bugs_of_an_allocator_end_at_their_smallest_programs() {
    CASES
        .iter()
        .filter(|case| case.name.starts_with("memory"))
        .for_each(ends_at_a_smallest_program);
}

#[test]
#[should_panic(expected = "from seed 0")]
fn a_wrong_minimum_is_noticed() {
    ends_at_a_smallest_program(&Case { minima: &[&["queue.pop();"]], ..CASES[0] });
}

#[test]
fn machines_without_a_bug_pass() {
    for seed in 0..3 {
        let settings = || settings(seed).max_cases(1000);
        for property in machines::SOUND {
            check(settings(), property).unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}

#[test]
fn the_input_of_a_failure_fails_again() {
    let failure = check(settings(1), CASES[0].property).expect_err("it fails");
    assert!(
        std::panic::catch_unwind(|| dwindle::replay(CASES[0].property, &failure.input)).is_err()
    );
}

/// The machine of the documentation.
#[derive(Default)]
struct Files {
    content: BTreeMap<String, u32>,
    handles: Pool<Handle>,
}

struct Handle {
    name: String,
    seen: u32,
}

#[dwindle::state_machine]
impl Files {
    #[rule(into = handles)]
    fn open(&mut self, #[generate(with = g::text().len(1..=3))] name: String) -> Handle {
        let seen = *self.content.entry(name.clone()).or_default();
        Handle { name, seen }
    }

    #[rule(weight = 2)]
    fn write(&mut self, #[from(handles)] handle: &mut Handle, value: u32) {
        self.content.insert(handle.name.clone(), value);
        handle.seen = value;
    }

    #[rule]
    fn close(&mut self, #[from(handles)] handle: Handle) {
        drop(handle);
    }

    #[rule(when = self.handles.is_empty() && !self.content.is_empty())]
    fn remove(&mut self, tc: &mut TestCase) {
        let names: Vec<String> = self.content.keys().cloned().collect();
        self.content.remove(&tc.draw(g::sampled_from(names)));
    }

    #[invariant]
    fn handles_have_seen_what_there_is(&self) {
        assert!(self.handles.iter().all(|handle| self.content[&handle.name] == handle.seen));
    }
}

#[test]
fn the_example_of_the_documentation_fails_as_it_says() {
    for seed in 0..10 {
        let failure =
            check(settings(seed), |tc| drop(tc.run(Files::default()))).expect_err("handles differ");
        let program = [
            r#"let handle_1 = machine.open("0");"#,
            r#"let handle_2 = machine.open("0");"#,
            "machine.write(&mut handle_1, 1);",
        ];
        assert_eq!(failure.draws, program, "seed {seed}");
    }
}
