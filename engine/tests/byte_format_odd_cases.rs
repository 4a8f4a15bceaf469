//! The byte format, byte by byte: the table of `src/codec/format.md` and each of its odd cases. A
//! change to any literal here is a breaking change.

use std::fmt::Debug;

use dwindle_engine::generators as g;
use dwindle_engine::internals::codec::{BYTE_FORMAT, encode};
use dwindle_engine::internals::{Driver, execute};
use dwindle_engine::{Generator, any};

/// What `generator` makes of `input`, the same recorded or not, and how many bytes it read.
#[track_caller]
fn read<G: Generator<Value: Debug>>(generator: &G, input: &[u8]) -> (String, usize) {
    let mut tc = Driver::new();
    tc.start_bytes(input, 1000);
    let unrecorded = (format!("{:?}", generator.generate(&mut tc)), tc.bytes_consumed());
    tc.start_bytes_recorded(input, 1000);
    assert_eq!((format!("{:?}", generator.generate(&mut tc)), tc.bytes_consumed()), unrecorded);
    unrecorded
}

/// `input` decodes to `value`, all of it.
#[track_caller]
fn decodes<G: Generator<Value: Debug>>(generator: &G, input: &[u8], value: &G::Value) {
    assert_eq!(read(generator, input), (format!("{value:?}"), input.len()));
}

/// `input` decodes to `value`, all of it, and is how `value` is written.
#[track_caller]
fn is_canonical<G: Generator<Value: Debug>>(generator: &G, input: &[u8], value: &G::Value) {
    decodes(generator, input, value);
    let mut tc = Driver::new();
    tc.start_bytes_recorded(input, 1000);
    generator.generate(&mut tc);
    assert_eq!(encode(&tc.trace().choices), input);
}

#[test]
fn these_are_the_bytes_of_version_1() {
    assert_eq!(BYTE_FORMAT, 1);
}

#[test]
fn integers_stand_in_their_own_bytes() {
    is_canonical(&any::<u8>(), &[0xFE], &254);
    is_canonical(&any::<i8>(), &[0xFE], &-2);
    is_canonical(&any::<u16>(), &[1, 2], &0x0201);
    is_canonical(&any::<i32>(), &[0xFE, 0xFF, 0xFF, 0xFF], &-2);
    is_canonical(&any::<usize>(), &[1, 0, 0, 0, 0, 0, 0, 0x80], &0x8000_0000_0000_0001);
    is_canonical(&any::<i128>(), &[0xFF; 16], &-1);
    is_canonical(&any::<u128>(), &[0xFF; 16], &u128::MAX);
    is_canonical(&any::<u128>(), &[&[5][..], &[0; 15]].concat(), &5);
}

#[test]
fn integers_of_at_most_256_values_take_one_byte() {
    is_canonical(&g::integers(10u64..=200), &[10], &10);
    is_canonical(&g::integers(0i32..=255), &[0xFF], &255);
    is_canonical(&g::integers(-128i64..=127), &[0x80], &-128);
    is_canonical(&g::integers(-5i16..=5), &[0xFB], &-5);
    is_canonical(&g::integers(7u32..=7), &[7], &7);
    // Outside the range of a byte: the distance along the wrapped order.
    is_canonical(&g::integers(1000u32..=1255), &[3], &1003);
    is_canonical(&g::integers(-10i32..=200), &[10], &10);
    is_canonical(&g::integers(-10i32..=200), &[201], &-10);
    is_canonical(&g::integers(-1000i32..=-900), &[0], &-900);
    is_canonical(&g::integers(-1000i32..=-900), &[1], &-1000);
    is_canonical(&g::integers(u128::MAX - 1..=u128::MAX), &[1], &u128::MAX);
    // One value more, and it is the width of the type.
    is_canonical(&g::integers(0u32..=256), &[0, 1, 0, 0], &256);
}

#[test]
fn raw_numbers_outside_the_range_wrap_from_the_simplest_value() {
    decodes(&g::integers(10u8..=20), &[0], &10);
    decodes(&g::integers(10u8..=20), &[9], &19);
    decodes(&g::integers(10u8..=20), &[22], &10);
    decodes(&g::integers(-5i8..=5), &[6], &-5);
    decodes(&g::integers(-5i8..=5), &[10], &-1);
    decodes(&g::integers(-5i8..=5), &[0x80], &-4);
    decodes(&g::integers(1000u16..=2000), &[0, 0], &1000);
    decodes(&g::integers(1000u16..=2000), &[0xD1, 0x07], &2000);
    decodes(&g::integers(-2000i16..=-1000), &[0, 0], &-1000);
    decodes(&g::integers(-2000i16..=-1000), &[1, 0], &-2000);
    decodes(&g::integers(-2000i16..=-1000), &[2, 0], &-1999);
}

#[test]
fn alternatives_are_one_byte_modulo_their_number() {
    let three = g::sampled_from(['a', 'b', 'c']);
    is_canonical(&three, &[0], &'a');
    is_canonical(&three, &[2], &'c');
    decodes(&three, &[3], &'a');
    decodes(&three, &[0xFF], &'a');
    decodes(&three, &[0xFE], &'c');
    is_canonical(&g::option(any::<u8>()), &[1, 9], &Some(9));
    is_canonical(&g::result(any::<u8>(), any::<bool>()), &[1, 0xFF], &Err(true));
    is_canonical(&g::sampled_from((0..256).collect::<Vec<_>>()), &[0xFF], &255);
}

#[test]
fn more_than_256_alternatives_are_ordinary_integers() {
    is_canonical(&g::sampled_from((0..257).collect::<Vec<_>>()), &[0, 1], &256);
    decodes(&g::sampled_from((0..257).collect::<Vec<_>>()), &[2, 1], &1);
    is_canonical(&g::sampled_from((0..65_537).collect::<Vec<_>>()), &[0, 0, 1, 0], &65_536);
    decodes(&g::sampled_from((0..65_537).collect::<Vec<_>>()), &[1, 0, 1, 0], &0);
}

#[test]
fn a_continue_byte_stands_before_each_element() {
    let lists = g::vec(any::<u8>());
    is_canonical(&lists, &[0], &vec![]);
    is_canonical(&lists, &[1, 7, 1, 8, 0], &vec![7, 8]);
    decodes(&lists, &[2, 7, 0x80, 8, 0], &vec![7, 8]);
    decodes(&lists, &[1, 7, 1], &vec![7, 0]);
}

#[test]
fn a_continue_byte_is_fused_with_an_alternative() {
    let lists = g::vec(g::sampled_from(['a', 'b', 'c']));
    is_canonical(&lists, &[0], &vec![]);
    is_canonical(&lists, &[1, 3, 0], &vec!['a', 'c']);
    decodes(&lists, &[4, 0xFF, 0], &vec!['a', 'c']);
    // 255 alternatives are the most that fuse.
    is_canonical(&g::vec(g::sampled_from((0..255).collect::<Vec<_>>())), &[0xFF, 0], &vec![254]);
    is_canonical(&g::vec(g::sampled_from((0..256).collect::<Vec<_>>())), &[1, 0xFF, 0], &vec![255]);
}

#[test]
fn full_collections_read_no_continue_byte() {
    is_canonical(&g::vec(any::<u8>()).len(..=2), &[1, 7, 1, 8], &vec![7, 8]);
    is_canonical(&g::vec(any::<Option<u8>>()).len(..=2), &[1, 2, 8], &vec![None, Some(8)]);
    is_canonical(&(g::vec(any::<u8>()).len(..=0), any::<u8>()), &[5], &(vec![], 5));
}

#[test]
fn below_the_least_length_the_continue_byte_goes_on_whatever_it_is() {
    is_canonical(&g::vec(any::<u8>()).len(1..), &[1, 7, 0], &vec![7]);
    decodes(&g::vec(any::<u8>()).len(1..), &[0, 7, 0], &vec![7]);
    is_canonical(&g::vec(any::<Option<u8>>()).len(1..), &[1, 0], &vec![None]);
    decodes(&g::vec(any::<Option<u8>>()).len(1..), &[0, 0], &vec![None]);
    assert_eq!(read(&g::vec(any::<Option<u8>>()).len(2..), &[]), ("[None, None]".to_owned(), 0));
}

#[test]
fn collections_of_one_length_have_no_continue_bytes() {
    is_canonical(&g::vec(any::<u8>()).len(2..=2), &[7, 8], &vec![7, 8]);
    is_canonical(&g::vec(any::<Option<u8>>()).len(2..=2), &[0, 1, 8], &vec![None, Some(8)]);
    is_canonical(&any::<[u8; 2]>(), &[7, 8], &[7, 8]);
}

#[test]
fn booleans_are_decided_by_the_high_bit() {
    is_canonical(&g::booleans(), &[0], &false);
    is_canonical(&g::booleans(), &[0xFF], &true);
    decodes(&g::booleans(), &[0x7F], &false);
    decodes(&g::booleans(), &[0x80], &true);
}

#[test]
fn probabilities_take_as_many_bytes_as_they_need() {
    is_canonical(&g::weighted_booleans(0.25), &[0], &false);
    is_canonical(&g::weighted_booleans(0.25), &[0xFF], &true);
    decodes(&g::weighted_booleans(0.25), &[0xBF], &false);
    decodes(&g::weighted_booleans(0.25), &[0xC0], &true);
    is_canonical(&g::weighted_booleans(1.0 / 1024.0), &[0xFF, 0xFF], &true);
    decodes(&g::weighted_booleans(1.0 / 1024.0), &[0xBF, 0xFF], &false);
    decodes(&g::weighted_booleans(1.0 / 1024.0), &[0xC0, 0xFF], &true);
    is_canonical(&g::weighted_booleans(2f64.powi(-20)), &[0xFF; 4], &true);
    decodes(&g::weighted_booleans(2f64.powi(-20)), &[0xFF, 0xEF, 0xFF, 0xFF], &false);
    is_canonical(&g::weighted_booleans(0.1), &[0xFF; 8], &true);
    decodes(&g::weighted_booleans(0.1), &[0, 0, 0, 0, 0, 0, 0, 0xE6], &false);
    decodes(&g::weighted_booleans(0.1), &[0, 0, 0, 0, 0, 0, 0, 0xE7], &true);
}

#[test]
fn certain_probabilities_read_one_byte_and_ignore_it() {
    is_canonical(&g::weighted_booleans(0.0), &[0], &false);
    is_canonical(&g::weighted_booleans(1.0), &[0xFF], &true);
    decodes(&g::weighted_booleans(0.0), &[0xFF], &false);
    decodes(&g::weighted_booleans(1.0), &[0], &true);
}

#[test]
fn floats_are_their_bits() {
    is_canonical(&any::<f64>(), &1.5f64.to_le_bytes(), &1.5);
    is_canonical(&any::<f64>(), &[0, 0, 0, 0, 0, 0, 0, 0x80], &-0.0);
    is_canonical(&any::<f32>(), &[0, 0, 0x80, 0x7F], &f32::INFINITY);
    is_canonical(&g::floats(-1.0f32..=1.0), &[0, 0, 0, 0xBF], &-0.5);
}

#[test]
fn all_nans_are_one() {
    is_canonical(&any::<f64>(), &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F], &f64::NAN);
    is_canonical(&any::<f32>(), &[0, 0, 0xC0, 0x7F], &f32::NAN);
    let mut tc = Driver::new();
    tc.start_bytes(&[0xFF; 12], 2);
    assert_eq!(
        (any::<f64>().generate(&mut tc).to_bits(), any::<f32>().generate(&mut tc).to_bits()),
        (0x7FF8_0000_0000_0000, 0x7FC0_0000)
    );
}

#[test]
fn floats_outside_the_range_are_placed_in_proportion() {
    let unit = g::floats(1.0f64..=2.0);
    decodes(&unit, &[0; 8], &1.0);
    decodes(&unit, &[0, 0, 0, 0, 0, 0, 0, 0x80], &1.5);
    decodes(&unit, &[0, 0, 0, 0, 0, 0, 0, 0xC0], &1.75);
    decodes(&unit, &[1, 0, 0, 0, 0, 0, 0, 0], &1.0);
    // Raw 0 is the simplest, any other the proportional place, however near to 0.
    decodes(&g::floats(0.5f64..=9.0), &[0; 8], &1.0);
    decodes(&g::floats(0.5f64..=9.0), &[1, 0, 0, 0, 0, 0, 0, 0], &0.5);
    decodes(&g::floats(1.0f32..=2.0), &[0, 0, 0, 0x80], &1.5);
    // NaN where it is not allowed, and ends at infinity.
    decodes(&g::floats(1.0f64..=2.0), &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F], &1.499_877_929_687_5);
    decodes(&g::floats(1.0f64..), &[0, 0, 0, 0, 0, 0, 0, 0x80], &(f64::MAX / 2.0 + 0.5));
    decodes(&g::floats(f64::INFINITY..), &[1, 0, 0, 0, 0, 0, 0, 0x80], &f64::INFINITY);
    decodes(&g::floats(..=f32::NEG_INFINITY), &[1, 0, 0, 0x80], &f32::NEG_INFINITY);
}

#[test]
fn text_ends_at_the_first_byte_that_cannot_continue_it() {
    is_canonical(&any::<String>(), &[0xFF], &String::new());
    is_canonical(&any::<String>(), b"h\xC3\xA9\x00\x01!\xFF", &"hé\0\u{1}!".to_owned());
    let two = (any::<String>(), any::<u8>());
    decodes(&two, b"a\x805", &("a".to_owned(), b'5'));
    // A character without its second byte, a surrogate, one past the last: only the first byte is
    // consumed.
    decodes(&two, b"a\xC3", &("a".to_owned(), 0));
    decodes(&two, b"a\xC35", &("a".to_owned(), b'5'));
    decodes(&two, b"a\xED\xA0", &("a".to_owned(), 0xA0));
    decodes(&two, b"a\xF4\x90", &("a".to_owned(), 0x90));
    decodes(&two, b"a", &("a".to_owned(), 0));
}

#[test]
fn full_texts_have_no_terminator() {
    is_canonical(&(g::text().len(..=2), any::<u8>()), "éa5".as_bytes(), &("éa".to_owned(), b'5'));
    is_canonical(&(g::text().len(..=2), any::<u8>()), b"a\xFF5", &("a".to_owned(), b'5'));
    is_canonical(&(g::text().len(..=0), any::<u8>()), b"5", &(String::new(), b'5'));
    is_canonical(&(g::text().len(3..), any::<u8>()), b"abc\xFF5", &("abc".to_owned(), b'5'));
    decodes(&(g::text().len(3..), any::<u8>()), b"a\xFF5", &("a00".to_owned(), b'5'));
}

#[test]
fn characters_outside_the_alphabet_count_round() {
    let digits = g::text().alphabet("0123456789");
    is_canonical(&digits, b"42\xFF", &"42".to_owned());
    // 'a' is 97.
    decodes(&digits, b"a1\xFF", &"71".to_owned());
    decodes(&g::text().alphabet("xyz").len(2..), b"\xFF", &"xx".to_owned());
}

#[test]
fn a_character_is_its_utf_8_without_a_terminator() {
    is_canonical(&any::<char>(), b"a", &'a');
    is_canonical(&any::<[char; 2]>(), "é\u{10FFFF}".as_bytes(), &['é', '\u{10FFFF}']);
    decodes(&any::<[char; 2]>(), b"\xFFa", &['0', 'a']);
    decodes(&g::characters().range('a', 'c'), b"0", &'a');
    assert_eq!(read(&any::<char>(), &[]), ("'0'".to_owned(), 0));
}

#[test]
fn byte_strings_end_at_0_and_escape_with_1() {
    is_canonical(&g::bytes(), &[0], &vec![]);
    is_canonical(&g::bytes(), &[9, 1, 0, 1, 1, 0xFF, 0], &vec![9, 0, 1, 0xFF]);
    decodes(&g::bytes(), &[1, 9, 0], &vec![9]);
    is_canonical(&(g::bytes().len(..=2), any::<u8>()), &[8, 1, 0, 5], &(vec![8, 0], 5));
    decodes(&(g::bytes().len(2..), any::<u8>()), &[8, 0, 5], &(vec![8, 0], 5));
    is_canonical(&(g::bytes().len(2..), any::<u8>()), &[8, 1, 0, 0, 5], &(vec![8, 0], 5));
}

#[test]
fn what_the_end_of_the_input_cuts_off_is_zero() {
    decodes(&any::<u32>(), &[1, 2], &0x0201);
    decodes(&any::<(u16, u16)>(), &[1, 2, 3], &(0x0201, 3));
    decodes(&any::<f64>(), &[1], &f64::from_bits(1));
    decodes(&g::weighted_booleans(1.0 / 1024.0), &[0xFF], &false);
    decodes(&g::bytes(), &[9], &vec![9]);
    decodes(&g::bytes(), &[9, 1], &vec![9, 0]);
    decodes(&any::<String>(), b"a", &"a".to_owned());
}

#[test]
fn a_sequence_without_choices_is_one_zero() {
    assert_eq!(encode(&[]), [0]);
    is_canonical(&any::<u8>(), &[0], &0);
}

#[test]
fn bytes_behind_the_last_choice_are_ignored() {
    assert_eq!(read(&any::<u8>(), &[3, 4, 5]), ("3".to_owned(), 1));
}

#[test]
fn the_rest_of_the_input_is_read_and_written_as_it_stands() {
    for input in [&[][..], &[0], &[1], &[0xFF, 0, 1, 0], &[7; 300]] {
        let mut tc = Driver::new();
        for is_recorded in [false, true] {
            if is_recorded {
                tc.start_bytes_recorded(input, 10);
            } else {
                tc.start_bytes(input, 10);
            }
            let mut seen = None;
            execute(&mut tc, |tc| {
                seen = Some((tc.rest_of_input(), tc.rest_of_input(), tc.integer(0u8, 255)));
            });
            assert_eq!(seen, Some((input.into(), [].into(), 0)));
            assert_eq!(tc.bytes_consumed(), input.len());
        }
        let choices = &tc.trace().choices;
        assert_eq!(encode(&choices[..1]), input);
        assert_eq!(encode(&choices[..2]), input);
    }
}

#[test]
fn what_is_read_before_the_rest_stands_in_front_of_it() {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[3, 0, 1, 2], 10);
    let mut seen = None;
    execute(&mut tc, |tc| seen = Some((tc.integer(0u16, 999), tc.rest_of_input())));
    assert_eq!(seen, Some((3, [1, 2].into())));
    assert_eq!(encode(&tc.trace().choices), [3, 0, 1, 2]);
    assert_eq!(tc.trace().raw_input(), None);
}
