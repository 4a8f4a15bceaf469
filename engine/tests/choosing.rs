//! Weighted alternatives, some of given values, given values in another order, vectors without
//! equal elements.

mod drawn;
mod shrink_support;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use drawn::values;
use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::{CHOICES_MAX, Driver, Outcome, Rejection, execute, misuse};
use dwindle_engine::{Generator, TestCase, any};
use shrink_support::minimal;

/// What the first failure of `property` shrinks to, from each of ten seeds.
#[track_caller]
fn shrinks_to(
    minimum: &[&str],
    calls_max: u64,
    property: impl Fn(&mut TestCase) -> bool + 'static,
) {
    for seed in 0..10 {
        let minimal = minimal(seed, &property);
        assert_eq!(minimal.draws, minimum, "from seed {seed}");
        assert!(
            minimal.shrunk.calls <= calls_max,
            "{} calls from seed {seed}",
            minimal.shrunk.calls
        );
    }
}

fn misuse_of<T>(function: impl FnOnce() -> T) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(function)) else { panic!("it did not panic") };
    let message = payload.downcast_ref::<String>().expect("the message is formatted");
    misuse::of(message).unwrap_or_else(|| panic!("not marked as wrong use: {message}")).to_owned()
}

#[test]
fn alternatives_come_as_often_as_their_weights_say() {
    let weighted = g::one_of((g::just(0), g::just(1), g::just(2))).weights([10, 20, 70]);
    let mut tc = Driver::new();
    let mut counts = [0; 3];
    for place in 0..10 {
        tc.start_bytes(&[place], 10);
        counts[tc.draw(&weighted)] += 1;
    }
    assert_eq!(counts, [1, 2, 7]);
    let mut counts = [0; 3];
    for seed in 0..10_000 {
        tc.start_random(seed, 10);
        counts[tc.draw(&weighted)] += 1;
    }
    assert!((850..1150).contains(&counts[0]) && (1800..2200).contains(&counts[1]), "{counts:?}");
}

#[test]
fn weights_do_not_change_what_is_simplest() {
    let seldom_first =
        || g::one_of((g::just(0), g::integers(10..20), g::just(2))).weights([1, 3, 12]);
    shrinks_to(&["0"], 20, move |tc| {
        tc.draw(seldom_first());
        false
    });
    shrinks_to(&["10"], 20, move |tc| tc.draw(seldom_first()) < 5);
    let many = || g::one_of([0u8, 1, 2, 3, 4, 5, 6].map(g::just)).weights([9, 8, 6, 4, 7, 9, 9]);
    shrinks_to(&["3"], 20, move |tc| !matches!(tc.draw(many()), 3 | 6));
    shrinks_to(&["[10, 2]"], 130, move |tc| {
        let list = tc.draw(g::vec(seldom_first()));
        list.windows(2).all(|pair| pair[0] < 5 || pair[1] != 2)
    });
}

#[test]
fn collections_choose_weighted_alternatives_with_one_byte_an_element() {
    let list = g::vec(g::one_of([g::just('a'), g::just('b')]).weights(vec![3, 1]));
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[3, 4, 1, 5, 0], 100);
    assert_eq!(tc.draw(list), ['a', 'b', 'a', 'a']);
    assert_eq!(tc.trace().values(), [1, 2, 1, 1, 0].map(Value::Integer));
    assert_eq!(encode(&tc.trace().choices), [1, 4, 1, 1, 0]);
}

#[test]
fn each_alternative_has_one_value_however_often_it_is_drawn() {
    // More than 256 places take two bytes.
    let weighted = || g::one_of(["a", "b", "c"].map(g::just)).weights([100, 400, 1]);
    for place in 0..501u16 {
        let mut tc = Driver::new();
        tc.start_bytes_recorded(&place.to_le_bytes(), 100);
        let drawn = tc.draw(weighted());
        let (index, first) = match place {
            0..100 => (0, 0u16),
            100..500 => (1, 100),
            _ => (2, 500),
        };
        assert_eq!(drawn, ["a", "b", "c"][index]);
        assert_eq!(tc.trace().values(), [Value::Integer(index as i128)]);
        assert_eq!(encode(&tc.trace().choices), first.to_le_bytes());
    }
}

#[test]
fn weights_that_are_drawn_still_weigh() {
    let mut tc = Driver::new();
    let mut counts = [0; 2];
    // More different weights than a thread keeps.
    for seed in 0..3000 {
        tc.start_random(seed, 100);
        let often = tc.draw(g::integers(1000..5900u32));
        counts[tc.draw(g::one_of([0, 1].map(g::just)).weights([often, 10 * often + 1]))] += 1;
    }
    assert!((150..500).contains(&counts[0]), "{counts:?}");
}

#[test]
fn subsequences_keep_the_order_and_take_each_value_once() {
    let digits: Vec<u8> = (0..10).collect();
    let some = g::subsequence(&digits[..]);
    let mut sizes = HashSet::new();
    let mut seen = HashSet::new();
    values(&some, 1000, |list| {
        assert!(list.is_sorted_by(|a, b| a < b), "{list:?}");
        sizes.insert(list.len());
        seen.extend(list);
    });
    assert_eq!((sizes.len(), seen.len()), (11, 10), "every size and every value comes up");
    let few = g::subsequence(&digits[..]).len(3..=5);
    assert_eq!(values(&few, 1000, |list| assert!((3..=5).contains(&list.len()))), 1000);
    let all = g::subsequence(&digits[..]).len(10..);
    assert_eq!(values(&all, 1000, |list| assert_eq!(list, digits)), 1000);
    assert_eq!(values(&g::subsequence([(); 0]), 1000, |list| assert!(list.is_empty())), 1000);
    let many: Vec<u16> = (0..3000).collect();
    assert_eq!(
        values(&g::subsequence(many).len(2..), 1000, |list| assert!(
            list.is_sorted_by(|a, b| a < b) && list.len() >= 2
        )),
        1000
    );
}

#[test]
fn subsequences_shrink_to_few_values_that_stand_first() {
    let letters = || g::subsequence(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    shrinks_to(&["[]"], 20, move |tc| {
        tc.draw(letters());
        false
    });
    shrinks_to(&["['a', 'b', 'c']"], 100, move |tc| tc.draw(letters()).len() < 3);
    shrinks_to(&["['c', 'f']"], 100, move |tc| {
        let some = tc.draw(letters());
        !(some.contains(&'c') && some.contains(&'f'))
    });
}

#[test]
fn shuffled_values_are_all_there_in_any_order() {
    let mut orders = HashSet::new();
    values(&g::permutations([1, 2, 3, 4]), 1000, |list| {
        assert_eq!(list.iter().collect::<HashSet<_>>().len(), 4);
        orders.insert(list);
    });
    assert_eq!(orders.len(), 24);
    assert_eq!(values(&g::permutations([0u8; 0]), 1000, |list| assert!(list.is_empty())), 1000);
    let many: Vec<u32> = (0..70_000).collect();
    let mut tc = Driver::new();
    tc.start_bytes(&[5, 0, 0, 0], 100_000);
    let order = tc.draw(g::permutations(&many[..]));
    assert_eq!((order.len(), order[0], order[1], order[6]), (70_000, 5, 0, 6));
}

#[test]
fn shuffled_values_shrink_to_the_order_given() {
    let deck = || g::permutations(['a', 'b', 'c', 'd', 'e']);
    shrinks_to(&["['a', 'b', 'c', 'd', 'e']"], 20, move |tc| {
        tc.draw(deck());
        false
    });
    shrinks_to(&["['a', 'b', 'c', 'e', 'd']"], 60, move |tc| tc.draw(deck()).is_sorted());
    shrinks_to(&["['a', 'c', 'd', 'b', 'e']"], 60, move |tc| {
        let order = tc.draw(deck());
        order.iter().position(|c| *c == 'd') > order.iter().position(|c| *c == 'b')
    });
}

#[test]
fn unique_vectors_have_no_two_equal_elements_or_keys() {
    let distinct = |list: &[u8]| list.iter().collect::<HashSet<_>>().len() == list.len();
    assert_eq!(
        values(&g::vec(g::integers(0..8u8)).unique(), 1000, |list| assert!(distinct(&list))),
        1000
    );
    let keyed = g::vec(any::<(u8, bool)>()).unique_by(|pair| pair.0 % 16).len(..6);
    assert_eq!(
        values(&keyed, 1000, |list| assert!(
            distinct(&list.iter().map(|pair| pair.0 % 16).collect::<Vec<_>>()) && list.len() < 6
        )),
        1000
    );
    let mut orders = HashSet::new();
    values(&g::vec(any::<bool>()).unique(), 1000, |list| {
        orders.insert(list);
    });
    assert_eq!(orders.len(), 5, "elements keep the order they were drawn in");
}

#[test]
fn unique_vectors_of_every_value_there_is_are_not_endless() {
    let mut tc = Driver::new();
    let digits = g::vec(g::integers(0..10u8)).unique().len(10..=10);
    let came = (0..200).filter(|seed| {
        tc.start_random(*seed, CHOICES_MAX);
        matches!(
            execute(&mut tc, |tc| assert_eq!(tc.draw(&digits).iter().sum::<u8>(), 45)),
            Outcome::Passed
        )
    });
    let came = came.count();
    assert!(came > 100, "{came} of 200");
}

#[test]
fn elements_that_run_out_are_a_rejection_that_says_what_to_do() {
    let mut tc = Driver::new();
    for three in [
        g::vec(g::booleans()).len(3..).unique().boxed(),
        g::btree_set(g::booleans()).len(3..=9).map(|set| set.into_iter().collect()).boxed(),
    ] {
        tc.start_random(4, CHOICES_MAX);
        let ended = execute(&mut tc, |tc| drop(tc.draw(&three)));
        assert!(matches!(ended, Outcome::Rejected));
        assert!(tc.trace().len() < 200, "{} choices", tc.trace().len());
        let Some(Rejection::Distinct { wanted: 3, found: 1..=2 }) = tc.rejection() else {
            panic!("{:?}", tc.rejection())
        };
        let words = tc.rejection().expect("it was rejected").to_string();
        assert!(
            words.starts_with("3 distinct elements are wanted and no new one came after "),
            "{words}"
        );
        assert!(
            words.contains(
                "allow fewer with `len`, give the elements more values to choose from, or take \
                 some of given values with `subsequence`"
            ),
            "{words}"
        );
    }
}

#[test]
fn unique_vectors_shrink_as_others_do() {
    shrinks_to(&["[0, 1, 2]"], 150, |tc| tc.draw(g::vec(g::integers(0..100u8)).unique()).len() < 3);
    shrinks_to(&["[1, 0]"], 100, |tc| tc.draw(g::vec(g::integers(0..100u8)).unique()).is_sorted());
    shrinks_to(&["[\"\", \"0\"]"], 100, |tc| tc.draw(g::vec(g::text()).unique()).len() < 2);
}

#[test]
fn a_filter_that_keeps_nothing_is_named_with_its_place() {
    let mut tc = Driver::new();
    tc.start_bytes(&[], 100);
    let line = line!() + 1;
    let ended = execute(&mut tc, |tc| drop(tc.draw(g::text().filter(|_| false))));
    assert!(matches!(ended, Outcome::Rejected));
    let words = tc.rejection().expect("it was rejected").to_string();
    let place = format!("{}:{line}:", file!().rsplit('/').next().unwrap_or_default());
    assert!(words.starts_with("the filter made at ") && words.contains(&place), "{words}");
    assert!(
        words.ends_with(
            "kept none of 3 values: draw only values that it keeps (`map` others to them), or let \
             it keep more"
        ),
        "{words}"
    );
    tc.start_bytes(&[], 100);
    execute(&mut tc, |tc| tc.assume(false));
    assert_eq!(tc.rejection(), Some(Rejection::Target));
    tc.start_bytes(&[], 100);
    execute(&mut tc, |tc| drop(tc.draw(g::text())));
    assert_eq!(tc.rejection(), None);
}

#[test]
fn wrong_weights_and_lengths_are_refused_with_what_to_do() {
    let two = || g::one_of((g::just(1), g::just(2)));
    assert_eq!(
        misuse_of(|| two().weights([1])),
        "one_of has 2 alternatives and 1 weights: give each alternative one"
    );
    assert_eq!(
        misuse_of(|| two().weights([0, 1])),
        "a weight must be at least 1: leave an alternative out to have it never chosen"
    );
    assert_eq!(
        misuse_of(|| two().weights([1, 65_536])),
        "the weights of one_of add up to 65537: give smaller ones, 65536 in all is the most"
    );
    assert_eq!(
        misuse_of(|| g::subsequence([1, 2]).len(3..)),
        "no 3 values can be taken of 2: let `len` begin at 2 or below, or give more values"
    );
}
