//! itertools 0.14.0: `PadUsing::next_back` forgets what `next` has taken.

use std::collections::VecDeque;

use dwindle::prelude::*;
use itertools::Itertools;

/// An iterator that is read from both ends yields each of its elements once.
pub fn pad_using(tc: &mut TestCase) {
    let (values, min) = tc.draw(any::<(Vec<u8>, u8)>());
    check(values, min, tc.draw(any::<Vec<bool>>()));
}

/// The same as a drop-in target.
pub fn pad_using_drop_in(tc: &mut TestCase) {
    super::drop_in(tc, |(values, min, from_the_back): (Vec<u8>, u8, Vec<bool>)| {
        check(values, min, from_the_back);
    });
}

fn check(values: Vec<u8>, min: u8, from_the_back: Vec<bool>) {
    let fill = |at: usize| at as u8;
    let mut expected: VecDeque<u8> = values.iter().copied().collect();
    expected.extend((expected.len()..usize::from(min)).map(fill));
    let mut padded = values.into_iter().pad_using(usize::from(min), fill);
    for from_the_back in from_the_back {
        if from_the_back {
            assert_eq!(padded.next_back(), expected.pop_back());
        } else {
            assert_eq!(padded.next(), expected.pop_front());
        }
    }
}
