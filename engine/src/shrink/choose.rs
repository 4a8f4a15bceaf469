//! Takes the first of two generators that were both drawn, with what was drawn for it: before other passes made it the simplest, since nobody used it.

use std::ops::Range;

use super::place::{inside, values};
use super::realign;
use super::search::{Fruitless, Search};
use crate::choice::Value;
use crate::trace::{Label, Span, Trace};

/// What was drawn for generators that are not used, or not any more; by whether it is the second of the two, the last one in front.
#[derive(Default)]
pub(super) struct Memory([Vec<Vec<Value>>; 2]);

/// So many are remembered for the first generators of all choices, and so many for the second.
const REMEMBERED_MAX: usize = 64;

impl Memory {
    /// All that `start` drew and did not use.
    pub(super) fn new(start: &Trace) -> Memory {
        let mut memory = Memory::default();
        for both in chosen(start) {
            memory.keep(start, &both, !both.is_second);
        }
        memory.0.iter_mut().for_each(|contents| contents.reverse());
        memory
    }

    /// All that is in use in `was` and no longer in `is`.
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
        contents.insert(0, values(&trace.choices, both.contents[usize::from(second)].clone()).collect());
        contents.truncate(REMEMBERED_MAX);
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }
}

/// Where both of two generators were drawn.
struct Both {
    at: usize,
    is_second: bool,
    contents: [Range<usize>; 2],
}

impl Both {
    fn of(trace: &Trace, index: usize) -> Option<Both> {
        let span = trace.spans[index];
        if span.label != Label::CHOOSE {
            return None;
        }
        let is_branch = |(_, inner): &(usize, &Span)| inner.parent == Some(index as u32) && inner.label == Label::BRANCH;
        let mut branches = inside(&trace.spans, index).filter(is_branch).map(|(_, inner)| inner.range());
        let contents = [branches.next()?, branches.next()?];
        let at = span.start as usize;
        let is_second = trace.choices.get(at)?.value == Value::Boolean(true);
        Some(Both { at, is_second, contents })
    }
}

fn chosen(trace: &Trace) -> impl Iterator<Item = Both> {
    (0..trace.spans.len()).filter_map(|index| Both::of(trace, index))
}

/// Each choice of the second generator becomes one of the first, with all that is remembered of first ones, the last first, as long as there is headway.
///
/// Independence of alternatives is the idea of falsify's selective functors (de Vries 2023, section 6.1).
pub(super) fn each(search: &mut Search<'_>) {
    if search.memory().is_empty() {
        return;
    }
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut index = 0;
    while index < search.spans().len() && !fruitless.is_enough(search) {
        if let Some(both) = Both::of(search.best(), index).filter(|both| both.is_second) {
            for content in search.memory().0[0].clone() {
                if fruitless.is_enough(search) || with(search, &both, &content) {
                    break;
                }
            }
        }
        index += 1;
    }
}

const FRUITLESS_MAX: u64 = 40;

fn with(search: &mut Search<'_>, both: &Both, content: &[Value]) -> bool {
    let [first, second] = both.contents.clone();
    realign::attempt(search, both.at, |best, candidate| {
        candidate.extend(values(&best.choices, 0..both.at));
        candidate.push(Value::Boolean(false));
        candidate.extend_from_slice(content);
        // Nobody uses the second one now: it is the simplest, which takes room that the first one may need.
        candidate.resize(candidate.len() + second.len(), Value::Boolean(false));
        candidate.truncate(second.end.max(first.start + content.len()));
        candidate.extend(values(&best.choices, second.end..best.len()));
    })
    .holds()
}
