//! Targets written for libfuzzer-sys: the whole grammar of its macro, and the very same bytes.

use std::cell::RefCell;

use dwindle::__private::engine::internals::{Driver, Outcome, execute};
use dwindle::TestCase;
use dwindle::arbitrary::arbitrary::{Arbitrary, Unstructured};

thread_local! {
    static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn see(what: &dyn std::fmt::Debug) {
    SEEN.with_borrow_mut(|seen| seen.push(format!("{what:?}")));
}

/// What a target sees of an input, and whether it rejects it.
fn run(property: fn(&mut TestCase), input: &[u8]) -> (Vec<String>, bool) {
    let mut tc = Driver::new();
    tc.start_bytes(input, 100);
    let is_rejected = match execute(&mut tc, property) {
        Outcome::Passed => false,
        Outcome::Rejected => true,
        other => panic!("{other:?}"),
    };
    (SEEN.take(), is_rejected)
}

macro_rules! targets {
    ($($name:ident: $target:tt)*) => {
        $(mod $name {
            use crate::see;
            use dwindle::arbitrary::Corpus;
            #[expect(clippy::allow_attributes, reason = "not every target rejects")]
            #[allow(dead_code, reason = "not every target rejects")]
            type _Corpus = Corpus;
            dwindle::arbitrary::fuzz_target! $target;
        })*
    };
}

targets! {
    short: (|data| {
        if data.is_empty() {
            return;
        }
        see(&data);
    })
    bytes: (|data: &[u8]| see(&data))
    bytes_kept: (|data: &[u8]| -> Corpus {
        see(&data);
        if data.len() > 2 { Corpus::Reject } else { Corpus::Keep }
    })
    short_init: (init: see(&"once"), |data| see(&data))
    bytes_init: (init: see(&"once"), |data: &[u8]| see(&data))
    bytes_kept_init: (init: see(&"once"), |data: &[u8]| -> () { see(&data) })
    value: (|value: (u16, Vec<u8>)| see(&value))
    value_kept: (|value: (u16, Vec<u8>)| -> Corpus {
        if value.0 == 0 {
            return Corpus::Reject;
        }
        see(&value);
        Corpus::Keep
    })
    value_init: (init: see(&"once"), |value: (u16, Vec<u8>)| see(&value))
    value_kept_init: (init: see(&"once"), |value: (u16, Vec<u8>)| -> () { see(&value) })
    borrowed: (|value: &str| see(&value))
}

/// Inputs of many lengths, some of them the same on purpose.
fn inputs() -> Vec<Vec<u8>> {
    let noise = |seed: usize, at: usize| (seed * 7919 + at * 104_729 + at * at * 31) as u8;
    (0..300)
        .map(|seed| {
            (0..seed % 40)
                .map(|at| noise(seed, at) & if seed % 3 == 0 { 3 } else { 0xFF })
                .collect()
        })
        .collect()
}

#[test]
fn bytes_reach_the_target_unchanged() {
    for input in inputs() {
        let seen = vec![format!("{input:?}")];
        assert_eq!(
            run(short::dwindle_property, &input).0,
            if input.is_empty() { Vec::new() } else { seen.clone() }
        );
        for property in [
            bytes::dwindle_property,
            short_init::dwindle_property,
            bytes_init::dwindle_property,
            bytes_kept_init::dwindle_property,
        ] {
            assert_eq!(run(property, &input), (seen.clone(), false));
        }
        assert_eq!(run(bytes_kept::dwindle_property, &input), (seen, input.len() > 2));
    }
}

#[test]
fn arbitrary_makes_the_values_from_all_bytes() {
    for input in inputs() {
        // What `libfuzzer_sys::fuzz_target!` does.
        let value = (input.len() >= <(u16, Vec<u8>)>::size_hint(0).0)
            .then(|| <(u16, Vec<u8>)>::arbitrary_take_rest(Unstructured::new(&input)).ok())
            .flatten();
        let (seen, is_rejected) =
            (value.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>(), value.is_none());
        for property in [
            value::dwindle_property,
            value_init::dwindle_property,
            value_kept_init::dwindle_property,
        ] {
            assert_eq!(run(property, &input), (seen.clone(), is_rejected));
        }
        let (kept, is_declined) = run(value_kept::dwindle_property, &input);
        assert_eq!(is_declined, value.is_none_or(|value| value.0 == 0));
        assert_eq!(kept, if is_declined { Vec::new() } else { seen });
        let text = <&str>::arbitrary_take_rest(Unstructured::new(&input)).unwrap();
        assert_eq!(run(borrowed::dwindle_property, &input), (vec![format!("{text:?}")], false));
    }
}

mod sums {
    dwindle::arbitrary::fuzz_target!(|numbers: Vec<u16>| {
        let sum: u32 = numbers.iter().copied().map(u32::from).sum();
        assert!(sum <= 1000, "the sum is {sum}");
    });
}

#[test]
fn a_failure_without_a_fuzzer_is_minimized_on_its_bytes() {
    for seed in 0..10 {
        let settings = dwindle::Settings::default().seed(seed).max_cases(100_000).store(None);
        let failure = dwindle::check(settings, sums::dwindle_property).unwrap_err();
        assert_eq!(
            (failure.draws, failure.input),
            (vec!["[1001]".to_owned()], vec![1, 0xE9, 3]),
            "seed {seed}"
        );
        assert_eq!(failure.message, "the sum is 1001");
    }
}

mod anything {
    dwindle::arbitrary::fuzz_target!(|data: &[u8]| assert!(
        data.len() > 100_000,
        "{} bytes",
        data.len()
    ));
}

#[test]
fn a_target_that_always_fails_is_minimized_to_zero_bytes() {
    let failure =
        dwindle::check(dwindle::Settings::default().store(None), anything::dwindle_property)
            .unwrap_err();
    assert_eq!(
        (failure.draws, failure.input, failure.message.as_str()),
        (vec!["[]".to_owned()], vec![], "0 bytes")
    );
}
