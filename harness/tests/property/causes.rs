//! What is said of the failures around a minimized one, and several causes of one assertion.

use dwindle::prelude::*;

use crate::support::{listing, message, property, settings};

#[derive(Clone, Debug, Generate)]
enum Step {
    Wait(u8),
    Add(u16),
    Take(u16),
}

/// Two faults behind one assertion.
fn account(tc: &mut TestCase) {
    let steps = tc.draw_named("steps", g::vec(any::<Step>()));
    let (mut sum, mut agrees) = (0u32, true);
    for step in steps {
        match step {
            Step::Wait(time) => agrees &= time != 250,
            Step::Add(more) => sum += u32::from(more),
            Step::Take(less) if u32::from(less) <= sum => {
                agrees &= less < 40_000;
                sum -= u32::from(less);
            }
            Step::Take(_) => {}
        }
    }
    assert!(agrees);
}

#[test]
fn each_cause_of_an_assertion_is_a_failure_kept_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = || {
        let settings = settings(3).store(Some(folder.path().to_owned()));
        message(property("account"), settings, account).expect("it fails")
    };
    let first = run();
    assert!(first.starts_with("property `account` failed in 2 distinct ways:"), "{first}");
    assert_eq!(first.matches("  another cause at the same place\n").count(), 1, "{first}");
    let mut lines = listing(&first);
    lines.sort_unstable();
    assert_eq!(lines, ["let steps = [Add(40000), Take(40000)];", "let steps = [Wait(250)];"]);
    assert!(first.contains("/variant-cause-"), "{first}");

    let second = run();
    assert_eq!(second.matches("  known, and replayed from the store").count(), 2, "{second}");
    assert!(!second.contains("DWINDLE_SEED"), "no case was drawn: {second}");
    let explained = |message: &str| -> Vec<String> {
        let mut lines: Vec<String> =
            message.lines().filter(|line| line.contains("also fails")).map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!((explained(&first).len(), explained(&first)), (2, explained(&second)));
}

#[derive(Clone, Debug, Generate)]
enum Change {
    Push(u8),
    PushTwo(u8, u8),
    Sum,
}

/// One fault. Two kinds of steps lead to the list on which it shows.
fn list(tc: &mut TestCase) {
    let mut list: Vec<u8> = Vec::new();
    for change in tc.draw_named("changes", g::vec(any::<Change>())) {
        match change {
            Change::Push(number) => list.push(number),
            Change::PushTwo(one, other) => list.extend([one, other]),
            Change::Sum => assert!(list.len() < 2 || list[0] <= list[1]),
        }
    }
}

#[test]
fn two_ways_to_one_state_are_one_cause() {
    for seed in [0, 4, 8] {
        let said = message(property("list"), settings(seed), list).expect("it fails");
        assert!(!said.contains("another cause"), "seed {seed}: {said}");
    }
}

#[test]
fn the_ends_of_an_interval_are_written_as_the_values_are() {
    let doubled = |tc: &mut TestCase| {
        let number = tc.draw_named("number", any::<u8>().map(|number| u16::from(number) * 2));
        assert!(!(24..=70).contains(&number));
    };
    let said = message(property("doubled"), settings(3), doubled).expect("it fails");
    assert!(said.contains("let number = A; where A is any value from 24 to 70 ("), "{said}");
}

#[test]
fn a_failure_is_explained_unless_that_is_switched_off() {
    fn pair(tc: &mut TestCase) {
        let (a, b) = (tc.draw_named("a", any::<u32>()), tc.draw_named("b", any::<u32>()));
        assert!(b < 1000 || a == b);
    }
    let text = message(property("pair"), settings(0), pair).expect("it fails");
    assert!(text.contains("\n  also fails: let a = A; let b = B; where "), "{text}");
    assert!(text.contains("B is any value from 1000"), "{text}");
    assert!(text.contains("\n  passes: let b = 999;\n"), "{text}");
    let off = message(property("pair"), settings(0).explain(false), pair).expect("it fails");
    assert!(!off.contains("also fails") && !off.contains("passes"), "{off}");
}

#[test]
fn values_that_print_differently_each_time_get_no_letters() {
    #[derive(Clone)]
    struct Odd(u32);
    impl std::fmt::Debug for Odd {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            use std::sync::atomic::{AtomicU32, Ordering};
            static NEXT: AtomicU32 = AtomicU32::new(0);
            write!(f, "Odd#{}", NEXT.fetch_add(1, Ordering::Relaxed))
        }
    }
    fn odd(tc: &mut TestCase) {
        let odd = tc.draw_named("odd", any::<u32>().map(Odd));
        assert!(odd.0 < 1000);
    }
    let text = message(property("odd"), settings(0), odd).expect("it fails");
    assert!(!text.contains("also fails"), "{text}");
}

#[test]
fn a_flaky_failure_is_not_explained() {
    use std::cell::Cell;
    thread_local! {
        static RUNS: Cell<u32> = const { Cell::new(0) };
    }
    fn flaky(tc: &mut TestCase) {
        RUNS.set(RUNS.get() + 1);
        let n = tc.draw_named("n", any::<u32>());
        assert!(n < 1000 || RUNS.get().is_multiple_of(3));
    }
    let text = message(property("flaky"), settings(0), flaky).expect("it fails");
    assert!(text.contains("flaky") && !text.contains("also fails"), "{text}");
}
