//! The byte format keeps what `src/codec/format.md` promises, over draws of every kind. The odd
//! cases, byte by byte, are in `byte_format_odd_cases.rs`.

mod schema;

use dwindle_engine::Generator;
use dwindle_engine::generators as g;
use dwindle_engine::generators::Integer;
use dwindle_engine::internals::choice::{Choice, Constraint, Value};
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::{Driver, Outcome, execute};
use fastrand::Rng;
use schema::Draw;

/// Enough for nearly all lists of draws, and few enough to try many.
const CHOICES_MAX: usize = 3000;

/// What one run over `draws` gave: its values, its choices, how many bytes it read; none if it ran
/// past the greatest number of choices.
fn recorded(draws: &[Draw], input: &[u8]) -> Option<(String, Vec<Choice>, usize)> {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(input, CHOICES_MAX);
    finished(draws, tc)
}

fn at_random(draws: &[Draw], seed: u64) -> Option<(String, Vec<Choice>, usize)> {
    let mut tc = Driver::new();
    tc.start_random(seed, CHOICES_MAX);
    finished(draws, tc)
}

fn finished(draws: &[Draw], mut tc: Driver) -> Option<(String, Vec<Choice>, usize)> {
    let mut seen = String::new();
    execute(&mut tc, |tc| seen = schema::run(draws, tc)).or_unwind().ok()?;
    Some((seen, tc.trace().choices.clone(), tc.bytes_consumed()))
}

/// Bytes as fuzzers make them: small numbers, letters, ends of ranges, noise.
fn bytes(rng: &mut Rng) -> Vec<u8> {
    let length = rng.usize(..200);
    let style = rng.u8(..4);
    (0..length)
        .map(|_| match (style, rng.u8(..4)) {
            (0, _) => rng.u8(..),
            (1, _) => rng.u8(..4),
            (2, 0..3) => rng.u8(b'0'..=b'z'),
            _ => *rng.choice(&[0, 1, 2, 0x7F, 0x80, 0xC3, 0xA9, 0xFF]).expect("there are some"),
        })
        .collect()
}

/// Where the bytes of each choice lie in what `encode` makes of all of them.
fn extents(choices: &[Choice]) -> Vec<std::ops::Range<usize>> {
    let mut start = 0;
    choices
        .iter()
        .map(|choice| {
            // A choice of an empty string with a fixed length has no bytes. The encoder would write
            // such a choice, if it is alone, as one zero byte.
            let alone = match &choice.constraint {
                Constraint::Bytes(length) | Constraint::Text(length, _) if length.max == 0 => 0,
                _ => encode(std::slice::from_ref(choice)).len(),
            };
            start += alone;
            start - alone..start
        })
        .collect()
}

#[test]
fn any_bytes_decode_and_encode_to_the_same_choices() {
    for seed in 0..1500 {
        let mut rng = Rng::with_seed(seed);
        let draws = schema::any(&mut rng);
        let Some((values, choices, _)) = recorded(&draws, &bytes(&mut rng)) else { continue };
        let canonical = encode(&choices);
        let (again, choices_again, consumed) =
            recorded(&draws, &canonical).expect("as many choices as before");
        assert_eq!((again, &choices_again), (values, &choices), "seed {seed}: {draws:?}");
        assert_eq!(encode(&choices_again), canonical);
        assert!(!canonical.is_empty());
        assert_eq!(consumed, extents(&choices).last().map_or(0, |extent| extent.end));
    }
}

#[test]
fn random_choices_survive_being_written_as_bytes() {
    let mut tried = 0;
    for seed in 0..1500 {
        let draws = schema::any(&mut Rng::with_seed(seed));
        let Some((values, choices, _)) = at_random(&draws, seed) else { continue };
        let (again, choices_again, _) =
            recorded(&draws, &encode(&choices)).expect("as many choices as before");
        assert_eq!((again, choices_again), (values, choices), "seed {seed}: {draws:?}");
        tried += 1;
    }
    assert!(tried > 1400, "only {tried} ended");
}

#[test]
fn recorded_and_unrecorded_decoding_agree() {
    let mut tc = Driver::new();
    for seed in 0..1500 {
        let mut rng = Rng::with_seed(seed);
        let draws = schema::any(&mut rng);
        let input = bytes(&mut rng);
        let with = recorded(&draws, &input);
        tc.start_bytes(&input, CHOICES_MAX);
        let mut seen = String::new();
        let without =
            matches!(execute(&mut tc, |tc| seen = schema::run(&draws, tc)), Outcome::Passed)
                .then_some((seen, tc.bytes_consumed()));
        assert_eq!(
            with.map(|(values, _, consumed)| (values, consumed)),
            without,
            "seed {seed}: {draws:?}"
        );
        assert!(tc.trace().is_empty() && tc.trace().spans.is_empty());
    }
}

#[test]
fn replayed_choices_give_the_same_values() {
    let mut tc = Driver::new();
    for seed in 0..2000 {
        let draws = schema::any(&mut Rng::with_seed(seed));
        let Some((values, choices, _)) = at_random(&draws, seed) else { continue };
        let replayed: Vec<_> = choices.iter().map(|choice| choice.value.clone()).collect();
        tc.start_replay(&replayed, CHOICES_MAX);
        assert_eq!(schema::run(&draws, &mut tc), values, "seed {seed}: {draws:?}");
        assert_eq!(tc.trace().choices, choices);
    }
}

#[test]
fn the_empty_input_is_simplest_everywhere() {
    for seed in 0..2000 {
        let draws = schema::any(&mut Rng::with_seed(seed));
        let (values, choices, consumed) = recorded(&draws, &[]).expect("simplest values are few");
        assert!(choices.iter().all(Choice::is_simplest), "seed {seed}: {draws:?} gave {values}");
        assert_eq!(consumed, 0);
        let mut tc = Driver::new();
        tc.start_replay(&[], CHOICES_MAX);
        assert_eq!(schema::run(&draws, &mut tc), values);
    }
}

#[test]
fn a_one_byte_edit_changes_only_the_choice_it_lies_in() {
    let mut changed = 0;
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let draws = schema::flat(&mut rng);
        let (_, choices, _) = at_random(&draws, seed).expect("few choices");
        let mut edited = encode(&choices);
        let at = rng.usize(..edited.len());
        edited[at] ^= rng.u8(1..);
        let (_, after, _) = recorded(&draws, &edited).expect("few choices");
        let hit = extents(&choices)
            .iter()
            .position(|extent| extent.contains(&at))
            .expect("every byte belongs to a choice");
        for (index, (before, after)) in choices.iter().zip(&after).enumerate() {
            assert!(
                index == hit || before == after,
                "seed {seed}: byte {at} belongs to choice {hit}, and changed {index} of {draws:?}"
            );
        }
        changed += usize::from(choices[hit] != after[hit]);
    }
    assert!(changed > 1500, "only {changed} edits changed anything");
}

#[test]
fn bytes_inserted_into_a_byte_string_stay_inside() {
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let string: Vec<u8> = (0..rng.usize(..10)).map(|_| rng.u8(2..)).collect();
        let word: Vec<u8> = (0..rng.usize(1..10)).map(|_| rng.u8(2..)).collect();
        let at = rng.usize(..=string.len());
        let input = [&string[..at], &word, &string[at..], &[0, 77]].concat();
        let mut tc = Driver::new();
        tc.start_bytes(&input, 2);
        let expected = [&string[..at], &word, &string[at..]].concat();
        assert_eq!((g::bytes().generate(&mut tc), tc.integer(0, u8::MAX)), (expected, 77));
    }
}

#[test]
fn characters_inserted_into_a_text_stay_inside() {
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let characters = |rng: &mut Rng| -> String {
            (0..rng.usize(1..10))
                .map(|_| if rng.bool() { rng.alphanumeric() } else { rng.char(..) })
                .collect()
        };
        let (mut text, word) = (characters(&mut rng), characters(&mut rng));
        let at = text
            .char_indices()
            .map(|(at, _)| at)
            .nth(rng.usize(..text.chars().count()))
            .expect("below the count");
        text.insert_str(at, &word);
        let input = [text.as_bytes(), &[0xFF, 77]].concat();
        let mut tc = Driver::new();
        tc.start_bytes(&input, 2);
        assert_eq!((g::text().generate(&mut tc), tc.integer(0, u8::MAX)), (text, 77));
    }
}

/// Draws `value`, written in `raw` little-endian bytes as memory holds it, from `min..=max`.
fn stands_in_place<T: Integer>(value: T, raw: &[u8], ends: [T; 2]) {
    let (min, max) = (ends[0].min(ends[1]).min(value), ends[0].max(ends[1]).max(value));
    if max.to_wide().abs_diff(min.to_wide()) > 255 {
        let mut tc = Driver::new();
        tc.start_bytes(raw, 1);
        assert_eq!(tc.integer(min, max), value, "{min:?}..={max:?}");
        assert_eq!(tc.bytes_consumed(), raw.len());
    }
}

#[test]
fn an_integer_written_in_place_is_itself() {
    macro_rules! of_types {
        ($rng:ident: $($type:ident)*) => {$(
            let value = $rng.$type(..) >> $rng.u32(..$type::BITS);
            let ends = [$rng.$type(..), $rng.$type(..) >> $rng.u32(..$type::BITS)];
            stands_in_place(value, &value.to_le_bytes(), ends);
        )*};
    }
    for seed in 0..1000 {
        let mut rng = Rng::with_seed(seed);
        of_types!(rng: u16 u32 u64 u128 usize i16 i32 i64 i128 isize);
    }
    for byte in 0..=255u8 {
        let mut tc = Driver::new();
        tc.start_bytes(&[byte, byte], 2);
        assert_eq!(
            (tc.integer(u8::MIN, u8::MAX), tc.integer(i8::MIN, i8::MAX)),
            (byte, byte as i8)
        );
        tc.start_bytes(&[byte], 1);
        let narrow = tc.integer(10u64, 200);
        assert!(narrow == u64::from(byte) || !(10..=200).contains(&byte));
    }
}

#[test]
fn a_float_written_in_place_is_itself() {
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let (wide, narrow) = (f64::from_bits(rng.u64(..)), f32::from_bits(rng.u32(..)));
        let mut tc = Driver::new();
        tc.start_bytes(&[&wide.to_le_bytes()[..], &narrow.to_le_bytes()].concat(), 2);
        let drawn =
            (g::floats::<f64>(..).generate(&mut tc), g::floats::<f32>(..).generate(&mut tc));
        assert!(drawn.0.to_bits() == wide.to_bits() || (wide.is_nan() && drawn.0.is_nan()));
        assert!(drawn.1.to_bits() == narrow.to_bits() || (narrow.is_nan() && drawn.1.is_nan()));
    }
}

#[test]
fn a_replayed_nan_is_the_one_that_bytes_can_say() {
    let mut tc = Driver::new();
    tc.start_replay(
        &[Value::Float(-f64::NAN), Value::Float(f64::from_bits(0x7FF0_0000_0000_0001))],
        2,
    );
    for generated in
        [g::floats::<f64>(..).generate(&mut tc), g::floats::<f64>(..).generate(&mut tc)]
    {
        assert_eq!(generated.to_bits(), f64::NAN.to_bits());
    }
}
