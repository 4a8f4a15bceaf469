//! The properties that were there while the search for claims was written.

use std::collections::{BTreeMap, BTreeSet};

use dwindle_engine::prelude::*;

use crate::property::Property;

#[derive(Debug, Clone, Generate)]
struct Line {
    price: u32,
    count: u8,
    name: String,
}

#[derive(Debug, Clone, Generate)]
enum Shape {
    Dot,
    Circle(u8),
    Box(u8, u8),
    Path(Vec<(i16, i16)>),
}

#[derive(Debug, Clone, Generate)]
enum Tree {
    Leaf(u8),
    Node(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn sum(&self) -> u32 {
        match self {
            Tree::Leaf(value) => u32::from(*value),
            Tree::Node(left, right) => left.sum() + right.sum(),
        }
    }

    fn depth(&self) -> u32 {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Node(left, right) => 1 + left.depth().max(right.depth()),
        }
    }
}

/// All of them.
pub const ALL: &[Property] = &[
    Property {
        name: "bystander",
        fails: "the second number is at least 1000; the first does not matter",
        traps: &[&[1]],
        holds: |tc| {
            let _ = tc.draw(any::<u64>());
            tc.draw(any::<u16>()) < 1000
        },
    },
    Property {
        name: "equal",
        fails: "two numbers are equal",
        traps: &[&[0, 1]],
        holds: |tc| tc.draw(any::<u32>()) != tc.draw(any::<u32>()),
    },
    Property {
        name: "different",
        fails: "two numbers differ",
        traps: &[&[0, 1]],
        holds: |tc| tc.draw(any::<u64>()) == tc.draw(any::<u64>()),
    },
    Property {
        name: "order",
        fails: "the first number is less than the second",
        traps: &[&[0, 1]],
        holds: |tc| tc.draw(any::<i32>()) >= tc.draw(any::<i32>()),
    },
    Property {
        name: "next",
        fails: "the second number is one more than the first",
        traps: &[&[0, 1], &[1]],
        holds: |tc| {
            let (one, next) = (tc.draw(any::<u32>()), tc.draw(any::<u32>()));
            one.checked_add(1) != Some(next)
        },
    },
    Property {
        name: "three in order",
        fails: "three numbers ascend",
        traps: &[&[0, 1], &[1, 2], &[0, 2]],
        holds: |tc| {
            let [a, b, c]: [u16; 3] = [tc.draw(any()), tc.draw(any()), tc.draw(any())];
            !(a < b && b < c)
        },
    },
    Property {
        name: "sum at least",
        fails: "two numbers add up to 1000 or more",
        traps: &[&[0, 1]],
        holds: |tc| {
            let (a, b) = (tc.draw(g::integers(0..900u32)), tc.draw(g::integers(0..900u32)));
            a + b < 1000
        },
    },
    Property {
        name: "sum exact",
        fails: "three numbers add up to 1500",
        traps: &[&[0], &[1], &[2]],
        holds: |tc| {
            let number = || g::integers(0..1000u32);
            tc.draw(number()) + tc.draw(number()) + tc.draw(number()) != 1500
        },
    },
    Property {
        name: "remainder",
        fails: "the first number is 3 modulo 7; the second does not matter",
        traps: &[&[0]],
        holds: |tc| {
            let number: u32 = tc.draw(any());
            let _: u8 = tc.draw(any());
            number % 7 != 3
        },
    },
    Property {
        name: "one of two",
        fails: "one of two numbers is zero",
        traps: &[&[0, 1]],
        holds: |tc| {
            let (one, other) = (tc.draw(any::<u16>()), tc.draw(any::<u16>()));
            one != 0 && other != 0
        },
    },
    Property {
        name: "index",
        fails: "the index is not less than the length",
        traps: &[&[0, 1]],
        holds: |tc| {
            let list: Vec<u8> = tc.draw(any());
            tc.draw(g::integers(0..64usize)) < list.len()
        },
    },
    Property {
        name: "long list",
        fails: "the list has four elements or more",
        traps: &[&[0]],
        holds: |tc| tc.draw(any::<Vec<u16>>()).len() < 4,
    },
    Property {
        name: "sum of list",
        fails: "the elements add up to more than 500",
        traps: &[&[0]],
        holds: |tc| tc.draw(g::vec(g::integers(0..200u32))).iter().sum::<u32>() <= 500,
    },
    Property {
        name: "contained",
        fails: "the list contains the number",
        traps: &[&[0, 1]],
        holds: |tc| {
            let list: Vec<u32> = tc.draw(any());
            !list.contains(&tc.draw(any::<u32>()))
        },
    },
    Property {
        name: "unsorted",
        fails: "the list is not sorted",
        traps: &[&[0]],
        holds: |tc| tc.draw(any::<Vec<i32>>()).is_sorted(),
    },
    Property {
        name: "duplicate",
        fails: "two elements are equal",
        traps: &[&[0]],
        holds: |tc| {
            let list: Vec<u16> = tc.draw(any());
            list.iter().collect::<BTreeSet<_>>().len() == list.len()
        },
    },
    Property {
        name: "text with",
        fails: "the text contains a colon",
        traps: &[&[0]],
        holds: |tc| !tc.draw(g::text()).contains(':'),
    },
    Property {
        name: "equal texts",
        fails: "two texts are equal and not empty",
        traps: &[&[0, 1], &[1]],
        holds: |tc| {
            let (one, other) = (tc.draw(g::text()), tc.draw(g::text()));
            one != other || one.is_empty()
        },
    },
    Property {
        name: "float bound",
        fails: "the float is greater than a million, and no NaN",
        traps: &[&[0]],
        holds: |tc| {
            let float: f64 = tc.draw(any());
            float.is_nan() || float <= 1e6
        },
    },
    Property {
        name: "not a number",
        fails: "the float is NaN; the list does not matter",
        traps: &[&[0]],
        holds: |tc| {
            let float: f64 = tc.draw(any());
            let _: Vec<u8> = tc.draw(any());
            !float.is_nan()
        },
    },
    Property {
        name: "price of a line",
        fails: "some line has a price of 5000 or more and a count of 2 or more",
        traps: &[&[0]],
        holds: |tc| {
            let lines: Vec<Line> = tc.draw(any());
            let _ = lines.iter().map(|line| line.name.len()).sum::<usize>();
            !lines.iter().any(|line| line.price >= 5000 && line.count >= 2)
        },
    },
    Property {
        name: "shapes",
        fails: "the shape is a circle or a box",
        traps: &[&[0]],
        holds: |tc| match tc.draw(any::<Shape>()) {
            Shape::Circle(radius) => u32::from(radius) > 255,
            Shape::Box(width, height) => u32::from(width) + u32::from(height) > 510,
            Shape::Path(points) => points.len() < usize::MAX,
            Shape::Dot => true,
        },
    },
    Property {
        name: "tree sum",
        fails: "the leaves add up to 100 or more",
        traps: &[&[0]],
        holds: |tc| tc.draw(any::<Tree>()).sum() < 100,
    },
    Property {
        name: "tree depth",
        fails: "the tree has two levels of nodes or more",
        traps: &[&[0]],
        holds: |tc| tc.draw(any::<Tree>()).depth() < 2,
    },
    Property {
        name: "sampled",
        fails: "the letter is b or d and the switch is on",
        traps: &[&[0], &[1]],
        holds: |tc| {
            let letter = tc.draw(g::sampled_from(['a', 'b', 'c', 'd', 'e']));
            let switch: bool = tc.draw(any());
            let _: i64 = tc.draw(any());
            !(switch && (letter == 'b' || letter == 'd'))
        },
    },
    Property {
        name: "both present",
        fails: "two options are present, and the first is at most the second",
        traps: &[&[0], &[1]],
        holds: |tc| {
            let (one, other): (Option<u8>, Option<u8>) = (tc.draw(any()), tc.draw(any()));
            one.zip(other).is_none_or(|(one, other)| one > other)
        },
    },
    Property {
        name: "key of a map",
        fails: "the map has a key above 200 with an empty text",
        traps: &[&[0]],
        holds: |tc| {
            let map: BTreeMap<u8, String> = tc.draw(any());
            !map.iter().any(|(key, text)| *key > 200 && text.is_empty())
        },
    },
    Property {
        name: "rejecting",
        fails: "an even number is greater than 99; odd ones are rejected",
        traps: &[&[0]],
        holds: |tc| {
            let number: u16 = tc.draw(any());
            let _: String = tc.draw(any());
            tc.assume(number.is_multiple_of(2));
            number <= 99
        },
    },
];
