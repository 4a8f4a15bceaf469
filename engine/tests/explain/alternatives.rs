//! Alternatives that fail for another reason than the minimized input.

use std::collections::BTreeMap;

use dwindle_engine::internals::Trace;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::explain::{RUNS, Says, Term};
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::prelude::*;

use crate::shrink_support::InProcess;
use crate::{Explained, judged, within};

#[derive(Debug, Generate)]
enum Op {
    Insert(u8, u16),
    Get(u8),
    Retain(u16),
}

/// Fails if a map of two entries or more loses all by `Retain`, or if `Get` finds 0.
fn is_right(tc: &mut TestCase) -> bool {
    let mut map = BTreeMap::new();
    let mut is_wrong = false;
    for op in tc.draw(any::<Vec<Op>>()) {
        match op {
            Op::Insert(key, value) => drop(map.insert(key, value)),
            Op::Get(key) => is_wrong |= map.get(&key) == Some(&0),
            Op::Retain(least) => {
                let before = map.len();
                map.retain(|_, value| *value >= least);
                is_wrong |= before >= 2 && map.is_empty();
            }
        }
    }
    !is_wrong
}

/// What is claimed of the failing input with these numbers.
fn explained_at(mut runner: InProcess<'static>, numbers: &[i128]) -> Explained<'static> {
    let values: Vec<Value> = numbers.iter().map(|number| Value::Integer(*number)).collect();
    let mut minimized = Trace::default();
    runner.run(Candidate::replaying(&values), 100, &mut minimized);
    assert_eq!(minimized.values(), values);
    let claims = within(RUNS, &minimized, &mut runner, 7);
    Explained { runner, minimized, claims }
}

#[test]
fn a_last_operation_that_fails_for_another_reason_takes_nothing_from_the_values() {
    // [Insert(0, 0), Insert(1, 0), Retain(1)]. `Get(1)` in the last place fails, too.
    let mut found = explained_at(judged(is_right), &[1, 0, 0, 1, 1, 0, 3, 1, 0]);
    let lines = found.lines();
    assert_eq!(found.says(1), Some(&Says::Any), "{lines:?}");
    for at in [4, 7] {
        let says = found.says(at);
        assert!(matches!(says, Some(Says::Related(_, Term::Value(_)))), "{at}: {lines:?}");
    }
    assert!(found.is_sound(), "{lines:?}");
}
