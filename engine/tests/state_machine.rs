//! State machines: which rules are taken when, what a pool gives, and how a run is shown. How
//! failures shrink is in `harness/tests/stateful.rs`.

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

/// How often each of three rules was taken.
#[derive(Default)]
struct Weighted([u32; 3]);

impl StateMachine for Weighted {
    const RULES: &'static [Rule<Weighted>] = &[
        Rule::new("one", |machine, _| machine.0[0] += 1),
        Rule::<Weighted>::new("never", |machine, _| machine.0[1] += 1).when("false", |_| false),
        Rule::<Weighted>::new("ten", |machine, _| machine.0[2] += 1).weight(10),
    ];
}

#[test]
fn a_rule_comes_up_as_often_as_its_weight_says() {
    let mut tc = Driver::new();
    let mut counts = Weighted::default();
    for seed in 0..2000 {
        tc.start_random(seed, 10_000);
        counts = tc.run(counts);
    }
    let [one, never, ten] = counts.0;
    assert_eq!(never, 0);
    assert!(one * 3 < ten && ten < one * 20, "{one} {ten}");
    // In bytes those that name a rule are that rule; all others are spread by weight.
    tc.start_bytes(&(1..=255).collect::<Vec<u8>>(), 1000);
    let [one, _, ten] = tc.run(Weighted::default()).0;
    assert_eq!((one, ten), (1 + 23, 1 + 230));
}

#[test]
fn some_runs_leave_a_rule_out() {
    let mut tc = Driver::new();
    let long_and_one_sided = (0..500).filter(|seed| {
        tc.start_random(*seed, 10_000);
        let [one, _, ten] = tc.run(Weighted::default()).0;
        one + ten >= 15 && (one == 0 || ten == 0)
    });
    assert!(long_and_one_sided.count() > 30);
}

struct Stuck {
    left: u32,
}

#[dwindle_engine::state_machine]
impl Stuck {
    #[rule(when = self.left > 0)]
    fn lower(&mut self) {
        self.left -= 1;
    }

    #[rule(when = self.left > 100 && self.left.is_multiple_of(2))]
    fn halve(&mut self) {
        self.left /= 2;
    }
}

#[test]
fn a_run_ends_where_no_rule_is_enabled_and_says_what_each_needs() {
    let lines = read(&[1, 2, 1, 1, 1, 1], |tc| {
        assert_eq!(tc.run(Stuck { left: 2 }).left, 0);
        // Nothing was drawn for a step that could not be taken.
        assert_eq!(tc.draw_silent(any::<[u8; 4]>()), [1; 4]);
    });
    let note = "# the run ended where no rule was enabled: `lower` needs `self.left > 0`, `halve` \
                needs `self.left > 100 && self.left.is_multiple_of(2)`";
    assert_eq!(lines, ["machine.lower();", "machine.lower();", note]);
}

#[test]
fn a_machine_that_is_stuck_at_its_start_is_a_mistake_and_says_so() {
    let (_, ended) = said(
        |tc| tc.start_random(0, 100),
        |tc| {
            tc.run(Stuck { left: 0 });
        },
    );
    let message = message(ended);
    assert!(
        message.starts_with(
            "wrong use of dwindle: the state machine is stuck at its start: `lower` needs \
             `self.left > 0`, `halve` needs"
        ),
        "{message}"
    );
    assert!(message.ends_with("Let one rule be enabled, or begin in another state"), "{message}");
}

struct OnlyPools {
    values: Pool<u8>,
}

#[dwindle_engine::state_machine]
impl OnlyPools {
    #[rule(when = self.values.len() < 9)]
    fn both(&self, #[from(values)] one: &u8, #[from(values)] gone: u8) {
        let _ = (one, gone);
    }
}

#[test]
fn rules_of_an_empty_pool_are_not_enabled() {
    let (_, ended) = said(
        |tc| tc.start_random(0, 100),
        |tc| drop(tc.run(OnlyPools { values: Pool::new("value") })),
    );
    assert!(
        message(ended).contains("`both` needs 2 values in `values` and `self.values.len() < 9`")
    );
}

#[test]
#[should_panic(
    expected = "a state machine without rules takes no steps: mark at least one method with \
                #[rule], or name one in `RULES`"
)]
fn a_machine_without_rules_is_refused() {
    struct Empty;
    impl StateMachine for Empty {
        const RULES: &'static [Rule<Empty>] = &[];
    }
    Driver::new().run(Empty);
}

#[test]
#[should_panic(
    expected = "a state machine has at most 255 rules, and this one 256: let one rule draw what it \
                does"
)]
fn a_machine_of_too_many_rules_is_refused() {
    struct Many;
    impl StateMachine for Many {
        const RULES: &'static [Rule<Many>] = &[Rule::new("one", |_, _| {}); 256];
    }
    Driver::new().run(Many);
}

#[test]
#[should_panic(
    expected = "the weight of a rule is 1 to 255; to switch a rule off, give it the precondition \
                `false`"
)]
fn a_weight_of_nothing_is_refused() {
    let _ = Rule::<u8>::new("never", |_, _| {}).weight(0);
}

#[test]
fn values_of_a_pool_are_called_as_it_says_or_like_their_type() {
    fn named<T>(pool: Pool<T>, value: T) -> String {
        let mut pool = pool;
        let mut value = Some(value);
        read(&[], |tc| pool.put(tc, value.take().unwrap())).remove(0)
    }
    struct TCPStream;
    assert_eq!(named(Pool::new("stream"), TCPStream), "    // stream_1 is new");
    assert_eq!(named(Pool::default(), TCPStream), "    // tcpstream_1 is new");
    assert_eq!(named(Pool::default(), String::new()), "    // string_1 is new");
    assert_eq!(named(Pool::default(), vec![1]), "    // vec_1 is new");
    assert_eq!(named(Pool::default(), Handle(String::new())), "    // handle_1 is new");
    assert_eq!(named(Pool::default(), ()), "    // value_1 is new");
}

#[test]
fn a_draw_from_an_empty_pool_by_hand_rejects() {
    let (_, ended) = said(
        |tc| tc.start_random(0, 100),
        |tc| {
            Pool::<u8>::default().take(tc);
        },
    );
    assert!(matches!(ended, Outcome::Rejected));
}

/// Generic, with a rule for each form of argument that the attribute knows.
struct Generic<T: Clone + 'static> {
    values: Pool<T>,
    made: fn(u8) -> T,
}

#[dwindle_engine::state_machine]
impl<T: Clone + 'static> Generic<T> {
    const LEAST: u8 = 3;

    #[rule(into = values)]
    fn make(
        &mut self,
        #[generate(with = g::integers(Self::LEAST..=self.values.len() as u8 + 5))] number: u8,
    ) -> T {
        (self.made)(number)
    }

    #[rule(into = values)]
    fn copy(&self, #[from(values)] value: &T) -> T {
        value.clone()
    }

    #[rule(when = Self::is_large(self))]
    fn clear(&mut self, #[from(values)] first: T, #[from(values)] second: T) {
        drop((first, second));
    }

    #[rule]
    #[cfg(any())]
    fn absent(&mut self, #[from(values)] value: T, nothing: Nothing) {}

    #[invariant]
    #[cfg(any())]
    fn absent_too(&self) {}

    fn is_large(&self) -> bool {
        self.values.len() > 3
    }
}

#[test]
fn generators_of_arguments_may_look_at_the_machine() {
    let lines = read(&[1, 5, 2, 0, 1, 7, 2, 1, 3, 2, 1], |tc| {
        let machine = tc.run(Generic { values: Pool::new("n"), made: u32::from });
        assert_eq!(machine.values.iter().copied().collect::<Vec<u32>>(), [5, 5]);
    });
    let program = [
        "let n_1 = machine.make(5);",
        "let n_2 = machine.copy(&n_1);",
        "let n_3 = machine.make(7);",
        "let n_4 = machine.copy(&n_2);",
    ];
    assert_eq!(lines[..4], program);
    assert_eq!(lines[4], "machine.clear(n_3, n_2);");
}
