//! Each operator, on inputs whose parts are known.

use super::operators::{Constants, Context, Edit, Lent, Operator};
use super::parent::{Kind, Parent};
use super::pool::Pool;
use super::{Arm, Mutator, Word};
use crate::generators::{any, characters, vec};
use crate::test_case::{CHOICES_MAX, Driver, TestCase};
use crate::trace::Trace;

type Drawn = (u16, Vec<(u8, u32)>, String);

/// Like a target that draws a number, records and a text.
fn draw(tc: &mut TestCase) -> Drawn {
    let number = tc.draw(any::<u16>());
    let records = tc.draw(vec((any::<u8>(), any::<u32>())));
    let text = tc.draw(any::<String>());
    (number, records, text)
}

/// The value that bytes decode to, and the record of the run.
fn run(bytes: &[u8]) -> (Drawn, Trace) {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(bytes, CHOICES_MAX);
    let drawn = draw(&mut tc);
    tc.finish();
    (drawn, tc.trace().clone())
}

fn parent(records: u8, text: &str) -> (Drawn, Parent) {
    let mut bytes = vec![7, 0];
    for record in 0..records {
        bytes.extend([1, record, 10 + record, 0, 0, 0]);
    }
    bytes.push(0);
    bytes.extend(text.as_bytes());
    bytes.push(0xFF);
    let (drawn, trace) = run(&bytes);
    (drawn, Parent::of(&trace).unwrap())
}

/// What an operator makes of `parent` in many tries, where `other` has given parts.
fn made(operator: Operator, parent: &Parent, other: &Parent) -> Vec<Drawn> {
    made_with(Known(None, None), operator, parent, other)
}

/// What the fuzzer knows of the target.
struct Known(Option<u16>, Option<Word>);

impl Constants for Known {
    fn number(&mut self) -> Option<u16> {
        self.0
    }

    fn word(&mut self) -> Option<Word> {
        self.1
    }
}

/// The same, where the fuzzer knows a constant of the target, or a word.
fn made_with(mut known: Known, operator: Operator, parent: &Parent, other: &Parent) -> Vec<Drawn> {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut pool = Pool::default();
    pool.add(other, &mut rng);
    let mut bytewise = |bytes: &mut Vec<u8>, max: usize| {
        for byte in bytes.iter_mut() {
            *byte ^= 1;
        }
        bytes.push(b'+');
        bytes.truncate(max);
    };
    let (bytewise, constants) = (&mut bytewise, &mut known);
    let mut context = Context { parent, pool: &pool, rng: &mut rng, bytewise, constants };
    let edits = (0..8000).filter_map(|_| operator.edit(&mut context)).collect::<Vec<Edit>>();
    edits
        .into_iter()
        .map(|Edit { place, replacement }| {
            let mut bytes = parent.bytes().to_vec();
            bytes.splice(place, replacement);
            run(&bytes).0
        })
        .collect()
}

#[test]
fn a_parent_has_its_elements_and_choices_as_parts() {
    let (_, parent) = parent(2, "ab");
    let count = |kind| parent.parts().iter().filter(|part| part.kind == kind).count();
    assert_eq!(count(Kind::Element), 2);
    assert_eq!(count(Kind::Text), 1);
    // The first number and both of each record, without the continue choices.
    assert_eq!(count(Kind::Number), 5);
    let elements: Vec<_> =
        parent.parts().iter().filter(|part| part.kind == Kind::Element).collect();
    assert_eq!(elements[0].key, elements[1].key);
    assert_eq!(elements[0].place(), 2..8);
}

#[test]
fn fields_of_one_record_have_different_keys() {
    let (_, parent) = parent(2, "");
    let numbers: Vec<_> = parent
        .parts()
        .iter()
        .filter(|part| part.kind == Kind::Number)
        .map(|part| part.key)
        .collect();
    assert_eq!(numbers[1], numbers[3]);
    assert_eq!(numbers[2], numbers[4]);
    assert_ne!(numbers[1], numbers[2]);
}

#[test]
fn exchange_takes_a_part_of_the_other_input_and_keeps_the_rest() {
    let ((_, records, _), this) = parent(3, "this");
    let ((_, others, _), other) = parent(9, "other");
    let made = made(Operator::Exchange, &this, &other);
    assert!(made.iter().any(|(_, now, text)| *now == records && text == "other"));
    assert!(made.iter().any(|(_, now, text)| *now == others && text == "this"));
    let one = [records[0], others[8], records[2]];
    assert!(made.iter().any(|(_, now, text)| now[..] == one && text == "this"));
}

#[test]
fn tail_takes_everything_behind_a_part_too() {
    let ((_, records, _), this) = parent(3, "this");
    let ((_, others, _), other) = parent(9, "other");
    let made = made(Operator::Tail, &this, &other);
    let joined = [&records[..1], &others[7..]].concat();
    assert!(made.iter().any(|(_, now, text)| *now == joined && text == "other"));
}

#[test]
fn insert_adds_one_element() {
    let ((_, records, _), this) = parent(2, "this");
    let ((_, others, _), other) = parent(9, "other");
    let made = made(Operator::Insert, &this, &other);
    assert!(made.iter().all(|(_, now, text)| now.len() == 3 && text == "this"));
    assert!(made.iter().any(|(_, now, _)| now[..] == [records[0], others[8], records[1]]));
    assert!(made.iter().any(|(_, now, _)| now[..] == [records[0], records[1], records[1]]));
}

#[test]
fn delete_takes_out_elements_in_a_row() {
    let ((_, records, _), this) = parent(4, "this");
    let made = made(Operator::Delete, &this, &this);
    assert!(made.iter().all(|(_, now, text)| now.len() < 4 && text == "this"));
    let kept = |places: &[usize]| places.iter().map(|at| records[*at]).collect::<Vec<_>>();
    for places in [&[0, 1, 3][..], &[0, 3], &[0]] {
        assert!(made.iter().any(|(_, now, _)| *now == kept(places)), "{places:?}");
    }
}

#[test]
fn swap_exchanges_two_parts_of_one_kind() {
    let ((number, records, text), this) = parent(3, "this");
    let made = made(Operator::Swap, &this, &this);
    assert!(made.iter().any(|(_, now, _)| now[..] == [records[2], records[1], records[0]]));
    let mut fields = records.clone();
    (fields[0].1, fields[2].1) = (records[2].1, records[0].1);
    assert!(made.iter().any(|(_, now, _)| *now == fields));
    assert!(made.iter().all(|(one, _, other)| *one == number && *other == text));
}

#[test]
fn redraw_changes_one_number_and_nothing_else() {
    let ((number, records, text), this) = parent(2, "this");
    let mut all_changed = 0;
    for (one, now, other) in made(Operator::Redraw, &this, &this) {
        let changed = usize::from(one != number)
            + now.iter().zip(&records).filter(|(now, then)| now.0 != then.0).count()
            + now.iter().zip(&records).filter(|(now, then)| now.1 != then.1).count();
        assert!(changed <= 1 && now.len() == 2 && other == text);
        all_changed += changed;
    }
    assert!(all_changed > 4000, "{all_changed}");
}

#[test]
fn constants_become_numbers_and_characters() {
    let (_, this) = parent(2, "this");
    let numbers = made_with(Known(Some(0x1234), None), Operator::Redraw, &this, &this);
    let share = |made: &[Drawn], has: fn(&Drawn) -> bool| {
        100 * made.iter().filter(|drawn| has(drawn)).count() / made.len()
    };
    // Three of the five numbers have room for the constant. The low byte of it fits all.
    let is_put = |(number, records, _): &Drawn| {
        *number == 0x1234 || records.iter().any(|(byte, word)| *byte == 0x34 || *word == 0x1234)
    };
    assert!((20..30).contains(&share(&numbers, is_put)), "{}", share(&numbers, is_put));
    let texts = made_with(Known(Some(0xE9), None), Operator::Characters, &this, &this);
    let is_put = |(_, _, text): &Drawn| text.contains('\u{e9}');
    assert!((10..40).contains(&share(&texts, is_put)), "{}", share(&texts, is_put));
    // Half of a pair of UTF-16 is no character.
    assert!(!made_with(Known(Some(0xD800), None), Operator::Characters, &this, &this).is_empty());
}

#[test]
fn words_are_put_into_texts() {
    let ((number, records, _), this) = parent(2, "this");
    let word = Word::new(b"endfor");
    let made = made_with(Known(None, word), Operator::Characters, &this, &this);
    assert!(made.iter().all(|(one, now, _)| *one == number && *now == records));
    let texts: Vec<&str> = made.iter().map(|(_, _, text)| &text[..]).collect();
    for text in ["endforthis", "thisendfor", "thendforis", "endfor", "tendfor"] {
        assert!(texts.contains(&text), "{text}");
    }
    let share = 100 * texts.iter().filter(|text| text.contains("endfor")).count() / texts.len();
    assert!((25..60).contains(&share), "{share}");
}

#[test]
fn the_fuzzers_own_mutation_stays_inside_one_choice() {
    let ((number, records, _), this) = parent(2, "this");
    let made = made(Operator::Inside, &this, &this);
    assert!(
        made.iter()
            .any(|(one, now, text)| { *one == number && *now == records && text == "uihr+" })
    );
    assert!(
        made.iter().any(|(one, now, text)| {
            *one == number ^ 0x101 && *now == records && text == "this"
        })
    );
}

#[test]
fn the_fuzzers_own_mutation_sees_the_bytes_of_a_list_side_by_side() {
    let run = |bytes: &[u8]| {
        let mut driver = Driver::new();
        driver.start_bytes_recorded(bytes, CHOICES_MAX);
        let drawn = driver.draw((any::<Vec<u8>>(), any::<u8>()));
        driver.finish();
        (drawn, driver.trace().clone())
    };
    let parent = Parent::of(&run(&[1, b'a', 1, 0, 1, b'b', 0, 7]).1).unwrap();
    let mut mutator = Mutator::default();
    let mut all = 0;
    for seed in 0..400 {
        mutator.choose(seed);
        let mut bytewise = |bytes: &mut Vec<u8>, _: usize| {
            if bytes[..] == *b"a\0b" {
                *bytes = b"\0asm".to_vec();
            }
        };
        let lent = Lent { bytewise: &mut bytewise, constants: &mut () };
        let made = mutator.mutate(Operator::Inside, &parent, lent, 100);
        all += usize::from(made.is_some_and(|bytes| run(&bytes).0 == (b"\0asm".to_vec(), 7)));
    }
    assert!(all > 150, "{all}");
}

#[test]
fn an_input_that_is_a_list_of_bytes_is_mutated_as_one() {
    fn mutated<T>(draw: impl FnOnce(&mut Driver) -> T, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut driver = Driver::new();
        driver.start_bytes_recorded(bytes, CHOICES_MAX);
        draw(&mut driver);
        driver.finish();
        let parent = Parent::of(driver.trace()).unwrap();
        parent.mutated_list(bytes, 20, &mut |bytes, _| bytes.push(9))
    }
    let bytes = |driver: &mut Driver| driver.draw(any::<Vec<u8>>());
    assert_eq!(mutated(bytes, &[1, 7, 1, 8, 0]).unwrap(), [1, 7, 1, 8, 1, 9, 0]);
    assert_eq!(mutated(bytes, &[1, 7, 0, 5]).unwrap(), [1, 7, 1, 9, 0], "the rest is not read");
    assert_eq!(mutated(|driver| driver.draw(any::<(Vec<u8>, u8)>()), &[1, 7, 0, 8]), None);
    assert_eq!(mutated(|driver| driver.draw(any::<Vec<u16>>()), &[1, 7, 0, 1, 8, 0, 0]), None);
}

#[test]
fn characters_take_the_place_of_similar_ones_and_of_those_of_other_texts() {
    let ((number, records, _), this) = parent(2, "a1-b2-c3");
    let (_, other) = parent(2, "\u{e9}");
    let made = made(Operator::Characters, &this, &other);
    assert!(made.iter().all(|(one, now, _)| *one == number && *now == records));
    let texts: Vec<&str> = made.iter().map(|(_, _, text)| &text[..]).collect();
    let classes = |text: &str| {
        text.chars()
            .map(|c| (c.is_ascii_digit(), c.is_ascii_lowercase(), c.is_ascii_punctuation()))
            .collect::<Vec<_>>()
    };
    let same_classes = texts.iter().filter(|text| classes(text) == classes("a1-b2-c3")).count();
    assert!((400..2400).contains(&same_classes), "{same_classes}");
    assert!(texts.iter().any(|text| text.contains('\u{e9}') && text.starts_with("a1-")));
    assert!(texts.contains(&"a1-b2"), "a run is removed");
    assert!(texts.contains(&"a1-b2-c3-c3"), "a run is repeated");
}

#[test]
fn a_character_stays_one_character() {
    let draw = |tc: &mut TestCase| (tc.draw(characters()), tc.draw(any::<u8>()));
    let run = |bytes: &[u8]| {
        let mut driver = Driver::new();
        driver.start_bytes_recorded(bytes, CHOICES_MAX);
        let drawn = draw(&mut driver);
        driver.finish();
        (drawn, driver.trace().clone())
    };
    let parent = Parent::of(&run(&[b'a', 7]).1).unwrap();
    let mut mutator = Mutator::default();
    mutator.add(&parent);
    for operator in [Operator::Characters, Operator::Inside] {
        let mut changed = 0;
        for seed in 0..200 {
            mutator.choose(seed);
            let mut bytewise = |bytes: &mut Vec<u8>, _| bytes[0] ^= 1;
            let lent = Lent { bytewise: &mut bytewise, constants: &mut () };
            let made = mutator.mutate(operator, &parent, lent, 100);
            let Some(((character, number), _)) = made.map(|bytes| run(&bytes)) else { continue };
            assert!(character == 'a' || number == 7, "{operator:?} {character} {number}");
            changed += usize::from(character != 'a');
        }
        assert!(changed > 20, "{operator:?}");
    }
}

#[test]
fn a_single_text_has_parts() {
    let mut driver = Driver::new();
    driver.start_bytes_recorded(b"abc", CHOICES_MAX);
    driver.draw(any::<String>());
    driver.finish();
    let parent = Parent::of(driver.trace()).unwrap();
    assert!(parent.parts().iter().any(|part| part.kind == Kind::Text));
}

#[test]
fn an_operator_that_is_off_is_never_chosen() {
    for off in Operator::ALL {
        let mut mutator = Mutator::without(&[off]);
        let chosen: Vec<Arm> = (0..4000).map(|seed| mutator.choose(seed)).collect();
        for operator in Operator::ALL {
            assert_eq!(chosen.contains(&Some(operator)), operator != off, "{off:?} {operator:?}");
        }
    }
}

#[test]
fn an_arm_that_pays_is_chosen_more_often_and_bytes_at_least_every_second_time() {
    let mut mutator = Mutator::default();
    let mut chosen = [0; 2];
    let mut bytes = 0;
    for seed in 0..20_000 {
        let arm: Arm = mutator.choose(seed);
        mutator.learn(arm, arm == Some(Operator::Insert) && seed % 4 == 0);
        if seed > 5_000 {
            chosen[0] += usize::from(arm == Some(Operator::Insert));
            chosen[1] += usize::from(arm == Some(Operator::Swap));
            bytes += usize::from(arm.is_none());
        }
    }
    assert!(bytes * 100 > 15_000 * 47, "{bytes}");
    assert!(chosen[0] > 20 * chosen[1].max(1), "{chosen:?}");
}

#[test]
fn operators_that_do_not_pay_cost_a_tenth_at_most() {
    let mut mutator = Mutator::default();
    let mut operators = 0;
    for seed in 0..60_000 {
        let arm = mutator.choose(seed);
        mutator.learn(arm, arm.is_none() && seed % 50 == 0);
        operators += usize::from(seed >= 20_000 && arm.is_some());
    }
    assert!(operators < 4_000, "{operators} of 40,000");
}

#[test]
fn one_seed_makes_one_mutation() {
    let (_, this) = parent(3, "this");
    let made = |seed| {
        let mut mutator = Mutator::default();
        mutator.add(&this);
        mutator.choose(seed);
        let lent = Lent { bytewise: &mut |_, _| {}, constants: &mut () };
        mutator.mutate(Operator::Exchange, &this, lent, 4096)
    };
    assert!((0..20).all(|seed| made(seed) == made(seed)));
    assert!((0..20).any(|seed| made(seed) != made(seed + 1)));
}

#[test]
fn a_mutation_fits_into_its_room() {
    let (_, this) = parent(9, "this");
    let mut mutator = Mutator::default();
    mutator.add(&this);
    let mut lengths = std::collections::BTreeSet::new();
    for seed in 0..200 {
        mutator.choose(seed);
        let lent = Lent { bytewise: &mut |_, _| {}, constants: &mut () };
        let made = mutator.mutate(Operator::Delete, &this, lent, 20);
        lengths.extend(made.map(|bytes| bytes.len()));
    }
    assert_eq!(lengths.last(), Some(&20));
    assert!(lengths.len() > 1);
}

#[test]
fn raw_inputs_and_runs_of_fewer_than_two_choices_have_no_parts() {
    let mut trace = Trace::default();
    assert!(Parent::of(&trace).is_none());
    let mut driver = Driver::new();
    driver.start_random(1, 100);
    driver.draw(any::<u32>());
    assert!(Parent::of(driver.trace()).is_none());
    driver.draw(any::<u32>());
    assert!(Parent::of(driver.trace()).is_some());
    trace.set_raw_input(vec![1, 2, 3]);
    assert!(Parent::of(&trace).is_none());
}
