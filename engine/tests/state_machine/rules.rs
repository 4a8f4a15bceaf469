//! Which rules are taken when, and what a pool gives.

use dwindle_engine::generators as g;
use dwindle_engine::internals::{Driver, Outcome};
use dwindle_engine::state_machine::Rule;
use dwindle_engine::{Pool, StateMachine, any};

use crate::{Handle, message, read, said};

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
