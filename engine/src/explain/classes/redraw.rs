//! Draws spans anew, as their generators draw them.
//!
//! Only the target can run its generators. So a random run of the target draws the span, and its
//! choices replace those of the span. One random run draws many spans. This file keeps all of them
//! for later.

use std::collections::VecDeque;

use super::levels::{self, Inner};
use super::tree::Tree;
use super::trials::Trials;
use crate::choice::{Choice, Value};
use crate::hashed::HashedMap;
use crate::shrink::place::{alternative, is_continue};
use crate::trace::{Label, Trace};

/// How many draws of one span are kept.
const KEPT_MAX: usize = 256;
/// How many random runs may go by without a draw of the wanted span.
const ATTEMPTS: usize = 6;

/// The choices of a span that was drawn anew.
#[derive(Clone, Debug)]
pub(crate) struct Redrawn {
    pub(crate) choices: Vec<Choice>,
    /// The keys of the collections inside, with their lengths.
    pub(crate) lengths: Vec<(u64, usize)>,
    /// The parts that have the label of the span, and the span itself.
    pub(crate) inner: Vec<Inner>,
}

/// The draws that are ready, by the key of their span.
#[derive(Debug, Default)]
pub(crate) struct Redraws {
    ready: HashedMap<u64, VecDeque<Redrawn>>,
    /// The keys of spans that random runs from the beginning do not reach.
    deep: Vec<u64>,
    seed: u64,
}

impl Redraws {
    pub(crate) fn new(seed: u64) -> Redraws {
        Redraws { seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), ..Redraws::default() }
    }

    fn next_seed(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.seed ^ (self.seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 27)
    }

    /// The span at `span` of `base`, drawn anew. `None` if no random run reaches it, or if the
    /// budget is used up.
    pub(crate) fn next(
        &mut self,
        trials: &mut Trials<'_>,
        (base, tree): (&Trace, &Tree),
        span: usize,
    ) -> Option<Redrawn> {
        let key = tree.key(span);
        for attempt in 0..ATTEMPTS {
            if let Some(redrawn) = self.ready.get_mut(&key).and_then(VecDeque::pop_front) {
                return Some(redrawn);
            }
            if attempt == 2 && !self.deep.contains(&key) {
                self.deep.push(key);
            }
            let is_deep = self.deep.contains(&key);
            let start = if is_deep { start_of(base, span) } else { 0 };
            let seed = self.next_seed();
            let run = trials.run_random(&base.values()[..start], seed)?;
            self.harvest(&run.trace, start);
        }
        self.ready.get_mut(&key).and_then(VecDeque::pop_front)
    }

    /// The span at `span`, drawn anew with the alternative that `value` selects.
    pub(crate) fn with_alternative(
        &mut self,
        trials: &mut Trials<'_>,
        (base, tree): (&Trace, &Tree),
        span: usize,
        value: &Value,
    ) -> Option<Redrawn> {
        let start = base.spans[span].start as usize;
        let mut values = base.values();
        values.truncate(start);
        values.push(value.clone());
        let seed = self.next_seed();
        let run = trials.run_random(&values, seed)?;
        let drawn = Tree::of(&run.trace);
        let found = run.trace.spans.get(span)?;
        let is_same = found.start as usize == start
            && drawn.key(span) == tree.key(span)
            && run.trace.choices.get(start).is_some_and(|choice| choice.value == *value);
        is_same.then(|| taken(&run.trace, &drawn, span))
    }

    /// Keeps every span of a run that was drawn at random.
    fn harvest(&mut self, trace: &Trace, start: usize) {
        let tree = Tree::of(trace);
        // The innermost of the spans that the run left open was not drawn to its end.
        for (index, span) in trace.spans.iter().enumerate() {
            if span.discarded || span.is_empty() || (span.start as usize) < start {
                continue;
            }
            let ready = self.ready.entry(tree.key(index)).or_default();
            if ready.len() < KEPT_MAX {
                ready.push_back(taken(trace, &tree, index));
            }
        }
    }
}

/// The choices before this one stay while the span is drawn anew. An element is drawn with its
/// whole collection.
fn start_of(base: &Trace, span: usize) -> usize {
    let parent = base.spans[span].parent.map(|parent| &base.spans[parent as usize]);
    match parent {
        Some(parent) if base.spans[span].label == Label::ELEMENT => parent.start as usize,
        _ => base.spans[span].start as usize,
    }
}

fn taken(trace: &Trace, tree: &Tree, span: usize) -> Redrawn {
    let range = trace.spans[span].range();
    let inside = (span..trace.spans.len())
        .take_while(|index| trace.spans[*index].start < trace.spans[span].end || *index == span);
    let lengths = inside
        .filter(|index| trace.spans[*index].end <= trace.spans[span].end)
        .filter_map(|index| Some((tree.key(index), tree.elements(trace, index)?.len())))
        .collect();
    let inner = levels::inner(trace, span);
    Redrawn { choices: trace.choices[range].to_vec(), lengths, inner }
}

/// The values that select the other alternatives at the place of `choice`.
pub(crate) fn other_alternatives(choice: &Choice) -> Vec<i128> {
    let (Some(_), Value::Integer(own), crate::choice::Constraint::Integer(range)) =
        (alternative(choice), &choice.value, &choice.constraint)
    else {
        return Vec::new();
    };
    // Zero would end the collection.
    let first = if is_continue(choice) { range.min.max(1) } else { range.min };
    (first..=range.max).filter(|value| value != own).collect()
}
