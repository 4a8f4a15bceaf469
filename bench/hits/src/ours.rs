//! The properties in dwindle.

use std::time::Duration;

use dwindle::prelude::*;
use dwindle::{Settings, check};

use crate::conditions::{self as is, LENGTH_MAX, Op, Property, TEXT_MAX, Tree};

/// The number of the first case that hits, if one of `cases` does.
pub fn cases_to_hit(property: Property, seed: u64, cases: u64) -> Option<u64> {
    let settings =
        Settings::default().seed(seed).max_cases(cases).budget(0, Duration::ZERO).store(None);
    check(settings, |tc| assert!(!hits(property, tc))).err().map(|failure| failure.calls_to_find)
}

fn hits(property: Property, tc: &mut TestCase) -> bool {
    match property {
        Property::EqualValues => is::equal_values(&list(tc)),
        Property::PushesWithoutAPop => is::pushes_without_a_pop(&list::<Op>(tc)),
        Property::SumNearTheLimit => is::sum_near_the_limit(tc.draw(any()), tc.draw(any())),
        Property::NearlySorted => is::nearly_sorted(&list(tc)),
        Property::DuplicatesFarApart => is::duplicates_far_apart(&list(tc)),
        Property::DeepTree => is::deep_tree(&tc.draw(any::<Tree>())),
        Property::Palindrome => is::palindrome(&text(tc)),
        Property::QuoteThenBackslash => is::quote_then_backslash(&text(tc)),
        Property::OverflowingDivision => is::overflowing_division(tc.draw(any()), tc.draw(any())),
        Property::EqualTexts => is::equal_texts(&text(tc), &text(tc)),
        Property::FlagsAndLongList => {
            is::flags_and_long_list(tc.draw(any()), tc.draw(any()), &list(tc))
        }
        Property::KeyThatIsAValue => {
            is::key_that_is_a_value(&tc.draw(g::btree_map(any(), any()).len(..=LENGTH_MAX)))
        }
    }
}

fn list<T: Generate + std::fmt::Debug>(tc: &mut TestCase) -> Vec<T> {
    tc.draw(g::vec(any::<T>()).len(..=LENGTH_MAX))
}

fn text(tc: &mut TestCase) -> String {
    tc.draw(g::text().len(..=TEXT_MAX))
}
