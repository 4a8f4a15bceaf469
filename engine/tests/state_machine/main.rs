//! State machines: how a run is shown, and what bytes mean as a run. How failures shrink is in
//! `harness/tests/stateful.rs`.

mod rules;

use std::sync::{Arc, Mutex};

use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::{Driver, Outcome, Payload, TranscriptEvent, execute};
use dwindle_engine::state_machine::Rule;
use dwindle_engine::{Pool, StateMachine, TestCase, any};

/// What a run says, draws and notes in their order.
fn said(
    start: impl FnOnce(&mut Driver),
    run: impl FnOnce(&mut TestCase),
) -> (Vec<String>, Outcome<Payload>) {
    let mut tc = Driver::new();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&lines);
    tc.listen(Some(Box::new(move |said| {
        heard.lock().unwrap().push(match said {
            TranscriptEvent::Draw(value) => format!("{value:?}"),
            TranscriptEvent::Note(note) => format!("# {note}"),
            TranscriptEvent::Name(_) | TranscriptEvent::Line | TranscriptEvent::Completed(..) => {
                return;
            }
        });
    })));
    start(&mut tc);
    let ended = execute(&mut tc, run);
    let lines = lines.lock().unwrap().clone();
    (lines, ended)
}

/// The same for bytes.
fn read(input: &[u8], run: impl FnOnce(&mut TestCase)) -> Vec<String> {
    said(|tc| tc.start_bytes(input, 1000), run).0
}

fn message(ended: Outcome<Payload>) -> String {
    let Outcome::Failed(payload) = ended else { panic!("it does not panic: {ended:?}") };
    payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string))
        .expect("a message")
}

#[derive(Default)]
struct Files {
    handles: Pool<Handle>,
    open: usize,
    checks: std::cell::Cell<usize>,
    steps: usize,
}

struct Handle(String);

#[dwindle_engine::state_machine(name = "files", steps_max = 20)]
impl Files {
    #[rule(into = handles)]
    fn open(&mut self, #[generate(with = g::text().len(1..=3))] name: String) -> Handle {
        self.open += 1;
        self.steps += 1;
        Handle(name)
    }

    #[rule(when = self.open > 1, weight = 5)]
    fn close(&mut self, #[from(handles)] handle: Handle) {
        assert!(!handle.0.is_empty());
        self.open -= 1;
        self.steps += 1;
    }

    #[rule]
    fn append(
        &mut self,
        #[from(handles)] from: &Handle,
        tc: &mut TestCase,
        #[from(handles)] to: &mut Handle,
        times: u8,
    ) {
        to.0.push_str(&from.0);
        assert_eq!(
            self.handles.len(),
            self.open - 1,
            "what is lent to be changed is not in the pool"
        );
        if tc.draw(any::<bool>()) {
            let other = self.handles.draw(tc);
            tc.note(format!("{} {times}", other.0));
        }
        self.steps += 1;
    }

    #[invariant]
    fn counts_agree(&self) {
        self.checks.set(self.checks.get() + 1);
        assert_eq!(self.handles.len(), self.open);
    }
}

#[test]
fn a_run_is_shown_as_a_program() {
    let input = [1, b'a', 0xFF, 1, b'b', b'c', 0xFF, 3, 0, 1, 7, 0xFF, 1, 2, 1, 0];
    let lines = read(&input, |tc| {
        tc.draw(g::just(1));
        tc.run(Files::default());
        tc.draw(g::just(2));
    });
    let program = [
        "1",
        r#"let handle_1 = files.open("a");"#,
        r#"let handle_2 = files.open("bc");"#,
        // What is lent to be changed is drawn first, and for the other one is left: what is gone
        // stands for another.
        "files.append(&handle_2, tc, &mut handle_1, 7);",
        "    // drew true",
        "    // drew &handle_2",
        "# bc 7",
        "files.close(handle_2);",
        "2",
    ];
    assert_eq!(lines, program);
}

#[test]
fn the_step_that_failed_stands_last() {
    let (lines, ended) = said(
        |tc| tc.start_bytes(&[1, 200, 2], 100),
        |tc| {
            tc.run(Failing(0));
        },
    );
    assert_eq!(lines, ["machine.add(200);", "machine.fail();"]);
    assert_eq!(message(ended), "200 is too much");
}

struct Failing(u8);

#[dwindle_engine::state_machine]
impl Failing {
    #[rule]
    fn add(&mut self, number: u8) {
        self.0 = self.0.wrapping_add(number);
    }

    #[rule]
    fn fail(&self) {
        panic!("{} is too much", self.0);
    }
}

#[test]
fn a_generator_that_runs_a_machine_shows_its_value_alone() {
    let lines = read(&[1, 7, 1, 1, 0], |tc| {
        tc.draw(g::from_fn(|tc| tc.run(Failing(0)).0));
    });
    assert_eq!(lines, ["8"]);
}

struct Wrong;

impl StateMachine for Wrong {
    const RULES: &'static [Rule<Wrong>] = &[Rule::new("never", |_, _| unreachable!())];

    fn invariants(&self) {
        panic!("wrong from the start");
    }
}

#[test]
fn invariants_are_checked_before_the_first_step_and_behind_each() {
    let mut tc = Driver::new();
    tc.start_bytes(&[1, b'a', 0xFF, 1, b'b', 0xFF], 100);
    let files = tc.run(Files::default());
    assert_eq!((files.steps, files.checks.get()), (2, 3));
    tc.start_bytes(&[], 100);
    assert_eq!(tc.run(Files::default()).checks.get(), 1);
    let (lines, ended) = said(
        |tc| tc.start_bytes(&[1], 100),
        |tc| {
            tc.run(Wrong);
        },
    );
    assert_eq!((lines.len(), message(ended).as_str()), (0, "wrong from the start"));
}

#[test]
fn a_rule_is_taken_only_where_it_is_enabled_by_its_condition_and_its_pools() {
    for seed in 0..300 {
        let mut tc = Driver::new();
        tc.start_random(seed, 1000);
        // The rules themselves assert what they need.
        let files = tc.run(Files::default());
        assert!(files.steps <= 20);
    }
    // A rule that is not enabled stands for one that is.
    assert_eq!(
        read(&[2, b'a', 0xFF], |tc| drop(tc.run(Files::default()))),
        [r#"let handle_1 = files.open("a");"#]
    );
    // `append` needs two values: what it changes is not in the pool meanwhile.
    assert_eq!(
        read(&[1, b'a', 0xFF, 3, b'b', 0xFF], |tc| drop(tc.run(Files::default())))[1],
        r#"let handle_2 = files.open("b");"#
    );
}

#[test]
fn any_bytes_are_a_run_and_the_bytes_of_its_choices_are_the_same_run() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut longest = 0;
    for case in 0..2000 {
        let input: Vec<u8> = (0..rng.usize(..120))
            .map(|_| if rng.bool() { rng.u8(..5) } else { rng.u8(..) })
            .collect();
        let at_random = case % 2 == 0;
        let mut tc = Driver::new();
        let start = |tc: &mut Driver| {
            if at_random {
                tc.start_random(case, 2000);
            } else {
                tc.start_bytes_recorded(&input, 2000);
            }
        };
        start(&mut tc);
        tc.run(Files::default());
        let choices = tc.trace().choices.clone();
        let (first, _) = said(start, |tc| drop(tc.run(Files::default())));
        longest = longest.max(first.len());
        let encoded = encode(&choices);
        assert_eq!(first, read(&encoded, |tc| drop(tc.run(Files::default()))), "{input:?}");
        tc.start_bytes_recorded(&encoded, 2000);
        tc.run(Files::default());
        assert_eq!(tc.trace().choices, choices);
        let values: Vec<Value> = choices.iter().map(|choice| choice.value.clone()).collect();
        assert_eq!(
            first,
            said(|tc| tc.start_replay(&values, 2000), |tc| drop(tc.run(Files::default()))).0
        );
    }
    assert!(longest > 20);
}

#[test]
fn a_step_means_the_same_when_one_before_it_is_gone() {
    // open, open, close(handle_1), close(handle_2) enabled by a third: without the first close the
    // second one takes the same handle.
    let text = |text: &str| Value::Text(text.into());
    let open = |name: &str| vec![Value::Integer(1), text(name)];
    let close = |number: i128| vec![Value::Integer(2), Value::Integer(number)];
    let last = |steps: Vec<Vec<Value>>| {
        let values = steps.concat();
        said(|tc| tc.start_replay(&values, 100), |tc| drop(tc.run(Files::default())))
            .0
            .pop()
            .unwrap()
    };
    assert_eq!(
        last(vec![open("a"), open("b"), open("c"), close(0), close(1)]),
        "files.close(handle_2);"
    );
    assert_eq!(last(vec![open("a"), open("b"), open("c"), close(1)]), "files.close(handle_2);");
    // One that is gone is the nearest before it, or the first.
    assert_eq!(
        last(vec![open("a"), open("b"), open("c"), close(1), close(1)]),
        "files.close(handle_1);"
    );
    assert_eq!(
        last(vec![open("a"), open("b"), open("c"), close(0), close(0)]),
        "files.close(handle_2);"
    );
    // A rule that is not enabled is the nearest before it.
    assert_eq!(last(vec![open("a"), close(0)]), r#"let handle_2 = files.open("0");"#);
}
