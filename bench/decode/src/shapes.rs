//! The values that are read, and their bytes for either library.

use std::hint::black_box;

use anyhow::{Context, Result};
use arbitrary::{Arbitrary, Unstructured};
use dwindle_engine::internals::{CHOICES_MAX, Driver};
use dwindle_engine::{Generate, any};

/// How many elements, or characters, a value has.
pub const ELEMENTS: usize = 100;

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Integers,
    Operations,
    Text,
}

/// Who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Dwindle,
    Arbitrary,
}

impl Shape {
    pub const ALL: [Shape; 3] = [Shape::Integers, Shape::Operations, Shape::Text];

    pub fn name(self) -> &'static str {
        match self {
            Shape::Integers => "Vec<u32>",
            Shape::Operations => "Vec<Op>",
            Shape::Text => "String",
        }
    }

    pub fn named(name: &str) -> Result<Shape> {
        Shape::ALL
            .into_iter()
            .find(|shape| shape.name() == name)
            .with_context(|| format!("no shape is called {name}"))
    }
}

impl Library {
    pub const BOTH: [Library; 2] = [Library::Dwindle, Library::Arbitrary];

    pub fn name(self) -> &'static str {
        match self {
            Library::Dwindle => "dwindle",
            Library::Arbitrary => "arbitrary",
        }
    }

    pub fn named(name: &str) -> Result<Library> {
        Library::BOTH
            .into_iter()
            .find(|library| library.name() == name)
            .with_context(|| format!("no library is called {name}"))
    }
}

/// What a model-based test of a map draws.
#[derive(Arbitrary, Generate, Clone, Debug, PartialEq)]
enum Op {
    Clear,
    Remove(u8),
    Insert(u8, u32),
    Rename { from: u8, to: u8 },
}

/// Reads one and the same value `times` times.
pub fn read(shape: Shape, library: Library, times: u64) {
    match shape {
        Shape::Integers => {
            let value: Vec<u32> =
                (0..ELEMENTS as u32).map(|index| index.wrapping_mul(0x9E37_79B9)).collect();
            let arbitrary: Vec<u8> = value
                .iter()
                .flat_map(|element| [&[1][..], &element.to_le_bytes()].concat())
                .collect();
            read_value(&value, &[&arbitrary[..], &[0]].concat(), &arbitrary, library, times);
        }
        Shape::Operations => {
            let value: Vec<Op> = (0..ELEMENTS).map(operation).collect();
            let dwindle: Vec<u8> = value.iter().flat_map(dwindle_bytes).chain([0]).collect();
            let arbitrary: Vec<u8> = value.iter().flat_map(arbitrary_bytes).collect();
            read_value(&value, &dwindle, &arbitrary, library, times);
        }
        Shape::Text => {
            let value: String = ('a'..='z').cycle().take(ELEMENTS).collect();
            let dwindle = [value.as_bytes(), &[0xFF]].concat();
            read_value(&value, &dwindle, value.as_bytes(), library, times);
        }
    }
}

fn operation(index: usize) -> Op {
    let key = index as u8;
    match index % 4 {
        0 => Op::Clear,
        1 => Op::Remove(key),
        2 => Op::Insert(key, index as u32 * 1_000_003),
        _ => Op::Rename { from: key, to: key ^ 0x55 },
    }
}

/// A byte that says both "go on" and which variant, then the fields.
fn dwindle_bytes(operation: &Op) -> Vec<u8> {
    let (variant, fields) = parts(operation);
    [&[variant + 1][..], &fields].concat()
}

/// As `derive(Arbitrary)` reads it: a continue byte, four bytes for the variant, which is (raw * 4)
/// >> 32, then the fields.
fn arbitrary_bytes(operation: &Op) -> Vec<u8> {
    let (variant, fields) = parts(operation);
    [&[1][..], &(u32::from(variant) << 30).to_le_bytes(), &fields].concat()
}

fn parts(operation: &Op) -> (u8, Vec<u8>) {
    match operation {
        Op::Clear => (0, vec![]),
        Op::Remove(key) => (1, vec![*key]),
        Op::Insert(key, value) => (2, [&[*key][..], &value.to_le_bytes()].concat()),
        Op::Rename { from, to } => (3, vec![*from, *to]),
    }
}

fn read_value<T>(value: &T, dwindle: &[u8], arbitrary: &[u8], library: Library, times: u64)
where
    T: for<'a> Arbitrary<'a> + Generate + PartialEq + std::fmt::Debug,
{
    match library {
        Library::Arbitrary => {
            let read = || {
                T::arbitrary_take_rest(Unstructured::new(black_box(arbitrary)))
                    .expect("the bytes are complete")
            };
            assert_eq!(read(), *value);
            for _ in 0..times {
                black_box(read());
            }
        }
        Library::Dwindle => {
            let mut tc = Driver::new();
            let mut read = || {
                tc.start_bytes(black_box(dwindle), CHOICES_MAX);
                tc.draw_silent(any::<T>())
            };
            assert_eq!(read(), *value);
            for _ in 0..times {
                black_box(read());
            }
        }
    }
}
