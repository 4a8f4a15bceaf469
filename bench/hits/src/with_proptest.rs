//! The properties in proptest.

use std::cell::Cell;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::conditions::{self as is, LENGTH_MAX, Op, Property, TEXT_MAX, Tree};

/// The number of the first case that hits, if one of `cases` does.
pub fn cases_to_hit(property: Property, seed: u64, cases: u64) -> Option<u64> {
    let config = Config {
        cases: u32::try_from(cases).unwrap_or(u32::MAX),
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let (ran, hit) = (Cell::new(0), Cell::new(None));
    let _ = runner.run(&hits(property), |hits| {
        ran.set(ran.get() + 1);
        if hits && hit.get().is_none() {
            hit.set(Some(ran.get()));
        }
        if hits { Err(TestCaseError::fail("hit")) } else { Ok(()) }
    });
    hit.get()
}

fn hits(property: Property) -> BoxedStrategy<bool> {
    match property {
        Property::EqualValues => {
            vec(any::<i32>(), 0..=LENGTH_MAX).prop_map(|list| is::equal_values(&list)).boxed()
        }
        Property::PushesWithoutAPop => {
            let ops = prop_oneof![any::<u8>().prop_map(Op::Push), Just(Op::Pop)];
            vec(ops, 0..=LENGTH_MAX).prop_map(|ops| is::pushes_without_a_pop(&ops)).boxed()
        }
        Property::SumNearTheLimit => {
            any::<(i32, i32)>().prop_map(|(a, b)| is::sum_near_the_limit(a, b)).boxed()
        }
        Property::NearlySorted => {
            vec(any::<i32>(), 0..=LENGTH_MAX).prop_map(|list| is::nearly_sorted(&list)).boxed()
        }
        Property::DuplicatesFarApart => vec(any::<u64>(), 0..=LENGTH_MAX)
            .prop_map(|list| is::duplicates_far_apart(&list))
            .boxed(),
        Property::DeepTree => {
            let leaf = any::<i8>().prop_map(Tree::Leaf);
            let trees = leaf.prop_recursive(32, 256, 2, |inner| {
                (inner.clone(), inner)
                    .prop_map(|(left, right)| Tree::Node(Box::new(left), Box::new(right)))
            });
            trees.prop_map(|tree| is::deep_tree(&tree)).boxed()
        }
        Property::Palindrome => text().prop_map(|text| is::palindrome(&text)).boxed(),
        Property::QuoteThenBackslash => {
            text().prop_map(|text| is::quote_then_backslash(&text)).boxed()
        }
        Property::OverflowingDivision => {
            any::<(i64, i64)>().prop_map(|(a, b)| is::overflowing_division(a, b)).boxed()
        }
        Property::EqualTexts => (text(), text()).prop_map(|(a, b)| is::equal_texts(&a, &b)).boxed(),
        Property::FlagsAndLongList => (any::<(bool, bool)>(), vec(any::<u8>(), 0..=LENGTH_MAX))
            .prop_map(|((a, b), list)| is::flags_and_long_list(a, b, &list))
            .boxed(),
        Property::KeyThatIsAValue => btree_map(any::<u32>(), any::<u32>(), 0..=LENGTH_MAX)
            .prop_map(|map| is::key_that_is_a_value(&map))
            .boxed(),
    }
}

fn text() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..=TEXT_MAX).prop_map(|characters| characters.into_iter().collect())
}
