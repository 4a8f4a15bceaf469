//! The byte format against itself: whatever choices some bytes decode to, encoding them and
//! decoding again gives the same.

use std::fmt::Debug;

use dwindle::__private::engine::internals::Driver;
use dwindle::__private::engine::internals::codec::encode;
use dwindle::prelude::*;

/// Something to draw, with the limits it is drawn under. Limits may come in any order.
#[derive(Clone, Debug, PartialEq, Generate)]
#[expect(missing_docs, reason = "the fields are limits, in pairs")]
pub enum Spec {
    /// A fair coin.
    Boolean,
    /// A coin that is true in `wins` of 65,536 throws, or of 65,535, which takes more bytes.
    Weighted {
        wins: u16,
        uneven: bool,
    },
    /// One of `more` alternatives and one.
    Alternative {
        more: u16,
    },
    /// Integers of a range, by type.
    U8(u8, u8),
    I8(i8, i8),
    U16(u16, u16),
    I16(i16, i16),
    U32(u32, u32),
    I32(i32, i32),
    U64(u64, u64),
    I64(i64, i64),
    U128(u128, u128),
    I128(i128, i128),
    /// Floats of a range, or all of them if an end is NaN.
    F32(f32, f32),
    F64(f64, f64),
    /// One character.
    Char,
    /// A text of a length.
    Text(u8, u8),
    /// A text over some characters.
    TextOf(String),
    /// A byte string of a length.
    Bytes(u8, u8),
    /// A list of a length.
    List(u8, u8),
    /// A list of elements that begin with one of `more` alternatives and one.
    ListOfAlternatives {
        min: u8,
        max: u8,
        more: u8,
    },
}

impl Spec {
    /// Draws one value and shows it.
    fn draw(&self, tc: &mut TestCase) -> String {
        match self {
            Spec::Boolean => shown(tc, g::booleans()),
            Spec::Weighted { wins, uneven } => shown(
                tc,
                g::weighted_booleans(f64::from(*wins) / if *uneven { 65_535.0 } else { 65_536.0 }),
            ),
            Spec::Alternative { more } => {
                shown(tc, g::sampled_from((0..=*more).collect::<Vec<_>>()))
            }
            Spec::U8(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::I8(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::U16(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::I16(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::U32(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::I32(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::U64(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::I64(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::U128(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::I128(a, b) => shown(tc, g::integers(*a.min(b)..=*a.max(b))),
            Spec::F32(a, b) if a.is_nan() || b.is_nan() => shown(tc, g::floats::<f32>(..)),
            Spec::F64(a, b) if a.is_nan() || b.is_nan() => shown(tc, g::floats::<f64>(..)),
            Spec::F32(a, b) => shown(tc, g::floats(a.min(*b)..=a.max(*b))),
            Spec::F64(a, b) => shown(tc, g::floats(a.min(*b)..=a.max(*b))),
            Spec::Char => shown(tc, g::characters()),
            Spec::Text(a, b) => {
                shown(tc, g::text().len(usize::from(*a.min(b))..=usize::from(*a.max(b))))
            }
            Spec::TextOf(alphabet) if alphabet.is_empty() => shown(tc, g::text()),
            Spec::TextOf(alphabet) => shown(tc, g::text().alphabet(alphabet)),
            Spec::Bytes(a, b) => {
                shown(tc, g::bytes().len(usize::from(*a.min(b))..=usize::from(*a.max(b))))
            }
            Spec::List(a, b) => shown(
                tc,
                g::vec(g::integers::<u8>(..)).len(usize::from(*a.min(b))..=usize::from(*a.max(b))),
            ),
            Spec::ListOfAlternatives { min: a, max: b, more } => {
                let element = g::sampled_from((0..=*more).collect::<Vec<_>>());
                shown(tc, g::vec(element).len(usize::from(*a.min(b))..=usize::from(*a.max(b))))
            }
        }
    }
}

fn shown<G: Generator<Value: Debug>>(tc: &mut TestCase, generator: G) -> String {
    format!("{:?}", tc.draw(generator))
}

/// Decodes `input` with and without a record, then the canonical bytes of the choices it stands for
/// in both ways.
///
/// # Panics
///
/// Where two of the four differ in what was drawn, or the canonical bytes are not canonical.
pub fn check(specs: &[Spec], input: &[u8]) {
    let mut tc = Driver::new();
    let draw_all = |tc: &mut Driver| {
        let values: Vec<String> = specs.iter().map(|spec| spec.draw(tc)).collect();
        assert_eq!(tc.finish(), None);
        values
    };

    tc.start_bytes_recorded(input, usize::MAX);
    let values = draw_all(&mut tc);
    let choices = tc.trace().choices.clone();
    tc.start_bytes(input, usize::MAX);
    assert_eq!(draw_all(&mut tc), values, "without a record");

    let canonical = encode(&choices);
    assert!(!canonical.is_empty());
    tc.start_bytes_recorded(&canonical, usize::MAX);
    assert_eq!(draw_all(&mut tc), values, "from {canonical:?}");
    assert_eq!(tc.trace().choices, choices);
    // Canonical bytes are never empty, even of choices that take none.
    assert!(tc.bytes_consumed() == canonical.len() || canonical == [0]);
    assert_eq!(encode(&tc.trace().choices), canonical);
    tc.start_bytes(&canonical, usize::MAX);
    assert_eq!(draw_all(&mut tc), values, "from {canonical:?} without a record");

    tc.start_replay(
        &choices.iter().map(|choice| choice.value.clone()).collect::<Vec<_>>(),
        usize::MAX,
    );
    assert_eq!(draw_all(&mut tc), values, "replayed");
}
