//! Gives a function the result of one of its entries for most arguments, and deletes entries that
//! this makes unnecessary.

use std::ops::Range;

use super::place::{alternative, elements, inside, moved, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::Value;
use crate::trace::{Label, Trace};

/// Changes the common result of each function to that of an entry. The pass deletes this entry, or
/// this entry and all entries behind it.
///
/// It raises a choice to delete others. Few other passes do this, except for alternatives.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut index = 0;
    while index < search.spans().len() && !fruitless.is_enough(search) {
        if let Some(parts) = Parts::of(search.best(), index) {
            let entries = parts.entries.len();
            let ways = (0..entries)
                .rev()
                .flat_map(|entry| [entry + 1, entries].into_iter().map(move |end| (entry, end)));
            for (entry, end) in ways {
                if fruitless.is_enough(search)
                    || search.attempt(|best, candidate| parts.write(best, entry..end, candidate))
                        == Verdict::Better
                {
                    break;
                }
            }
        }
        index += 1;
    }
}

const FRUITLESS_MAX: u64 = 60;

/// Where the parts of a function stand.
struct Parts {
    common: Range<usize>,
    entries: Vec<Range<usize>>,
}

impl Parts {
    fn of(best: &Trace, index: usize) -> Option<Parts> {
        let function = best.spans[index];
        if function.label != Label::FUNCTION {
            return None;
        }
        let is_list = |(_, span): &(usize, &crate::trace::Span)| {
            span.parent == Some(index as u32)
                && span.label == Label::COLLECTION
                && span.end == function.end
        };
        let (list, span) = inside(&best.spans, index).filter(is_list).last()?;
        let common = function.start as usize..span.start as usize;
        if common.is_empty() {
            None
        } else {
            Some(Parts { common, entries: elements(&best.choices, &best.spans, list) })
        }
    }

    /// Writes the best with the result of the first of `gone` as the common result, and without the
    /// entries `gone`.
    fn write(&self, best: &Trace, gone: Range<usize>, candidate: &mut Vec<Value>) {
        let entry = self.entries[gone.start].clone();
        let is_fused = alternative(&best.choices[entry.start]).is_some();
        let result = if is_fused { entry.clone() } else { entry.start + 1..entry.end };
        candidate.extend(values(&best.choices, 0..self.common.start));
        candidate.extend(moved(&best.choices, result, &best.choices[self.common.start]));
        candidate.extend(values(&best.choices, self.common.end..entry.start));
        candidate.extend(values(&best.choices, self.entries[gone.end - 1].end..best.len()));
    }
}
