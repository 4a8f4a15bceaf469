//! Lists of draws of every kind, range, width and role, made from a seed.

use std::fmt::Write as _;

use dwindle_engine::TestCase;
use dwindle_engine::generators::Integer;
use dwindle_engine::internals::choice::Alphabet;
use dwindle_engine::internals::choice::{Coin, FloatRange, Length};
use dwindle_engine::internals::{Alternatives, Label};
use fastrand::Rng;

/// One draw, or a collection of draws.
#[derive(Clone, Debug)]
pub(crate) enum Draw {
    U8(u8, u8),
    U16(u16, u16),
    U32(u32, u32),
    U64(u64, u64),
    U128(u128, u128),
    Usize(usize, usize),
    I8(i8, i8),
    I16(i16, i16),
    I32(i32, i32),
    I64(i64, i64),
    I128(i128, i128),
    Isize(isize, isize),
    Alternative(usize),
    Coin(Coin),
    Float(FloatRange),
    Bytes(Length),
    Text(Length, Alphabet),
    Collection(Length, Vec<Draw>),
    Fused(Length, usize, Vec<Draw>),
}

/// Draws with a fixed number of bytes each, which say nothing of what follows.
pub(crate) fn flat(rng: &mut Rng) -> Vec<Draw> {
    let count = rng.usize(1..8);
    (0..count).map(|_| fixed(rng)).collect()
}

/// Draws of every kind, collections in collections included.
pub(crate) fn any(rng: &mut Rng) -> Vec<Draw> {
    nested(rng, 3)
}

fn nested(rng: &mut Rng, levels: usize) -> Vec<Draw> {
    let count = rng.usize(1..5);
    (0..count)
        .map(|_| match rng.u8(..if levels > 0 { 12 } else { 8 }) {
            0..5 => fixed(rng),
            5 | 6 => Draw::Text(length(rng), alphabet(rng)),
            7 => Draw::Bytes(length(rng)),
            8 | 9 => Draw::Collection(length(rng), nested(rng, levels - 1)),
            _ => {
                // One possible length has no choice to fuse.
                let length = Some(length(rng))
                    .filter(|length| length.min != length.max)
                    .unwrap_or(Length { min: 0, max: 3 });
                let count = *rng.choice([1, 2, 3, 100, 255].iter()).expect("there are some");
                Draw::Fused(length, count, nested(rng, levels - 1))
            }
        })
        .collect()
}

fn fixed(rng: &mut Rng) -> Draw {
    match rng.u8(..18) {
        0 => between(rng.u8(..), rng.u8(..), Draw::U8),
        1 => between(rng.u16(..), rng.u16(..) >> rng.u32(..16), Draw::U16),
        2 => between(rng.u32(..), rng.u32(..) >> rng.u32(..32), Draw::U32),
        3 => between(rng.u64(..), rng.u64(..) >> rng.u32(..64), Draw::U64),
        4 => between(rng.u128(..), rng.u128(..) >> rng.u32(..128), Draw::U128),
        5 => between(rng.usize(..), rng.usize(..) >> rng.u32(..64), Draw::Usize),
        6 => between(rng.i8(..), rng.i8(..), Draw::I8),
        7 => between(rng.i16(..), rng.i16(..) >> rng.u32(..16), Draw::I16),
        8 => between(rng.i32(..), rng.i32(..) >> rng.u32(..32), Draw::I32),
        9 => between(rng.i64(..), rng.i64(..) >> rng.u32(..64), Draw::I64),
        10 => between(rng.i128(..), rng.i128(..) >> rng.u32(..128), Draw::I128),
        11 => between(rng.isize(..), rng.isize(..) >> rng.u32(..64), Draw::Isize),
        12 => narrow(rng),
        13 => Draw::Alternative(
            *rng.choice([1, 2, 3, 7, 255, 256, 257, 300, 65_536, 65_537].iter())
                .expect("there are some"),
        ),
        14 => Draw::Coin(Coin { threshold: 0x80, bytes: 1, more: false, forced: None }),
        15 => Draw::Coin(Coin::weighted(
            *rng.choice([0.0, 1.0, 0.25, 0.001, 1.0 / 1024.0, 0.1, 0.999].iter())
                .expect("there are some"),
        )),
        _ => Draw::Float(float_range(rng)),
    }
}

/// Ranges of at most 256 values, at and around the bounds of a byte.
fn narrow(rng: &mut Rng) -> Draw {
    let width = *rng.choice([0, 1, 9, 127, 254, 255, 256].iter()).expect("there are some");
    let start = *rng
        .choice([-40_000, -300, -129, -128, -127, -1, 0, 1, 100, 127, 128, 255, 256, 40_000].iter())
        .expect("there are some");
    match rng.u8(..3) {
        0 => Draw::I32(start, start + width),
        1 if start >= 0 => Draw::U128(start as u128, (start + width) as u128),
        1 => Draw::U128(u128::MAX - width as u128, u128::MAX),
        _ => Draw::I64(i64::from(start), i64::from(start + width)),
    }
}

fn between<T: Integer>(a: T, b: T, draw: impl Fn(T, T) -> Draw) -> Draw {
    draw(a.min(b), a.max(b))
}

fn float_range(rng: &mut Rng) -> FloatRange {
    const ENDS: [f64; 10] =
        [f64::NEG_INFINITY, f64::MIN, -1e6, -1.5, -0.0, 0.0, 0.25, 3.0, 1e30, f64::INFINITY];
    let type_bytes = *rng.choice([4, 8].iter()).expect("there are some");
    let end = |at: usize| if type_bytes == 4 { f64::from(ENDS[at] as f32) } else { ENDS[at] };
    let (a, b) = (rng.usize(..ENDS.len()), rng.usize(..ENDS.len()));
    let open = rng.u8(..3) == 0;
    let (min, max) =
        if open { (f64::NEG_INFINITY, f64::INFINITY) } else { (end(a.min(b)), end(a.max(b))) };
    FloatRange { min, max, nan: open, type_bytes }
}

fn length(rng: &mut Rng) -> Length {
    let min = rng.usize(..4);
    *rng.choice(
        [
            Length { min: 0, max: usize::MAX },
            Length { min, max: usize::MAX },
            Length { min, max: min },
            Length { min, max: min + 2 },
        ]
        .iter(),
    )
    .expect("there are some")
}

fn alphabet(rng: &mut Rng) -> Alphabet {
    match rng.u8(..4) {
        0 => Alphabet::new([('a', 'z')]),
        1 => Alphabet::new([('0', '1'), ('\u{D000}', '\u{F000}'), ('ß', 'ß')]),
        _ => Alphabet::ANY,
    }
}

/// Draws all of `draws` and writes down what came.
pub(crate) fn run(draws: &[Draw], tc: &mut TestCase) -> String {
    let mut seen = String::new();
    for draw in draws {
        run_one(draw, tc, &mut seen);
    }
    seen
}

fn run_one(draw: &Draw, tc: &mut TestCase, seen: &mut String) {
    let written = match draw {
        Draw::U8(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::U16(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::U32(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::U64(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::U128(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::Usize(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::I8(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::I16(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::I32(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::I64(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::I128(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::Isize(min, max) => write!(seen, "{} ", within(tc, *min, *max)),
        Draw::Alternative(count) => {
            let alternative = tc.alternative(*count, *count);
            assert!(alternative < *count);
            write!(seen, "alternative {alternative} ")
        }
        Draw::Coin(coin) => write!(seen, "{} ", tc.coin(*coin)),
        Draw::Float(range) => {
            let float = tc.float(range);
            assert!(range.allows(float), "{float:?} of {range:?}");
            write!(seen, "{float:?} ")
        }
        Draw::Bytes(length) => {
            let bytes = tc.bytes(*length);
            assert!(length.min <= bytes.len() && bytes.len() <= length.max);
            write!(seen, "{bytes:?} ")
        }
        Draw::Text(length, alphabet) => {
            let text = tc.text(*length, alphabet);
            assert!(
                (length.min..=length.max).contains(&text.chars().count())
                    && text.chars().all(|c| alphabet.contains(c))
            );
            write!(seen, "{text:?} ")
        }
        Draw::Collection(length, element) => {
            let mut repeat = tc.repeat(*length);
            tc.open_span(Label::COLLECTION);
            while tc.more(&mut repeat) {
                seen.push('+');
                for draw in element {
                    run_one(draw, tc, seen);
                }
                tc.close_span();
            }
            tc.close_span();
            write!(seen, "] ")
        }
        Draw::Fused(length, count, element) => {
            let alternatives = Alternatives::equal(*count, Label::ONE_OF);
            let mut repeat = tc.repeat(*length);
            tc.open_span(Label::COLLECTION);
            while let Some(alternative) = tc.more_alternative(&mut repeat, alternatives) {
                assert!(alternative < *count);
                write!(seen, "+{alternative} ").expect("a string takes everything");
                for draw in element {
                    run_one(draw, tc, seen);
                }
                tc.close_span();
                tc.close_span();
            }
            tc.close_span();
            write!(seen, "] ")
        }
    };
    written.expect("a string takes everything");
}

fn within<T: Integer>(tc: &mut TestCase, min: T, max: T) -> T {
    let value = tc.integer(min, max);
    assert!(min <= value && value <= max, "{value:?} of {min:?}..={max:?}");
    value
}
