//! The examples of "falsify: Internal Shrinking Reimagined for Haskell" (de Vries 2023), sections
//! 4.5, 5 and 6, with what they shrink to here.
//!
//! Its primitive is `prim`, a word that shrinks towards 0.

mod shrink_support;

use std::fmt::Debug;

use dwindle_engine::generators::{self as g, Fun};
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::shrinking::check_shrinking;
use dwindle_engine::internals::{Outcome, Trace};
use dwindle_engine::{Generator, InvalidShrink, TestCase};
use shrink_support::{InProcess, Property, minimal, shrink_from};

fn shrinks_to(property: &Property, minimum: &[&str]) {
    for seed in 0..10 {
        let minimal = minimal(seed, property);
        assert_eq!(minimal.draws, minimum, "seed {seed}");
        assert!(minimal.shrunk.calls < 800, "seed {seed}: {} calls", minimal.shrunk.calls);
    }
}

fn prim() -> impl Generator<Value = u64> + Clone {
    g::integers(..)
}

fn all_equal(list: &[u64]) -> bool {
    list.windows(2).all(|pair| pair[0] == pair[1])
}

#[test]
fn section_4_5_length_and_elements_shrink_in_turn() {
    // do n <- prim; replicateM n prim: from [1, 1, 0] by way of [0, 1, 0] to [0, 1].
    let random_list = || {
        g::integers(0..=20u64).flat_map(|count| {
            g::from_fn(move |tc| (0..count).map(|_| tc.draw_silent(prim())).collect::<Vec<u64>>())
        })
    };
    shrinks_to(&move |tc| all_equal(&tc.draw(random_list())), &["[0, 1]"]);
}

/// Section 4.6: lists of which each length reads another part of the sample tree stay at [0, 1, 0]
/// there. Here choices follow each other, so length and elements go on shrinking in turn.
#[test]
fn section_4_6_generators_that_are_not_uniform_shrink_as_well() {
    let list = || {
        g::one_of((
            g::just(Vec::new()),
            prim().map(|x| vec![x]),
            (prim(), prim()).map(|(x, y)| vec![x, y]),
            ((prim(), prim()), prim()).map(|((x, y), z)| vec![x, y, z]),
        ))
    };
    shrinks_to(&move |tc| all_equal(&tc.draw(list())), &["[0, 1]"]);
}

#[test]
fn section_5_1_booleans_shrink_to_false_and_their_complement_to_true() {
    let bool = || prim().map(|word| word >= u64::MAX / 2);
    shrinks_to(
        &move |tc| {
            tc.draw((bool(), bool().map(|bit| !bit)));
            false
        },
        &["(false, true)"],
    );
    shrinks_to(&move |tc| !tc.draw(bool()), &["true"]);
}

fn fraction() -> impl Generator<Value = f64> {
    prim().map(|word| word as f64 / u64::MAX as f64)
}

/// The invalid shrink that any of some runs finds; the same in all of them that find one.
fn invalid_shrink<G: Generator<Value: Debug>>(
    generator: &G,
    holds: impl Fn(&G::Value, &G::Value) -> bool,
) -> Option<InvalidShrink> {
    let mut found: Vec<Option<InvalidShrink>> = (0..10)
        .map(|seed| {
            check_shrinking(generator, &holds, seed * 1000..(seed + 1) * 1000, 50, 100)
                .err()
                .map(|invalid| *invalid)
        })
        .collect();
    let shown = |invalid: &Option<InvalidShrink>| invalid.as_ref().map(ToString::to_string);
    assert!(
        found.iter().all(|other| shown(other) == shown(&found[0])),
        "{:?}",
        found.iter().map(shown).collect::<Vec<_>>()
    );
    found.remove(0)
}

#[test]
fn section_5_2_a_range_is_compressed_and_not_wrapped_around() {
    // The paper: as the word shrinks from 22 to 21, the value goes from 0 to 10. The first word
    // with such a step is 11.
    let wrong_below = |n: u64| prim().map(move |word| word % (n + 1));
    let invalid =
        invalid_shrink(&wrong_below(10), |before, after| after <= before).expect("it wraps around");
    assert_eq!(
        invalid.to_string(),
        "invalid shrink: 0 ~> 1\n    before: drawn 11\n    after:  drawn 1"
    );
    let below = |n: u64| fraction().map(move |fraction| (fraction * n as f64).round() as u64);
    assert!(invalid_shrink(&below(10), |before, after| after <= before).is_none());
    shrinks_to(&move |tc| tc.draw(below(10)) < 7, &["7"]);
}

#[test]
fn section_5_3_signed_fractions_shrink_towards_0_from_both_sides() {
    let bool = || prim().map(|word| word >= u64::MAX / 2);
    let wrong = move || {
        bool().flat_map(|negative| {
            fraction().map(move |fraction| if negative { -fraction } else { fraction })
        })
    };
    let right = || (fraction(), fraction()).map(|(x, y)| if x <= y { x } else { -y });
    // A step leads nearer to 0, or leaves the value as it is. That a sign is lost is no step to 0.
    #[expect(clippy::float_cmp, reason = "no step at all gives the very same")]
    let nearer = |before: &f64, after: &f64| after.abs() < before.abs() || after == before;
    let invalid =
        invalid_shrink(&wrong(), nearer).expect("it has a bias towards positive fractions");
    assert_eq!(
        (invalid.before.as_str(), invalid.after.as_str()),
        ("-5.421010862427522e-20", "5.421010862427522e-20")
    );
    // The right one changes its sign only where the two fractions meet.
    assert!(invalid_shrink(&right(), |before, after| after.abs() <= before.abs()).is_none());
    // The paper: from 0.4 the wrong one never comes to -0.2.
    let fails = |value: f64| value <= -0.2 || value >= 0.4;
    shrinks_to(&move |tc| !fails(tc.draw(wrong())), &["0.4"]);
    shrinks_to(&move |tc| !fails(tc.draw(right())), &["-0.2"]);
}

#[test]
fn section_6_2_a_value_shrinks_to_one_of_those_named_and_no_further() {
    let shrink_to = |first: u8, others: &'static [u8]| {
        g::just(first)
            .shrink_with(move |value| if *value == first { others } else { &[] }.iter().copied())
    };
    shrinks_to(&move |tc| tc.draw(shrink_to(9, &[5, 2, 7])) > 9, &["5"]);
    shrinks_to(&move |tc| tc.draw(shrink_to(9, &[5, 2, 7])) < 6, &["7"]);
    shrinks_to(&move |tc| tc.draw(shrink_to(9, &[5, 2, 7])) < 8, &["9"]);
}

#[test]
fn section_6_2_a_part_shrinks_to_nothing() {
    let to_nothing = || prim().map(Some).shrink_with(|value| value.map(|_| None));
    shrinks_to(
        &move |tc| tc.draw([to_nothing(), to_nothing()])[0].is_none_or(|word| word < 100),
        &["[Some(100), None]"],
    );
}

#[test]
fn section_6_2_1_shrinking_by_hand() {
    // shrinkWith shrinkWord: all smaller words, the least first. Beside these the word shrinks by
    // itself.
    let word = || prim().shrink_with(|word| 0..*word);
    shrinks_to(&move |tc| tc.draw(word()) < 100, &["100"]);
    shrinks_to(&move |tc| tc.draw(g::just(1000u32).shrink_with(|word| 0..*word)) < 40, &["40"]);
}

#[test]
fn section_6_2_2_a_function_of_lists_is_shown_by_one_entry() {
    // The paper has two results, one entry for either list. Here a result is simpler that belongs
    // to an argument asked earlier.
    shrinks_to(
        &|tc| {
            let f: Fun<Vec<u8>, bool> = tc.draw(g::functions(g::booleans()));
            f(vec![3, 1, 4, 2]) == f(vec![1, 6, 1, 8])
        },
        &["{ [3, 1, 4, 2] => true, _ => false }"],
    );
}

#[test]
fn section_6_2_2_functions_of_words_pairs_and_sums() {
    fn tells_apart<A: Eq + std::hash::Hash + Debug + Send + 'static>(
        tc: &mut TestCase,
        one: A,
        other: A,
    ) -> bool {
        let f: Fun<A, u64> = tc.draw(g::functions(prim()));
        f(one) >= f(other)
    }
    shrinks_to(
        &|tc| tells_apart(tc, (), ()) && tells_apart(tc, 3u8, 4),
        &["{ _ => 0 }", "{ 3 => 0, _ => 1 }"],
    );
    shrinks_to(&|tc| tells_apart(tc, (3u8, true), (3, false)), &["{ (3, true) => 0, _ => 1 }"]);
    shrinks_to(&|tc| tells_apart(tc, Ok::<u8, char>(3), Err('x')), &["{ Ok(3) => 0, _ => 1 }"]);
}

#[test]
fn section_6_3_shrinking_is_tested() {
    // The paper's is 59 ~> 80, from 9025540370474205959 to 4512770185237102980, as it is found.
    // This one is made simpler, too.
    let invalid = invalid_shrink(&prim().map(|word| word % 100), |before, after| before >= after)
        .expect("a remainder grows");
    assert_eq!(
        invalid.to_string(),
        "invalid shrink: 0 ~> 1\n    before: drawn 100\n    after:  drawn 1"
    );
    assert!(invalid_shrink(&prim(), |before, after| before >= after).is_none());
}

/// What is drawn at first fails in about every second case, and nothing that was left by shrinking
/// the second does.
fn first() -> impl Generator<Value = Result<Vec<u8>, u64>> {
    g::vec(g::integers(..)).len(8..=8).map(Ok)
}

fn second() -> impl Generator<Value = Result<Vec<u8>, u64>> {
    prim().map(Err)
}

fn is_fine(value: Result<Vec<u8>, u64>) -> bool {
    value
        .map_or_else(|word| word < 10, |bytes| bytes.iter().filter(|byte| **byte >= 50).count() < 4)
}

/// For starts that use the second generator: whether the first would fail as well, and what they
/// shrink to.
fn from_the_second(property: &Property) -> Vec<(bool, Vec<String>)> {
    let mut all = Vec::new();
    for seed in 0..60 {
        let mut runner = InProcess::new(property);
        let start = runner.find(seed, 1);
        if start.choices[0].is_simplest() {
            continue;
        }
        let mut turned = start.values();
        turned[0] =
            dwindle_engine::internals::choice::Constraint::simplest(&start.choices[0].constraint);
        let fails = matches!(
            runner.run(Candidate::replaying(&turned), start.len(), &mut Trace::default()),
            Outcome::Failed(_)
        );
        let shrunk = shrink_from(&start, &mut runner);
        all.push((fails, runner.draws(&shrunk.best)));
    }
    all
}

#[test]
fn section_6_1_the_first_alternative_is_not_lost_while_the_second_shrinks() {
    let chosen = from_the_second(&|tc| is_fine(tc.draw(g::choose(first(), second()))));
    let both = chosen.iter().filter(|(first_fails, _)| *first_fails);
    assert!(both.clone().count() >= 10, "{}", both.count());
    assert!(
        both.clone().all(|(_, draws)| draws == &["Ok([0, 0, 0, 0, 50, 50, 50, 50])"]),
        "{:?}",
        both.collect::<Vec<_>>()
    );
    // Of one of them the other has only what it leaves.
    let one_of = from_the_second(&|tc| is_fine(tc.draw(g::one_of((first(), second())))));
    assert!(one_of.iter().all(|(_, draws)| draws == &["Err(10)"]), "{one_of:?}");
}

/// Not only at the start: that the first fails may depend on what shrinks later.
#[test]
fn section_6_1_an_alternative_goes_on_where_it_was() {
    let starts = from_the_second(&|tc| {
        let value = tc.draw(g::choose(first(), second()));
        let allowed = tc.draw(prim());
        // As long as the last word is large, only the second fails.
        is_fine(value.clone()) || value.is_ok() && allowed > 1000
    });
    let firsts =
        starts.iter().filter(|(_, draws)| draws[0] == "Ok([0, 0, 0, 0, 50, 50, 50, 50])").count();
    assert!(
        starts.iter().any(|(first_fails, _)| !first_fails) && firsts * 3 > starts.len(),
        "{firsts} of {}: {starts:?}",
        starts.len()
    );
}

#[test]
fn section_6_1_elements_are_dropped_from_anywhere() {
    let list = || {
        Generator::map(
            [0; 5].map(|_| g::choose(g::just(None), prim().map(Some))),
            |optional: [Option<u64>; 5]| optional.into_iter().flatten().collect::<Vec<u64>>(),
        )
    };
    shrinks_to(&move |tc| all_equal(&tc.draw(list())), &["[0, 1]"]);
}
