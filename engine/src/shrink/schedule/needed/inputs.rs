//! Inputs made for one pass each. Without the pass, the shrinker ends at a larger input or needs
//! clearly more calls.

use super::super::super::THOROUGH;
use super::super::IN_PARTS;
use super::case;
use super::structure::of_structure;
use super::values::{Bits, Literal, Part, Shape, Statement};
use crate::choice::{PATH_END, Value};
use crate::generators as g;
use crate::test_case::TestCase;
use crate::{Generator, any};

/// An input made for one pass.
pub(super) struct Input {
    pub(super) pass: &'static str,
    pub(super) property: fn(&mut TestCase) -> bool,
    pub(super) start: Vec<Value>,
    pub(super) end: Vec<Value>,
    /// How many calls the passes that run last may make. It is 0 where these passes would find the
    /// end by trying.
    pub(super) exhaust_max: u64,
}

pub(super) fn numbers(numbers: impl IntoIterator<Item = i128>) -> Vec<Value> {
    numbers.into_iter().map(Value::Integer).collect()
}

fn booleans(booleans: impl IntoIterator<Item = bool>) -> Vec<Value> {
    booleans.into_iter().map(Value::Boolean).collect()
}

/// A list of numbers as it is replayed.
fn list(elements: impl IntoIterator<Item = i128>) -> Vec<Value> {
    let mut values: Vec<Value> = elements
        .into_iter()
        .flat_map(|element| [Value::Boolean(true), Value::Integer(element)])
        .collect();
    values.push(Value::Boolean(false));
    values
}

pub(super) fn inputs() -> Vec<Input> {
    of_numbers()
        .into_iter()
        .chain(of_shapes())
        .chain(of_texts())
        .chain(of_structure())
        .chain(for_the_last_passes())
        .collect()
}

fn of_numbers() -> Vec<Input> {
    vec![
        Input {
            pass: "simplest::classes",
            property: |tc| {
                let pairs = tc.draw(g::vec((g::integers(0u8..), g::integers(0u16..=999))));
                pairs.len() < 200 || pairs.iter().any(|(needed, _)| *needed != 77)
            },
            start: (0..200)
                .flat_map(|index| {
                    [Value::Boolean(true), Value::Integer(77), Value::Integer(1 + index)]
                })
                .chain([Value::Boolean(false)])
                .collect(),
            end: (0..200)
                .flat_map(|_| [Value::Boolean(true), Value::Integer(77), Value::Integer(0)])
                .chain([Value::Boolean(false)])
                .collect(),
            exhaust_max: 0,
        },
        Input {
            pass: "together::level",
            property: |tc| {
                tc.draw(g::vec(g::integers(0u32..))).iter().filter(|number| **number >= 10).count()
                    < 30
            },
            start: list((0..30).map(|index| 1000 + index * 37)),
            end: list([10; 30]),
            exhaust_max: 0,
        },
        Input {
            pass: "ranks::each",
            property: |tc| {
                let all = tc.draw([(); 12].map(|()| g::integers(i64::MIN..)));
                !all.is_sorted_by(|one, other| one < other)
            },
            start: numbers((0..12).map(|index| index * 900_000_007 - 5_000_000_000)),
            end: numbers(0..12),
            exhaust_max: 0,
        },
        Input {
            pass: "pairs::transfer",
            property: |tc| {
                let [one, other] = tc.draw([(); 2].map(|()| g::integers(0u16..)));
                one.checked_add(other) != Some(1000) || other > 700
            },
            start: numbers([600, 400]),
            end: numbers([300, 700]),
            exhaust_max: 0,
        },
        Input {
            pass: "pairs::lower_both",
            property: |tc| {
                let [one, other, rest @ ..] = tc.draw([(); 6].map(|()| g::integers(0u16..)));
                other.checked_sub(one) != Some(300) || rest != [490, 510, 790, 810]
            },
            start: numbers([500, 800, 490, 510, 790, 810]),
            end: numbers([0, 300, 490, 510, 790, 810]),
            exhaust_max: 0,
        },
        Input {
            pass: "pairs::shift",
            property: |tc| {
                let [one, other] = tc.draw([(); 2].map(|()| g::integers(-1000i16..=1000)));
                one - other != 5
            },
            start: numbers([5, 0]),
            end: numbers([0, -5]),
            exhaust_max: 0,
        },
        Input {
            pass: "integers::turned",
            property: |tc| {
                let [one, other] = tc.draw([(); 2].map(|()| g::integers(i64::MIN..)));
                one.checked_add(other).is_some()
            },
            start: numbers([-1, i128::from(i64::MIN)]),
            end: numbers([1, i128::from(i64::MAX)]),
            exhaust_max: 0,
        },
        Input {
            // A leap day.
            pass: "integers::coarse",
            property: |tc| {
                let (year, month, day) = (
                    tc.draw(g::integers(1900u16..=2100)),
                    tc.draw(g::integers(1u8..=12)),
                    tc.draw(g::integers(1u8..=31)),
                );
                (month, day) != (2, 29) || year % 4 != 0 || year == 1900
            },
            start: numbers([1960, 2, 29]),
            end: numbers([1904, 2, 29]),
            exhaust_max: 0,
        },
    ]
}

fn of_shapes() -> Vec<Input> {
    vec![
        Input {
            pass: "delete::most",
            property: |tc| {
                let list = tc.draw(g::vec(g::integers(0u8..)));
                let is_between_ones = list.first() == Some(&1) && list.last() == Some(&1);
                !(is_between_ones && [2400, 150].contains(&list.len()))
            },
            start: list((0..2400).map(|at| if at % 2399 == 0 { 1 } else { 9 })),
            end: list((0..150).map(|at| i128::from(at % 149 == 0))),
            exhaust_max: THOROUGH,
        },
        Input {
            // The needed elements lie between the others, and no element can move.
            pass: "delete::full",
            property: |tc| {
                let numbers = tc.draw(g::vec(g::integers(0u8..)));
                let mut counted = 0;
                let counts = numbers.iter().all(|number| {
                    counted += u8::from(*number == counted);
                    *number + 1 == counted || *number == 200 && counted % 3 == 0
                });
                !(counts && counted == 60)
            },
            start: list(
                (0..60).flat_map(
                    |needed| if needed % 3 == 0 { vec![200, needed] } else { vec![needed] },
                ),
            ),
            end: list(0..60),
            exhaust_max: 0,
        },
        Input {
            pass: "delete::pairs",
            property: |tc| {
                let list = tc.draw(g::vec(g::integers(0u8..)));
                list.len() % 2 == 1 || !list.contains(&77)
            },
            start: list([5, 77, 6, 9]),
            end: list([0, 77]),
            exhaust_max: 0,
        },
        Input {
            pass: "child::lowered",
            property: case("drawn depth").property,
            start: [numbers([2, 1, 0, 0, 1, 0]), booleans([false]), numbers([0]), booleans([true])]
                .concat(),
            end: [numbers([1, 0, 1, 0]), booleans([false]), numbers([0]), booleans([true])]
                .concat(),
            exhaust_max: 0,
        },
        Input {
            // Two lists that hold the same elements in another order.
            pass: "parallel::each",
            property: |tc| {
                let [one, other] = tc.draw([(); 2].map(|()| g::vec(g::integers(0u8..))));
                let sorted = |mut list: Vec<u8>| {
                    list.sort_unstable();
                    list
                };
                one == other || sorted(one) != sorted(other)
            },
            start: [list([0, 0, 1]), list([0, 1, 0])].concat(),
            end: [list([0, 1]), list([1, 0])].concat(),
            exhaust_max: 0,
        },
        Input {
            pass: "alternative::each",
            property: |tc| matches!(tc.draw(any()), Literal::Truth(false) | Literal::Number(0)),
            start: numbers([1, 5]),
            end: vec![Value::Integer(0), Value::Boolean(true)],
            exhaust_max: 0,
        },
        Input {
            pass: "alternative::later",
            property: |tc| match tc.draw(any()) {
                Shape::Oblong(width, height) => width.checked_mul(height) != Some(49),
                Shape::Square(side) => side != 1,
            },
            start: numbers([0, 7, 7]),
            end: numbers([1, 1]),
            exhaust_max: THOROUGH,
        },
        Input {
            pass: "alternative::shifted",
            property: |tc| match tc.draw(any()) {
                Statement::Return(one, other) => (one, other) != (3000, 2000),
                Statement::Assign { name, value } => name == 0 || value != (3000, 2000),
            },
            start: numbers([1, 7, 3000, 2000]),
            end: numbers([0, 3000, 2000]),
            exhaust_max: 0,
        },
    ]
}

fn of_texts() -> Vec<Input> {
    vec![
        Input {
            pass: IN_PARTS,
            property: |tc| !tc.draw(g::text()).contains(['#', '%']),
            start: vec![Value::Text("%".into())],
            end: vec![Value::Text("#".into())],
            exhaust_max: 0,
        },
        Input {
            pass: IN_PARTS,
            property: |tc| {
                let text = tc.draw(g::text().alphabet("()"));
                !text.starts_with("(((") || text.matches('(').count() != text.matches(')').count()
            },
            start: vec![Value::Text("(((())))".into())],
            end: vec![Value::Text("((()))".into())],
            exhaust_max: 0,
        },
        Input {
            // The first byte says how many bytes follow.
            pass: IN_PARTS,
            property: |tc| {
                let bytes = tc.draw(g::bytes());
                bytes.len() < 4 || usize::from(bytes[0]) != bytes.len() - 1
            },
            start: vec![Value::Bytes([5, 0, 0, 0, 0, 0].into())],
            end: vec![Value::Bytes([3, 0, 0, 0].into())],
            exhaust_max: 0,
        },
        Input {
            pass: IN_PARTS,
            property: |tc| {
                let (end, text) = (tc.draw(g::text()), tc.draw(g::text()));
                end.is_empty() || !text.starts_with('x') || text[1..] != end
            },
            start: vec![Value::Text("q".into()), Value::Text("xq".into())],
            end: vec![Value::Text("0".into()), Value::Text("x0".into())],
            exhaust_max: 0,
        },
        Input {
            pass: IN_PARTS,
            property: |tc| {
                let (last, first) = (tc.draw(g::characters()), tc.draw(g::characters()));
                u32::from(last).checked_sub(u32::from(first)) != Some(1)
            },
            start: vec![Value::Text("H".into()), Value::Text("G".into())],
            end: vec![Value::Text("1".into()), Value::Text("0".into())],
            exhaust_max: 0,
        },
        Input {
            // Two bytes and their sum.
            pass: IN_PARTS,
            property: |tc| {
                let (bytes, sum) = (tc.draw(g::bytes()), tc.draw(g::integers(0u8..)));
                bytes.len() != 2 || bytes[0].wrapping_add(bytes[1]) != sum
            },
            start: vec![Value::Bytes([61, 198].into()), Value::Integer(3)],
            end: vec![Value::Bytes([0, 0].into()), Value::Integer(0)],
            exhaust_max: 0,
        },
        Input {
            // Long strings have no parts.
            pass: "strings::simplify",
            property: |tc| tc.draw(g::text().len(300..)).contains(|c: char| c < 'A'),
            start: vec![Value::Text("Q".repeat(300).into())],
            end: vec![Value::Text("A".repeat(300).into())],
            exhaust_max: 0,
        },
    ]
}

fn for_the_last_passes() -> Vec<Input> {
    vec![
        Input {
            pass: "sort::without_one",
            property: |tc| {
                ![vec![7, 8, 9], vec![9, 7]].contains(&tc.draw(g::vec(g::integers(0u8..))))
            },
            start: list([7, 8, 9]),
            end: list([9, 7]),
            exhaust_max: THOROUGH,
        },
        Input {
            pass: "runs::each",
            property: |tc| {
                let (list, number) = tc.draw((g::vec(g::integers(0u8..)), g::integers(0u16..)));
                !(list == [7; 8] && number == 60 || list == [7; 4] && number == 56)
            },
            start: [list([7; 8]), numbers([60])].concat(),
            end: [list([7; 4]), numbers([56])].concat(),
            exhaust_max: THOROUGH,
        },
        Input {
            pass: "instead::each",
            property: |tc| {
                let pairs = [Part::Pair(50, 50), Part::Pair(60, 60), Part::Pair(50, 50)];
                let parts = tc.draw(g::vec(any::<Part>()));
                parts != pairs && parts != [Part::One(3), Part::Pair(60, 60)]
            },
            start: numbers([1, 50, 50, 1, 60, 60, 1, 50, 50, 0]),
            end: numbers([2, 3, 1, 60, 60, 0]),
            exhaust_max: THOROUGH,
        },
        Input {
            // The two numbers fail as soon as the last number is small. Until then they are unused,
            // and the shrinker makes them 0.
            pass: "choose::each",
            property: |tc| {
                let pairs = (g::integers(0u8..), g::integers(0u8..))
                    .map(|(one, other)| one < 50 || other < 50);
                let is_fine = tc.draw(g::choose(
                    pairs.map(Ok),
                    g::integers(0u64..).map(|number| Err(number < 10)),
                ));
                let last = tc.draw(g::integers(0u64..));
                is_fine.map_or_else(|is_fine| is_fine, |is_fine| is_fine || last > 1000)
            },
            start: [booleans([true]), numbers([200, 70, 5000, 9000])].concat(),
            end: [booleans([false]), numbers([50, 50, 0, 0])].concat(),
            exhaust_max: 0,
        },
        Input {
            // The shrinks are steps down of three and of one.
            pass: "path::each",
            property: |tc| {
                tc.draw(
                    g::just(9u32)
                        .shrink_with(|number| [number.saturating_sub(3), number.saturating_sub(1)]),
                ) < 4
            },
            start: vec![Value::Bytes([PATH_END].into())],
            end: vec![Value::Bytes([0, 1, 1, PATH_END].into())],
            exhaust_max: 0,
        },
        Input {
            // The function is true for the second argument only. An entry for the first argument
            // and the common result say so in fewer choices.
            pass: "otherwise::each",
            property: |tc| {
                let f: g::Fun<u8, bool> = tc.draw(any());
                let (first, second) = (f(1), f(2));
                first || !second
            },
            start: booleans([false, true, false, true, true, false]),
            end: booleans([true, true, false, false]),
            exhaust_max: 0,
        },
        Input {
            // The needed bits come together in one number: either branch of a branch lacks two of
            // them.
            pass: "redraw::each",
            property: |tc| {
                let has = |bits: &Bits, wanted| bits.value() & wanted == wanted;
                match tc.draw(any()) {
                    Bits::Differing(left, right) => {
                        !(has(&left, 0b1001_1001) && has(&right, 0b0110_0110))
                    }
                    Bits::These(_) => true,
                }
            },
            start: differing(
                differing(these(0b1000_1000), these(0b0001_0001)),
                differing(these(0b0100_0100), these(0b0010_0010)),
            ),
            end: differing(these(0b1001_1001), these(0b0110_0110)),
            exhaust_max: THOROUGH,
        },
    ]
}

fn these(value: u8) -> Vec<Value> {
    [numbers([0]), booleans((0..8).rev().map(|bit| value >> bit & 1 == 1))].concat()
}

fn differing(left: Vec<Value>, right: Vec<Value>) -> Vec<Value> {
    [numbers([1]), left, right].concat()
}
