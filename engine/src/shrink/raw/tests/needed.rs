//! Each pass is needed: without it, some input shrinks less far or takes more calls.

use super::*;

/// An input that needs a pass.
struct Needed {
    pass: &'static str,
    property: Property,
    start: &'static [u8],
    end: &'static [u8],
}

/// Reads a tree in prefix form, and returns the bytes behind it. 0 is a leaf of twelve bytes. 1
/// begins a head of five bytes with two branches. 3 begins a head of four bytes with one branch.
fn tree(input: &[u8]) -> Option<&[u8]> {
    match input {
        [0, ..] => input.strip_prefix(&[0; 12]),
        [1, 9, 9, 9, 9, rest @ ..] => tree(tree(rest)?),
        [3, 9, 9, 9, rest @ ..] => tree(rest),
        _ => None,
    }
}

/// Whether an input is strings of one or twelve bytes with their lengths behind them, the length of
/// the first string at the very end. The last string must be an x.
fn is_counted(input: &[u8]) -> bool {
    (1..input.len()).any(|count| {
        let lengths = &input[input.len() - count..];
        let is_last_an_x = lengths[0] == 1 && input[input.len() - count - 1] == b'x';
        is_last_an_x
            && lengths.iter().all(|length| [1, 12].contains(length))
            && lengths.iter().map(|length| usize::from(*length)).sum::<usize>()
                == input.len() - count
    })
}

/// Whether an input is an x with as many brackets on its left as on its right.
fn is_in_brackets(input: &[u8]) -> bool {
    let half = input.len() / 2;
    input.len() == 2 * half + 1
        && input[half] == b'x'
        && input[..half].iter().all(|byte| *byte == b'(')
        && input[half + 1..].iter().all(|byte| *byte == b')')
}

fn is_between_ones(input: &[u8]) -> bool {
    input.first() == Some(&1) && input.last() == Some(&1)
}

const LONG: &[u8] = &{
    let mut long = [0; 402];
    (long[400], long[401]) = (1, 16);
    long
};

const HUNDRED: &[u8] = &{
    let mut hundred = [0; 101];
    hundred[100] = 100;
    hundred
};

const NEEDED: &[Needed] = &[
    Needed { pass: "ends::cut", property: |_| Some(true), start: &[9; 60], end: &[] },
    Needed {
        pass: "ends::kept",
        property: |input| Some([1024, 64].contains(&input.len()) && is_between_ones(input)),
        start: &{
            let mut start = [9; 1024];
            (start[0], start[1023]) = (1, 1);
            start
        },
        end: &{
            let mut end = [0; 64];
            (end[0], end[63]) = (1, 1);
            end
        },
    },
    Needed {
        pass: "length::window",
        property: |input| Some(value::<(String, u8)>(input)?.0.len() >= 100),
        start: LONG,
        end: HUNDRED,
    },
    Needed {
        pass: "delete::blocks",
        property: |input| Some(input.len() > 1 && is_between_ones(input)),
        start: &{
            let mut start = [9; 200];
            (start[0], start[199]) = (1, 1);
            start
        },
        end: &[1, 1],
    },
    Needed {
        pass: "zero::blocks",
        property: |input| Some(input.len() == 150 && input[20] == 7),
        start: &[7; 150],
        end: &{
            let mut end = [0; 150];
            end[20] = 7;
            end
        },
    },
    Needed {
        pass: "length::lowered",
        property: |input| {
            let (&length, text) = input.split_last()?;
            Some(usize::from(length) == text.len() && text.contains(&b'x'))
        },
        start: b"abcdefghijxlmnopqrst\x14",
        end: b"x\x01",
    },
    Needed {
        pass: "delete::units",
        property: |input| Some(input.len() % 13 == 1 && input[0] == 5),
        start: &[5; 27],
        end: &[5],
    },
    Needed {
        pass: "lower::bytes",
        property: |input| Some(*input.first()? > 100),
        start: &[200],
        end: &[101],
    },
    Needed {
        pass: "length::counted",
        property: |input| Some(is_counted(input)),
        start: b"aaaaaaaaaaaax\x01\x0c",
        end: b"x\x01",
    },
    Needed {
        pass: "lower::with_deletion",
        property: |input| {
            Some(input.len() == 1 + 3 * usize::from(*input.first()?) && *input.last()? == 9)
        },
        start: &[3, 0, 0, 0, 0, 0, 0, 0, 0, 9],
        end: &[1, 0, 0, 9],
    },
    Needed {
        pass: "lower::words",
        property: |input| Some(u32::from_le_bytes(*input.first_chunk()?) > 1000),
        start: &[0, 9, 0, 1],
        end: &[0xE9, 3, 0, 0],
    },
    Needed {
        pass: "carry::each",
        property: |input| Some(u16::from_be_bytes(*input.first_chunk()?) > 999),
        start: &[3, 0xE8],
        end: &[4, 0],
    },
    Needed {
        pass: "hoist::each",
        property: |input| Some(tree(input)?.is_empty() && input.contains(&3)),
        start: &[
            1, 9, 9, 9, 9, 3, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0,
        ],
        end: &[3, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    },
    Needed {
        pass: "copy::each",
        property: |input| {
            Some(input.len() > 1 && input.iter().all(|byte| [30, 200].contains(byte)))
        },
        start: &[30, 200],
        end: &[30, 30],
    },
    Needed {
        pass: "alike::zeroed",
        property: |input| {
            Some(
                input.len() == 6
                    && [1, 3, 4].iter().all(|at| input[*at] == 1)
                    && input[0] == input[2]
                    && input[2] == input[5]
                    && [0, 7].contains(&input[0]),
            )
        },
        start: &[7, 1, 7, 1, 1, 7],
        end: &[0, 1, 0, 1, 1, 0],
    },
    Needed {
        pass: "alike::together",
        property: |input| {
            Some(input.len() == 4 && input[0] > 9 && input.iter().all(|byte| *byte == input[0]))
        },
        start: &[77; 4],
        end: &[10; 4],
    },
    Needed {
        pass: "alike::fields",
        property: |input| {
            let apart = |at: usize| input[at].wrapping_sub(input[at - 3]) == 2;
            Some(input.len() == 9 && input[0] > 3 && apart(3) && apart(6))
        },
        start: &[50, 0, 0, 52, 0, 0, 54, 0, 0],
        end: &[4, 0, 0, 6, 0, 0, 8, 0, 0],
    },
    Needed {
        pass: "alike::lowered",
        property: |input| {
            Some(input.len() == 2 && input[0] > 9 && input[1].abs_diff(input[0]) == 1)
        },
        start: &[77, 78],
        end: &[10, 9],
    },
    Needed {
        pass: "sum::moved",
        property: |input| {
            Some(input.len() == 2 && u16::from(input[0]) + u16::from(input[1]) == 100)
        },
        start: &[50, 50],
        end: &[100, 0],
    },
    Needed {
        pass: "sort::neighbours",
        property: |input| {
            let mut sorted = input.to_vec();
            sorted.sort_unstable();
            Some(sorted == [10, 40, 90])
        },
        start: &[10, 40, 90],
        end: &[90, 40, 10],
    },
    Needed {
        pass: "delete::pairs",
        property: |input| Some(is_in_brackets(input)),
        start: b"((x))",
        end: b"x",
    },
    Needed {
        pass: "each::byte",
        property: |input| Some([0x81, 0x91].contains(input.first()?)),
        start: &[0x91],
        end: &[0x81],
    },
];

#[test]
fn some_input_needs_the_pass() {
    let mut wrong = Vec::new();
    for Needed { pass, property, start, end } in NEEDED {
        let with = shrink_without("", start, *property);
        let without = shrink_without(pass, start, *property);
        if with.0 != *end {
            wrong.push(format!("the input for {pass} ends at {:?}", with.0));
        } else if without.0 == *end && without.1 * 4 < with.1 * 5 {
            wrong.push(format!(
                "the input for {pass} does not need it: {} calls with it, {} without",
                with.1, without.1
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_pass_is_shown_to_be_needed() {
    for (pass, _) in STAGES.iter().copied().flatten().chain(LAST) {
        assert!(
            NEEDED.iter().any(|needed| needed.pass == *pass),
            "no test needs {pass}: take it out, or add what needs it"
        );
    }
}

/// The best without a pass, and the number of calls.
fn shrink_without(pass: &str, input: &[u8], property: Property) -> (Vec<u8>, u64) {
    let mut runner = on_bytes(property);
    let mut start = Trace::default();
    start.set_raw_input(input);
    assert_eq!(
        runner.run(Candidate::replaying(&start.values()), 1, &mut Trace::default()),
        Outcome::Failed(FAILED),
        "the input for {pass} must fail"
    );
    let (mut stop, mut progress) = (|| false, |_: &Trace, _| {});
    let mut search = Search::new(
        &start,
        FAILED,
        &mut runner,
        Budget { calls_max: 20_000, exhaust_max: THOROUGH, around: None, stop: &mut stop },
        &mut progress,
    );
    run_without(pass, &mut search);
    let shrunk = search.finish();
    (shrunk.best.raw_input().unwrap().to_vec(), shrunk.calls)
}
