//! Targets as users of `arbitrary` write them. Each pass keeps them failing, and all passes
//! together reach the exact minimum.

mod needed;
mod around;

use arbitrary::{Arbitrary, Unstructured};

use super::*;
use crate::order;
use crate::outcome::{Origin, Outcome};
use crate::shrink::shrink_support::{FAILED, InProcess};
use crate::shrink::{Budget, Candidate, Finish, Runner, Shrunk, THOROUGH, shrink};
use crate::trace::Trace;

/// Whether a value fails, or `None` if the input makes no value.
type Property = fn(&[u8]) -> Option<bool>;

/// Runs a property of the whole input.
fn on_bytes(property: Property) -> InProcess<'static> {
    InProcess::judged(move |tc| match property(&tc.rest_of_input()) {
        None => Outcome::Rejected,
        Some(false) => Outcome::Passed,
        Some(true) => Outcome::Failed(FAILED),
    })
}

/// The largest of `among` failing inputs found at random from `seed` on.
fn find(runner: &mut InProcess<'_>, seed: u64, among: usize) -> Trace {
    let mut found: Vec<Trace> = Vec::new();
    for case in 0..5_000_000u64 {
        runner.tc.start_random(seed << 32 | case, 1);
        if runner.outcome() == Outcome::Failed(FAILED) {
            found.push(runner.tc.trace().clone());
            if found.len() == among {
                break;
            }
        }
    }
    found
        .into_iter()
        .max_by_key(|trace| trace.raw_input().map(|input| input.len()))
        .expect("no random input fails")
}

fn shrink_thoroughly(start: &Trace, runner: &mut InProcess<'_>) -> Shrunk {
    let shrunk = shrink(
        start,
        FAILED,
        runner,
        Budget { calls_max: 100_000, exhaust_max: THOROUGH, around: None, stop: &mut || false },
        &mut |_, _| {},
    );
    assert_eq!(shrunk.finish, Finish::Fixpoint);
    shrunk
}

fn value<'a, T: Arbitrary<'a>>(input: &'a [u8]) -> Option<T> {
    (input.len() >= T::size_hint(0).0)
        .then(|| T::arbitrary_take_rest(Unstructured::new(input)).ok())
        .flatten()
}

#[derive(Arbitrary, Debug)]
#[expect(dead_code, reason = "they are there to be read past")]
enum Op {
    Push(u32),
    Pop,
    Note(String),
    Swap { one: u8, other: u8 },
}

#[derive(Arbitrary, Debug)]
enum Tree {
    Leaf(u16),
    Node(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
}

impl Tree {
    fn leaves(&self) -> Vec<u16> {
        match self {
            Tree::Leaf(value) => vec![*value],
            Tree::Node(left, right) => [left.leaves(), right.leaves()].concat(),
            Tree::Not(tree) => tree.leaves(),
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Header {
    version: u8,
    name: String,
    tags: Vec<String>,
    size: u64,
}

struct Case {
    name: &'static str,
    property: Property,
    minimum: &'static [u8],
    calls_max: u64,
}

const CASES: &[Case] = &[
    Case { name: "any input", property: |_| Some(true), minimum: &[], calls_max: 1 },
    Case {
        name: "length",
        property: |input| Some(input.len() >= 10),
        minimum: &[0; 10],
        calls_max: 60,
    },
    Case {
        name: "two letters and a tail",
        property: |input| {
            Some(
                input.len() > 3
                    && input
                        .iter()
                        .position(|byte| *byte == b'F')
                        .is_some_and(|at| input[at..].contains(&b'Z')),
            )
        },
        minimum: b"FZ\0\0",
        calls_max: 300,
    },
    Case {
        name: "sum of a list",
        property: |input| {
            Some(
                value::<Vec<u16>>(input)?.iter().map(|value| u32::from(*value)).sum::<u32>() > 1000,
            )
        },
        minimum: &[1, 0xE9, 3],
        calls_max: 600,
    },
    Case {
        name: "different numbers",
        property: |input| {
            let list = value::<Vec<i32>>(input)?;
            Some(list.iter().collect::<std::collections::BTreeSet<_>>().len() > 2)
        },
        minimum: &[1, 2, 0, 0, 0, 1, 1, 0, 0, 0, 1],
        calls_max: 1100,
    },
    Case {
        name: "stack",
        property: |input| {
            let mut depth = 0;
            for op in value::<Vec<Op>>(input)? {
                match op {
                    Op::Push(_) => depth += 1,
                    Op::Pop if depth == 0 => return Some(true),
                    Op::Pop => depth -= 1,
                    Op::Note(_) | Op::Swap { .. } => {}
                }
            }
            Some(false)
        },
        minimum: &[1, 0, 0, 0, 0x40],
        calls_max: 400,
    },
    Case {
        name: "two equal leaves",
        property: |input| {
            let leaves = value::<Tree>(input)?.leaves();
            Some(
                leaves
                    .iter()
                    .enumerate()
                    .any(|(at, leaf)| *leaf > 9 && leaves[..at].contains(leaf)),
            )
        },
        minimum: &[0x56, 0x55, 0x55, 0x55, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 10],
        calls_max: 6000,
    },
    Case {
        name: "name with a dash",
        property: |input| {
            let header = value::<Header>(input)?;
            Some(header.name.len() > 2 && header.name.contains('-') && header.version > 3)
        },
        minimum: &[4, b'-', 0, 0, 0, 0, 0, 0, 3],
        calls_max: 900,
    },
    Case {
        name: "tags and size",
        property: |input| {
            let header = value::<Header>(input)?;
            Some(header.tags.len() > 1 && header.size > 500)
        },
        minimum: &[0, 1, 1, 0, 0xF5, 1, 0, 0, 0],
        calls_max: 2400,
    },
    Case {
        name: "two numbers one apart",
        property: |input| {
            let (one, other) = value::<(u32, u32)>(input)?;
            Some(one >= 10 && one.abs_diff(other) == 1)
        },
        minimum: &[10, 0, 0, 0, 9, 0, 0, 0],
        calls_max: 900,
    },
    Case {
        name: "a number of two bytes, the greater first",
        property: |input| Some(input.len() > 3 && u16::from_be_bytes([input[2], input[3]]) > 999),
        minimum: &[0, 0, 4, 0],
        calls_max: 80,
    },
];

#[test]
fn inputs_that_are_taken_as_they_stand_end_at_their_minima() {
    let mut wrong = Vec::new();
    for case in CASES {
        let mut most = 0;
        for seed in 0..10 {
            let mut runner = on_bytes(case.property);
            let start = find(&mut runner, seed, if seed % 2 == 0 { 1 } else { 10 });
            let shrunk = shrink_thoroughly(&start, &mut runner);
            let end = shrunk.best.raw_input().unwrap();
            most = most.max(shrunk.calls);
            if **end != *case.minimum || shrunk.calls > case.calls_max {
                wrong.push(format!(
                    "{} from seed {seed}, {} bytes: {end:?} in {} calls",
                    case.name,
                    start.raw_input().unwrap().len(),
                    shrunk.calls
                ));
            }
        }
        println!("{}: at most {most} calls", case.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_pass_alone_leaves_a_failure_that_is_never_larger() {
    for case in CASES {
        let mut runner = on_bytes(case.property);
        for seed in 0..2 {
            let start = find(&mut runner, seed, 2);
            for (name, pass) in STAGES.iter().copied().flatten().chain(LAST) {
                let (mut stop, mut progress) = (|| false, |_: &Trace, _| {});
                let budget =
                    Budget { calls_max: 300, exhaust_max: 100, around: None, stop: &mut stop };
                let mut search = Search::new(&start, FAILED, &mut runner, budget, &mut progress);
                pass(&mut search);
                let shrunk = search.finish();
                assert!(
                    order::compare(&shrunk.best.choices, &start.choices).is_le(),
                    "{name} on {}",
                    case.name
                );
                let mut again = Trace::default();
                assert_eq!(
                    runner.run(Candidate::replaying(&shrunk.best.values()), 1, &mut again),
                    Outcome::Failed(FAILED),
                    "{name} on {}",
                    case.name
                );
                assert_eq!(again.choices, shrunk.best.choices);
            }
        }
    }
}

#[test]
fn parts_compare_as_what_they_come_to() {
    let input: Vec<u8> = (0..21).collect();
    let mut one_off = input.clone();
    for (changed, by) in (0..21).flat_map(|at| [(at, 0), (at, 1), (at, 255)]) {
        one_off[changed] = one_off[changed].wrapping_add(by);
        for (first, second) in
            (0..=21).flat_map(|first| (first..=21).map(move |second| (first, second)))
        {
            // The changed byte is in the middle part or in another one. The other parts are slices
            // of `input` where possible.
            let own = |range: Range<usize>| {
                if input[range.clone()] == one_off[range.clone()] {
                    &input[range]
                } else {
                    &one_off[range]
                }
            };
            let parts = [own(0..first), &one_off[first..second], own(second..21)];
            assert_eq!(
                compare_parts(&parts, &input),
                compare_inputs(&parts.concat(), &input),
                "{parts:?}"
            );
            let fewer = [own(0..first), own(second..21)];
            assert_eq!(
                compare_parts(&fewer, &input),
                compare_inputs(&fewer.concat(), &input),
                "{fewer:?}"
            );
        }
        one_off[changed] = input[changed];
    }
    assert!(compare_parts(&[&input, &[0]], &input).is_gt());
}
