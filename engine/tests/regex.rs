//! `from_regex`: every text matches, whatever it was drawn from, and shrinks to what one would
//! write down.

mod drawn;
mod shrink_support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use drawn::draw;
use dwindle_engine::generators as g;
use dwindle_engine::internals::{CHOICES_MAX, Driver, codec::encode};
use dwindle_engine::{Generator, TestCase};
use regex::Regex;
use shrink_support::minimal;

/// Expressions, each with its simplest text.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("", ""),
    ("abc", "abc"),
    ("[a-z]{3,}[0-9]+", "aaa0"),
    ("[a-z]", "a"),
    ("[^0-9A-Za-z]", " "),
    ("[b-d]?", ""),
    (".", "0"),
    ("(?s).", "0"),
    (".*", ""),
    (".+x", "0x"),
    (r"\d{4}-\d{2}-\d{2}", "0000-00-00"),
    (r"(?-u)\d{4}", "0000"),
    (r"(?-u:[a-f]+)é", "aé"),
    (r"\w+@\w+\.(com|org|net)", "0@0.com"),
    (r"\s+", " "),
    (r"\p{Greek}{2}", "ͰͰ"),
    (r"[\p{L}&&[^a-zA-Z]]", "ª"),
    ("(?i)straße", "STRAßE"),
    ("(?i)k+", "K"),
    ("foo|b|", "foo"),
    ("(?:|ab)c", "c"),
    ("(?:ab)*", ""),
    ("(?:ab|c){2,3}", "abab"),
    ("(?:(?:x[0-9]|y)+;){2}", "x0;x0;"),
    ("((a*)*)*b", "b"),
    ("(?:,(?:red|green|blue))*", ""),
    ("(?:,(?:red|green|blue)){1,4}", ",red"),
    ("a{0}b", "b"),
    ("x{5}", "xxxxx"),
    ("^abc$", "abc"),
    (r"\Aabc\z", "abc"),
    ("^(?:a|^b)$", "a"),
    (r"(?m)^a$", "a"),
    (r"(?m)^a\n^b$", "a\nb"),
    (r"(?mR)^a$", "a"),
    (r"\bfoo\b", "foo"),
    (r"\b\w+\b", "0"),
    (r"(?:\w+ )*\b\w+", "0"),
    (r"\w+\b[ ,]\b\w+", "0 0"),
    (r"[ ]\B[,]", " ,"),
    (r"(?-u:\b)[a-z](?-u:\B)[0-9]", "a0"),
    (r"\b{start}[a-z]+\b{end}", "a"),
    (r"é\b ", "é "),
    (r"(?-u:\B)é(?-u:\B)", "é"),
    (r"(?x) a \  b # with a comment", "a b"),
    (r"[\u{1F600}-\u{1F64F}]+", "😀"),
    (r"(?U)a+b*", "a"),
    ("(?P<year>[0-9]{4})(?:-(?P<month>0[1-9]|1[0-2]))?", "0000"),
    (r#""(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*""#, r#""""#),
    (r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", "0"),
    (
        concat!(
            r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}",
            r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
        ),
        "250.250.250.250",
    ),
];

fn whole(expression: &str) -> Regex {
    // A comment of the expression's ends with its line.
    let line = if expression.starts_with("(?x)") { "\n" } else { "" };
    Regex::new(&format!(r"\A(?:{expression}{line})\z")).expect("it is one")
}

#[test]
fn every_text_is_matched_from_random_choices_and_from_any_bytes() {
    let mut tc = Driver::new();
    let mut rng = fastrand::Rng::with_seed(3);
    for (expression, _) in EXPRESSIONS {
        let (generator, regex) = (g::from_regex(expression), whole(expression));
        let mut came = 0;
        for seed in 0..300 {
            match seed % 3 {
                0 => {
                    let input: Vec<u8> = (0..rng.usize(..60)).map(|_| rng.u8(..)).collect();
                    tc.start_bytes(&input, CHOICES_MAX);
                }
                1 => {
                    let input: Vec<u8> = (0..rng.usize(..60)).map(|_| rng.u8(b' '..0x80)).collect();
                    tc.start_bytes(&input, CHOICES_MAX);
                }
                _ => tc.start_random(seed, CHOICES_MAX),
            }
            let Ok(text) = draw(&mut tc, &generator) else { continue };
            assert!(regex.is_match(&text), "{expression} does not match {text:?}");
            came += 1;
            if seed % 3 == 2 {
                let bytes = encode(&tc.trace().choices);
                tc.start_bytes(&bytes, CHOICES_MAX);
                assert_eq!(
                    draw(&mut tc, &generator).as_ref(),
                    Ok(&text),
                    "{expression} from its own bytes"
                );
            }
        }
        assert!(came > 290, "{expression} made {came} texts of 300");
    }
}

#[test]
fn zeros_make_the_simplest_text() {
    let mut tc = Driver::new();
    for (expression, simplest) in EXPRESSIONS {
        let generator = g::from_regex(expression);
        for zeros in [0, 1, 100] {
            tc.start_bytes(&vec![0; zeros], CHOICES_MAX);
            if zeros == 0 {
                assert_eq!(draw(&mut tc, &generator).as_deref(), Ok(*simplest), "{expression}");
            } else {
                // A zero byte is a character too, where the alphabet holds it or reads it as
                // another.
                assert!(
                    whole(expression).is_match(&draw(&mut tc, &generator).expect("few choices")),
                    "{expression}"
                );
            }
        }
    }
}

/// What a property over texts of `expression` shrinks to, from each of ten seeds.
#[track_caller]
fn shrinks_to(expression: &'static str, simplest: &str, calls_max: u64, holds: fn(&str) -> bool) {
    let generator = g::from_regex(expression);
    let regex = whole(expression);
    let property = move |tc: &mut TestCase| {
        let text = tc.draw(&generator);
        assert!(regex.is_match(&text), "{expression} does not match {text:?}");
        holds(&text)
    };
    for seed in 0..10 {
        let minimal = minimal(seed, &property);
        assert_eq!(minimal.draws, [format!("{simplest:?}")], "{expression} from seed {seed}");
        assert!(
            minimal.shrunk.calls <= calls_max,
            "{expression} took {} calls from seed {seed}",
            minimal.shrunk.calls
        );
    }
}

#[test]
fn texts_shrink_to_their_minima() {
    shrinks_to("[a-z]{3,}[0-9]+", "aaa0", 40, |_| false);
    shrinks_to("[a-z]{3,}[0-9]+", "aaa0000", 80, |text| text.len() < 7);
    shrinks_to("[a-z]{3,}[0-9]+", "aaa7", 80, |text| !text.contains('7'));
    shrinks_to(r"\w+@\w+\.(com|org|net)", "0@0.org", 80, |text| !text.ends_with("org"));
    shrinks_to("(?:,(?:red|green|blue))*", ",blue", 80, |text| !text.contains("blue"));
    shrinks_to("(?:,(?:red|green|blue))*", ",blue,green", 60, |text| {
        text.find("blue") >= text.rfind("green") || !text.contains("blue")
    });
    shrinks_to("(?:(?:x[0-9]|y)+;)*", "yy;", 60, |text| !text.contains("yy"));
    shrinks_to(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", "0e-0", 110, |text| {
        !text.contains("e-")
    });
    shrinks_to(
        r#""(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*""#,
        r#""\u0000""#,
        60,
        |text| !text.contains("\\u"),
    );
    shrinks_to("[0-9]{4}-[0-9]{2}-[0-9]{2}", "0000-00-31", 80, |text| !text.ends_with("31"));
    shrinks_to(r"(?:\w+ )*\b\w+", "0 0 0", 60, |text| text.split(' ').count() < 3);
}

fn refusal(expression: &str) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(|| g::from_regex(expression))) else {
        panic!("{expression} was not refused")
    };
    payload.downcast_ref::<String>().cloned().expect("panics carry text")
}

#[test]
fn what_no_text_can_be_made_of_is_refused_with_what_to_do() {
    for (expression, says) in [
        (
            "(",
            "from_regex cannot make texts of \"(\": it is no regular expression as the crate \
             regex reads them",
        ),
        ("(?=a)b", "look-around and back references are none; draw such texts in parts"),
        (r"(a)\1", "look-around and back references are none; draw such texts in parts"),
        (r"\p{Nonsense}", "or that needs a feature of the crate `regex-syntax`"),
        (
            r"a[^\s\S]",
            "nothing matches one of its classes: leave that class out, or let it hold a character",
        ),
        (
            r"a^b",
            "something can stand in front of a `^`: let it begin the expression; or draw more than \
             it asks for and `filter`",
        ),
        (r"(?:^a)*", "something can stand in front of a `^`"),
        (r"a$b", "something can stand behind a `$`: let it end the expression"),
        (r"(?m)a*^b", "something can stand in front of a `^`"),
        (r"\b", "what stands beside a word boundary does not always keep to it"),
        (r".\b.", "what stands beside a word boundary does not always keep to it"),
        (r"a\bb", "what stands beside a word boundary does not always keep to it"),
        (r"é(?-u:\b)é", "what stands beside a word boundary does not always keep to it"),
        (r"\w\B", "what stands beside a word boundary does not always keep to it"),
    ] {
        let message = refusal(expression);
        assert!(message.contains(says), "{expression}: {message}");
    }
}

#[test]
fn repetitions_of_alternatives_choose_with_one_byte_an_element() {
    let list = g::from_regex("(?:,(?:red|green|blue))*");
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[2, 3, 1, 0], 100);
    assert_eq!(list.generate(&mut tc), ",green,blue,red");
    assert_eq!(tc.trace().len(), 4);
    let words = g::vec(g::from_regex("push [0-9]+|pop"));
    tc.start_bytes(b"\x02\x0142\xFF\x00", 100);
    assert_eq!(tc.draw(words), ["pop", "push 42"]);
}

#[test]
fn every_span_that_is_opened_is_closed() {
    let mut tc = Driver::new();
    for (expression, _) in EXPRESSIONS {
        for seed in 0..20 {
            tc.start_random(seed, CHOICES_MAX);
            g::from_regex(expression).generate(&mut tc);
            assert!(tc.trace().open_spans().is_empty(), "{expression} from seed {seed}");
        }
    }
}

#[test]
fn expressions_are_kept_apart_however_many_there_are() {
    let mut tc = Driver::new();
    for round in 0..3 {
        for number in 0..200 {
            let expression = format!("{number}[a-{}]", ['x', 'y', 'z'][round]);
            tc.start_bytes(b"z", 10);
            assert_eq!(
                tc.draw(g::from_regex(&expression)),
                format!("{number}{}", ['c', 'w', 'z'][round]),
                "{expression}"
            );
        }
    }
}

#[test]
fn random_texts_of_large_classes_are_mostly_of_ascii() {
    let words = g::from_regex(r"\w{8}");
    let mut tc = Driver::new();
    let ascii = (0..400).filter(|seed| {
        tc.start_random(*seed, 100);
        draw(&mut tc, &words).is_ok_and(|text| text.chars().filter(char::is_ascii).count() >= 6)
    });
    let ascii = ascii.count();
    assert!((250..400).contains(&ascii), "{ascii} of 400");
}
