//! What every generator promises of its values, and of the spans around them.

mod drawn;
mod schema;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use drawn::values;
use dwindle_engine::generators as g;
use dwindle_engine::internals::{
    CHOICES_MAX, DEPTH_MAX, Driver, Label, Outcome, Span, TranscriptEvent, execute, misuse,
};
use dwindle_engine::{Generator, TestCase, any};

/// Every value fits, and every test case has one.
#[track_caller]
fn always<G: Generator>(generator: &G, fits: impl Fn(&G::Value) -> bool) {
    assert_eq!(values(generator, 400, |value| assert!(fits(&value))), 400);
}

#[test]
fn numbers_lie_in_their_range() {
    always(&g::integers(-5i8..5), |value| (-5..5).contains(value));
    always(&g::integers(1000u64..), |value| *value >= 1000);
    always(&g::integers(..=-7i128), |value| *value <= -7);
    always(&g::floats(-0.5f32..0.5), |value| (-0.5..0.5).contains(value));
    always(&g::floats(1e300f64..), |value| *value >= 1e300);
    always(&g::weighted_booleans(0.0), |value| !value);
    always(&g::weighted_booleans(1.0), |value| *value);
}

#[test]
fn every_number_of_a_small_range_comes_up() {
    let mut seen = HashSet::new();
    values(&g::integers(-3i32..=3), 400, |value| {
        seen.insert(value);
    });
    assert_eq!(seen.len(), 7);
    let mut seen = HashSet::new();
    values(&g::booleans(), 400, |value| {
        seen.insert(value);
    });
    assert_eq!(seen.len(), 2);
}

#[test]
fn sizes_lie_in_their_range() {
    always(&g::vec(any::<u8>()).len(2..5), |list| (2..5).contains(&list.len()));
    always(&g::vec(any::<Option<u8>>()).len(3..=3), |list| list.len() == 3);
    always(&g::bytes().len(1..=4), |bytes| (1..=4).contains(&bytes.len()));
    always(&g::text().len(2..=4), |text| (2..=4).contains(&text.chars().count()));
    always(&g::text().len(..9).alphabet("aé\u{10FFFF}"), |text| {
        text.chars().count() < 9 && text.chars().all(|c| "aé\u{10FFFF}".contains(c))
    });
    always(&g::characters().range('α', 'ω'), |c| ('α'..='ω').contains(c));
    always(&g::characters().alphabet("+-"), |c| "+-".contains(*c));
}

#[test]
fn sets_and_maps_have_distinct_keys_and_their_sizes_or_are_rejected() {
    let sizes = |size: usize| assert!((2..=6).contains(&size));
    assert!(
        values(&g::btree_set(any::<u16>()).len(2..=6), 400, |set: BTreeSet<u16>| sizes(set.len()))
            > 150
    );
    assert!(
        values(&g::hash_set(any::<u16>()).len(2..=6), 400, |set: HashSet<u16>| sizes(set.len()))
            > 150
    );
    assert!(
        values(
            &g::btree_map(any::<u16>(), any::<bool>()).len(2..=6),
            400,
            |map: BTreeMap<u16, bool>| sizes(map.len())
        ) > 150
    );
    assert!(
        values(
            &g::hash_map(any::<u16>(), any::<bool>()).len(2..=6),
            400,
            |map: HashMap<u16, bool>| {
                sizes(map.len());
            }
        ) > 150
    );
    assert_eq!(values(&g::btree_set(g::booleans()).len(3..), 400, |_| ()), 0);
}

#[test]
fn generators_of_the_standard_library_are_total() {
    let total = |tc: &mut TestCase| {
        tc.draw(any::<(std::num::NonZeroU8, std::num::NonZeroI64, std::num::NonZeroU128)>());
        tc.draw(any::<(Duration, Box<str>, Box<[u8]>, ())>());
        tc.draw(any::<(std::rc::Rc<u8>, std::sync::Arc<char>)>());
        drop(tc.draw(any::<(
            std::collections::VecDeque<bool>,
            Result<u8, String>,
            Option<Box<i128>>,
            [f32; 3],
            (f64,),
        )>()));
        tc.draw(any::<(
            BTreeSet<u8>,
            BTreeMap<u8, u8>,
            HashSet<u8>,
            HashMap<char, u8>,
            std::marker::PhantomData<str>,
        )>());
    };
    let mut tc = Driver::new();
    for seed in 0..200 {
        tc.start_random(seed, CHOICES_MAX);
        assert!(matches!(execute(&mut tc, total), Outcome::Passed));
    }
    tc.start_bytes(&[], CHOICES_MAX);
    assert!(matches!(execute(&mut tc, total), Outcome::Passed), "the empty input is a test case");
    assert_eq!(std::num::NonZeroI8::MIN.get(), i8::MIN);
    tc.start_bytes(&[0, 0x80, 0, 5], CHOICES_MAX);
    assert_eq!(
        tc.draw(any::<[std::num::NonZeroI8; 4]>()).map(std::num::NonZeroI8::get),
        [1, -128, 1, 5]
    );
}

/// What the panic that `function` makes says of wrong use.
fn misuse_of<T>(function: impl FnOnce() -> T) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(function)) else { panic!("it did not panic") };
    let message = payload.downcast_ref::<String>().expect("the message is formatted");
    misuse::of(message).unwrap_or_else(|| panic!("not marked as wrong use: {message}")).to_owned()
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
fn what_has_no_values_is_refused_when_the_generator_is_made() {
    assert_eq!(
        misuse_of(|| g::integers(5..5)),
        "the range Included(5) to Excluded(5) holds no integer: its end must lie above its start, \
         or on it with `..=`"
    );
    assert_eq!(
        misuse_of(|| g::integers(..0u8)),
        "the range Unbounded to Excluded(0) holds no integer: its end must lie above its start, or \
         on it with `..=`"
    );
    assert_eq!(
        misuse_of(|| g::floats(1.0..1.0)),
        "the range Included(1.0) to Excluded(1.0) holds no float: its end must lie above its \
         start, or on it with `..=`, and NaN is no end (`..` alone holds NaN)"
    );
    assert_eq!(
        misuse_of(|| g::floats(f64::NAN..)),
        "the range Included(NaN) to Unbounded holds no float: its end must lie above its start, or \
         on it with `..=`, and NaN is no end (`..` alone holds NaN)"
    );
    assert_eq!(
        misuse_of(|| g::floats(..=f32::NAN)),
        "the range Unbounded to Included(NaN) holds no float: its end must lie above its start, or \
         on it with `..=`, and NaN is no end (`..` alone holds NaN)"
    );
    assert_eq!(
        misuse_of(|| g::floats(..f64::NEG_INFINITY)),
        "the range Unbounded to Excluded(-inf) holds no float: its end must lie above its start, \
         or on it with `..=`, and NaN is no end (`..` alone holds NaN)"
    );
    assert_eq!(
        misuse_of(|| g::vec(any::<u8>()).len(3..=2)),
        "the range Included(3) to Included(2) holds no length: its end must lie above its start, \
         or on it with `..=`"
    );
    assert_eq!(
        misuse_of(|| g::bytes().len(..0)),
        "the range Unbounded to Excluded(0) holds no length: its end must lie above its start, or \
         on it with `..=`"
    );
    assert_eq!(
        misuse_of(|| g::text().len(4..4)),
        "the range Included(4) to Excluded(4) holds no length: its end must lie above its start, \
         or on it with `..=`"
    );
    assert_eq!(misuse_of(|| g::text().alphabet("")), "an alphabet needs at least one character");
    assert_eq!(
        misuse_of(|| g::characters().range('b', 'a')),
        "an alphabet needs at least one character"
    );
    assert_eq!(misuse_of(|| g::sampled_from([0u8; 0])), "sampled_from needs at least one value");
    assert_eq!(
        misuse_of(|| g::one_of(Vec::<g::Boxed<u8>>::new())),
        "one_of needs at least one generator"
    );
    assert_eq!(
        misuse_of(|| g::weighted_booleans(1.5)),
        "a probability must lie in 0.0..=1.0, and 1.5 does not"
    );
    assert_eq!(
        misuse_of(|| g::weighted_booleans(f64::NAN)),
        "a probability must lie in 0.0..=1.0, and NaN does not"
    );
}

#[test]
fn one_of_makes_what_one_of_them_makes() {
    let mut seen = HashSet::new();
    let mixed = g::one_of((
        g::just(1),
        g::integers(10..20),
        g::one_of(vec![g::just(30).boxed(), g::integers(40..50).boxed()]),
    ));
    values(&mixed, 400, |value| {
        seen.insert(value / 10);
    });
    assert_eq!(seen, HashSet::from([0, 1, 3, 4]));
    let mut tc = Driver::new();
    tc.start_bytes(&[], 10);
    assert_eq!(tc.draw(&mixed), 1);
}

#[test]
fn filters_keep_their_word_and_reject_after_three_attempts() {
    assert!(
        values(&any::<u8>().filter(|value| value % 2 == 0), 400, |value| assert_eq!(value % 2, 0))
            > 300
    );
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[9; 10], 100);
    let ended = execute(&mut tc, |tc| {
        tc.draw(any::<u8>().filter(|_| false));
    });
    assert!(matches!(ended, Outcome::Rejected));
    let attempts: Vec<_> = tc
        .trace()
        .spans
        .iter()
        .filter(|span| span.label == Label::ATTEMPT)
        .map(|span| (span.range(), span.discarded))
        .collect();
    assert_eq!(attempts, [(0..1, true), (1..2, true), (2..3, true)]);
}

#[test]
fn maps_and_flat_maps_pass_choices_on() {
    let pairs =
        g::integers(1usize..4).flat_map(|size| g::vec(any::<u8>().map(u32::from)).len(size..=size));
    always(&pairs, |list| (1..4).contains(&list.len()) && list.iter().all(|value| *value < 256));
}

#[derive(Clone, Debug)]
enum Tree {
    Leaf,
    Branch(Vec<Tree>),
}

fn depth(tree: &Tree) -> usize {
    match tree {
        Tree::Leaf => 0,
        Tree::Branch(below) => 1 + below.iter().map(depth).max().unwrap_or(0),
    }
}

#[test]
fn recursive_values_are_at_most_so_deep() {
    let trees = g::recursive(g::just(Tree::Leaf), |inner| g::vec(inner).map(Tree::Branch));
    assert!(values(&trees, 400, |tree| assert!(depth(&tree) <= DEPTH_MAX)) > 350);
    let mut tc = Driver::new();
    tc.start_bytes(&[&[1][..], &[2; 1000]].concat(), CHOICES_MAX);
    let deepest = execute(&mut tc, |tc| assert_eq!(depth(&trees.generate(tc)), DEPTH_MAX));
    assert!(matches!(deepest, Outcome::Passed));
}

fn check_nesting(spans: &[Span], choices: usize) {
    for (index, span) in spans.iter().enumerate() {
        assert!(span.start <= span.end && span.end as usize <= choices);
        if let Some(parent) = span.parent {
            let around = spans[parent as usize];
            assert!(
                (parent as usize) < index && around.start <= span.start && span.end <= around.end,
                "{span:?} in {around:?}"
            );
        }
        for later in spans[index + 1..].iter().filter(|later| later.parent == span.parent) {
            assert!(span.end <= later.start, "{span:?} before {later:?}");
        }
    }
}

#[test]
fn spans_nest_even_where_the_run_was_stopped() {
    let mut tc = Driver::new();
    for seed in 0..500 {
        let draws = schema::any(&mut fastrand::Rng::with_seed(seed));
        tc.start_random(seed, 40);
        execute(&mut tc, |tc| {
            schema::run(&draws, tc);
            tc.draw(any::<(Vec<Option<u8>>, BTreeMap<bool, Vec<u8>>)>());
            tc.draw(any::<u8>().filter(|value| *value < 200));
        });
        assert!(tc.trace().len() <= 40);
        check_nesting(&tc.trace().spans, tc.trace().len());
    }
}

#[test]
fn each_element_lies_in_one_span_with_its_continue_choice() {
    let elements = |input: &[u8], draw: &dyn Fn(&mut TestCase)| -> Vec<std::ops::Range<usize>> {
        let mut tc = Driver::new();
        tc.start_bytes_recorded(input, 100);
        draw(&mut tc);
        tc.finish();
        check_nesting(&tc.trace().spans, tc.trace().len());
        tc.trace()
            .spans
            .iter()
            .filter(|span| span.label == Label::ELEMENT)
            .map(Span::range)
            .collect()
    };
    // Continue, two fields; a stop at the end belongs to no element.
    assert_eq!(
        elements(&[1, 5, 6, 1, 7, 8, 0], &|tc| drop(tc.draw(any::<Vec<(u8, u8)>>()))),
        [0..3, 3..6]
    );
    // Fused: the continue choice is the alternative.
    assert_eq!(
        elements(&[1, 2, 8, 0], &|tc| drop(tc.draw(any::<Vec<Option<u8>>>()))),
        [0..1, 1..3]
    );
    assert_eq!(
        elements(&[1, 2], &|tc| drop(tc.draw(g::vec(any::<u8>()).len(2..=2)))),
        [0..1, 1..2]
    );
    // A key drawn twice is drawn again inside the element.
    assert_eq!(
        elements(&[1, 5, 50, 1, 5, 6, 60, 0], &|tc| drop(tc.draw(any::<BTreeMap<u8, u8>>()))),
        [0..3, 3..7]
    );
}

#[test]
fn more_choices_than_allowed_are_an_overrun() {
    let mut tc = Driver::new();
    let ten = |tc: &mut TestCase| {
        tc.draw(any::<[u8; 10]>());
    };
    for (choices_max, enough) in [(0, false), (9, false), (10, true)] {
        tc.start_bytes(&[], choices_max);
        assert_eq!(matches!(execute(&mut tc, ten), Outcome::Passed), enough);
        tc.start_random(1, choices_max);
        assert_eq!(matches!(execute(&mut tc, ten), Outcome::Overrun), !enough);
        assert_eq!(tc.trace().len(), choices_max);
    }
    tc.start_bytes(&[1; 1000], 20);
    assert!(matches!(execute(&mut tc, |tc| drop(tc.draw(any::<Vec<u8>>()))), Outcome::Overrun));
}

#[test]
fn a_target_that_catches_the_unwinding_ends_as_it_was_stopped() {
    let caught = |tc: &mut TestCase, stop: fn(&mut TestCase)| {
        catch_unwind(AssertUnwindSafe(|| stop(tc))).is_err()
    };
    let mut tc = Driver::new();
    tc.start_bytes(&[], 100);
    let rejected = execute(&mut tc, |tc| assert!(caught(tc, |tc| tc.assume(false))));
    assert!(matches!(rejected, Outcome::Rejected));
    tc.start_bytes(&[], 1);
    let overrun = execute(&mut tc, |tc| {
        assert!(caught(tc, |tc| {
            tc.draw(any::<[u8; 2]>());
        }));
        assert!(
            caught(tc, |tc| {
                tc.draw(any::<u8>());
            }),
            "nothing can be drawn any more"
        );
        assert!(caught(tc, |tc| tc.reject()));
        panic!("whatever it does then");
    });
    assert!(matches!(overrun, Outcome::Overrun));
    tc.start_bytes(&[], 1);
    assert!(
        matches!(
            execute(&mut tc, |tc| {
                tc.draw(any::<u8>());
            }),
            Outcome::Passed
        ),
        "the next start is a fresh one"
    );
}

#[test]
fn one_seed_gives_one_sequence() {
    let mut tc = Driver::new();
    let mut other = Driver::new();
    let mut distinct = HashSet::new();
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(7);
        let draws = [schema::any(&mut rng), schema::flat(&mut rng)].concat();
        tc.start_random(seed, CHOICES_MAX);
        other.start_random(seed, CHOICES_MAX);
        let values = schema::run(&draws, &mut tc);
        assert_eq!(values, schema::run(&draws, &mut other));
        assert_eq!(tc.trace().choices, other.trace().choices);
        distinct.insert(values);
    }
    assert!(distinct.len() > 190, "seeds differ: {}", distinct.len());
}

/// A test case, and what it tells of itself.
fn listening() -> (Driver, std::sync::Arc<std::sync::Mutex<Vec<String>>>) {
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut tc = Driver::new();
    let writer = std::sync::Arc::clone(&heard);
    tc.listen(Some(Box::new(move |said| {
        let line = match said {
            TranscriptEvent::Draw(value) => format!("{value:?}"),
            TranscriptEvent::Note(note) => format!("# {note}"),
            TranscriptEvent::Name(name) => format!("{name} ="),
            TranscriptEvent::Line => "line".to_owned(),
            TranscriptEvent::Completed(draw, value) => format!("{draw}: {value:?}"),
        };
        writer.lock().expect("nobody panicked").push(line);
    })));
    (tc, heard)
}

#[test]
fn listeners_hear_the_draws_of_the_target_and_not_those_inside() {
    let (mut tc, heard) = listening();
    tc.start_bytes(&[1, 7, 0, 9], 100);
    tc.draw(g::from_fn(|tc| tc.draw(any::<Vec<u8>>())));
    tc.note("between");
    tc.draw_silent(any::<u8>());
    tc.draw(any::<u8>());
    tc.bug_key("key");
    assert_eq!(
        (tc.current_bug_key(), &heard.lock().expect("nobody panicked")[..]),
        ("key", &["[7]".to_owned(), "# between".into(), "0".into()][..])
    );
}

#[test]
fn a_draw_with_a_name_is_the_same_draw_and_its_name_is_told_before_it() {
    let (mut tc, heard) = listening();
    tc.start_bytes(&[7, 9], 100);
    assert_eq!(
        (
            tc.draw_named("small", any::<u8>()),
            tc.draw_named("inside", g::from_fn(|tc| tc.draw_named("hidden", any::<u8>())))
        ),
        (7, 9)
    );
    assert_eq!(heard.lock().expect("nobody panicked")[..], ["small =", "7", "inside =", "9"]);
}
