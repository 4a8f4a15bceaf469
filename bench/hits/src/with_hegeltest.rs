//! The properties in hegeltest.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hegel::generators::{self as gs, Generator};
use hegel::{HealthCheck, Hegel, Phase, Settings, TestCase, Verbosity, one_of, tuples};

use crate::conditions::{self as is, LENGTH_MAX, Op, Property, TEXT_MAX, Tree};

/// The number of the first case that hits, if one of `cases` does.
pub fn cases_to_hit(property: Property, seed: u64, cases: u64) -> Option<u64> {
    let settings = Settings::new()
        .test_cases(cases)
        .seed(Some(seed))
        .derandomize(false)
        .database(None)
        .verbosity(Verbosity::Quiet)
        .phases([Phase::Generate])
        .suppress_health_check(HealthCheck::all());
    let (ran, hit) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let counts = (Arc::clone(&ran), Arc::clone(&hit));
    let test = move |tc: TestCase| {
        let (ran, hit) = &counts;
        let number = ran.fetch_add(1, Ordering::Relaxed) + 1;
        if hits(property, &tc) {
            let _ = hit.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
            panic!("hit");
        }
    };
    // A failed run panics at its end.
    let _ = catch_unwind(AssertUnwindSafe(|| Hegel::new(test).settings(settings).run()));
    let hit = hit.load(Ordering::Relaxed);
    (hit > 0).then_some(hit)
}

fn hits(property: Property, tc: &TestCase) -> bool {
    let texts = || gs::text().max_size(TEXT_MAX);
    match property {
        Property::EqualValues => {
            is::equal_values(&tc.draw_silent(gs::vecs(gs::integers::<i32>()).max_size(LENGTH_MAX)))
        }
        Property::PushesWithoutAPop => {
            let ops = one_of!(gs::integers::<u8>().map(Op::Push), gs::just(Op::Pop));
            is::pushes_without_a_pop(&tc.draw_silent(gs::vecs(ops).max_size(LENGTH_MAX)))
        }
        Property::SumNearTheLimit => is::sum_near_the_limit(
            tc.draw_silent(gs::integers::<i32>()),
            tc.draw_silent(gs::integers::<i32>()),
        ),
        Property::NearlySorted => {
            is::nearly_sorted(&tc.draw_silent(gs::vecs(gs::integers::<i32>()).max_size(LENGTH_MAX)))
        }
        Property::DuplicatesFarApart => is::duplicates_far_apart(
            &tc.draw_silent(gs::vecs(gs::integers::<u64>()).max_size(LENGTH_MAX)),
        ),
        Property::DeepTree => is::deep_tree(&tc.draw_silent(trees())),
        Property::Palindrome => is::palindrome(&tc.draw_silent(texts())),
        Property::QuoteThenBackslash => is::quote_then_backslash(&tc.draw_silent(texts())),
        Property::OverflowingDivision => is::overflowing_division(
            tc.draw_silent(gs::integers::<i64>()),
            tc.draw_silent(gs::integers::<i64>()),
        ),
        Property::EqualTexts => is::equal_texts(&tc.draw_silent(texts()), &tc.draw_silent(texts())),
        Property::FlagsAndLongList => {
            let (a, b) = (tc.draw_silent(gs::booleans()), tc.draw_silent(gs::booleans()));
            is::flags_and_long_list(
                a,
                b,
                &tc.draw_silent(gs::vecs(gs::integers::<u8>()).max_size(LENGTH_MAX)),
            )
        }
        Property::KeyThatIsAValue => {
            let maps =
                gs::hashmaps(gs::integers::<u32>(), gs::integers::<u32>()).max_size(LENGTH_MAX);
            is::key_that_is_a_value(&tc.draw_silent(maps).into_iter().collect())
        }
    }
}

fn trees() -> impl Generator<Tree> {
    let tree = gs::deferred::<Tree>();
    let handle = tree.generator();
    let node = tuples!(tree.generator(), tree.generator())
        .map(|(left, right)| Tree::Node(Box::new(left), Box::new(right)));
    tree.set(one_of!(gs::integers::<i8>().map(Tree::Leaf), node));
    handle
}
