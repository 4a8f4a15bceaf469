//! Large starts: what few elements cause is found in few calls, and nothing is given up.

mod shrink_support;

use dwindle_engine::TestCase;
use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::{Outcome, Trace};
use shrink_support::{FAILED, InProcess, Property, shrink_from};

/// The trace of one vector of these values.
fn trace_of(values: impl IntoIterator<Item = i128>, property: &Property) -> Trace {
    let mut candidate: Vec<Value> = values
        .into_iter()
        .flat_map(|value| [Value::Boolean(true), Value::Integer(value)])
        .collect();
    candidate.push(Value::Boolean(false));
    let mut trace = Trace::default();
    let mut runner = InProcess::new(property);
    let outcome = dwindle_engine::internals::shrink::Runner::run(
        &mut runner,
        dwindle_engine::internals::shrink::Candidate::replaying(&candidate),
        candidate.len(),
        &mut trace,
    );
    assert_eq!(outcome, Outcome::Failed(FAILED));
    trace
}

/// Calls, and the draws of the minimum.
fn shrunk(values: impl IntoIterator<Item = i128>, property: &Property) -> (u64, String) {
    let start = trace_of(values, property);
    let mut runner = InProcess::new(property);
    let shrunk = shrink_from(&start, &mut runner);
    (shrunk.calls, runner.draws(&shrunk.best).join(", "))
}

#[test]
fn one_witness_among_ten_thousand_elements_takes_tens_of_calls() {
    let property = |tc: &mut TestCase| {
        tc.draw(g::vec(g::integers(0u32..=1000))).iter().all(|value| *value < 900)
    };
    for (count, calls_max) in [(100, 60), (1_000, 70), (10_000, 80)] {
        let values =
            (0..count).map(|index| if index == count * 2 / 3 { 950 } else { index * 7919 % 900 });
        let (calls, draws) = shrunk(values, &property);
        assert_eq!(draws, "[900]");
        assert!(calls < calls_max, "{calls} calls for {count}");
    }
}

#[test]
fn three_distinct_values_among_ten_thousand_take_about_a_hundred_calls() {
    let property = |tc: &mut TestCase| {
        let list = tc.draw(g::vec(g::integers(0u32..=1000)));
        list.iter().collect::<std::collections::BTreeSet<_>>().len() < 3
    };
    let values = (0..10_000).map(|index| match index {
        2_000 => 17,
        7_000 => 400,
        _ => 3,
    });
    let (calls, draws) = shrunk(values, &property);
    assert_eq!(draws, "[0, 1, 2]");
    assert!(calls < 120, "{calls} calls");
}

#[test]
fn hundreds_of_needed_elements_all_come_down() {
    let property = |tc: &mut TestCase| {
        tc.draw(g::vec(g::integers(0u32..))).iter().filter(|value| **value >= 10).count() < 300
    };
    let values = (0..400).map(|index: i128| {
        if index % 4 == 3 { index % 10 } else { 10 + index * 104_729 % 4_000_000_000 }
    });
    let (calls, draws) = shrunk(values, &property);
    assert_eq!(draws, format!("{:?}", vec![10; 300]));
    assert!(calls < 1_600, "{calls} calls");
}
