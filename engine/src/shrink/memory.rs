//! Remembers the values that one of two generators drew and that are no longer in use.

use std::ops::Range;

use super::place::{inside, values};
use crate::choice::Value;
use crate::trace::{Label, Span, Trace};

/// The values of generators that are not in use. Index 0 is for first generators, index 1 for
/// second ones. The latest values stand first.
#[derive(Default)]
pub(super) struct Memory([Vec<Vec<Value>>; 2]);

/// How many contents are kept for the first generators of all choices, and how many for the second
/// ones.
const REMEMBERED_MAX: usize = 64;

impl Memory {
    /// Remembers all contents that `start` drew and did not use.
    pub(super) fn new(start: &Trace) -> Memory {
        let mut memory = Memory::default();
        for both in chosen(start) {
            memory.keep(start, &both, !both.is_second);
        }
        memory.0.iter_mut().for_each(|contents| contents.reverse());
        memory
    }

    /// Remembers all contents that `was` used and `is` no longer uses.
    pub(super) fn note(&mut self, was: &Trace, is: &Trace) {
        if self.is_empty() {
            return;
        }
        for (was_chosen, is_chosen) in chosen(was).zip(chosen(is)) {
            if was_chosen.is_second != is_chosen.is_second {
                self.keep(was, &was_chosen, was_chosen.is_second);
            }
        }
    }

    fn keep(&mut self, trace: &Trace, both: &Both, second: bool) {
        let contents = &mut self.0[usize::from(second)];
        contents.insert(
            0,
            values(&trace.choices, both.contents[usize::from(second)].clone()).collect(),
        );
        contents.truncate(REMEMBERED_MAX);
    }

    /// What was drawn for first generators, the latest contents first.
    pub(super) fn first_ones(&self) -> &[Vec<Value>] {
        &self.0[0]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }
}

/// The place of a choice between two generators that were both drawn.
pub(super) struct Both {
    pub(super) at: usize,
    pub(super) is_second: bool,
    pub(super) contents: [Range<usize>; 2],
}

impl Both {
    pub(super) fn of(trace: &Trace, index: usize) -> Option<Both> {
        let span = trace.spans[index];
        if span.label != Label::CHOOSE {
            return None;
        }
        let is_branch = |(_, inner): &(usize, &Span)| {
            inner.parent == Some(index as u32) && inner.label == Label::BRANCH
        };
        let mut branches =
            inside(&trace.spans, index).filter(is_branch).map(|(_, inner)| inner.range());
        let contents = [branches.next()?, branches.next()?];
        let at = span.start as usize;
        let is_second = trace.choices.get(at)?.value == Value::Boolean(true);
        Some(Both { at, is_second, contents })
    }
}

fn chosen(trace: &Trace) -> impl Iterator<Item = Both> {
    (0..trace.spans.len()).filter_map(|index| Both::of(trace, index))
}
