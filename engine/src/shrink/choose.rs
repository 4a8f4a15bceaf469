//! Takes the first of two generators that were both drawn, with the values that were drawn for it
//! earlier. Since then, other passes may have made its unused values the simplest.

use super::memory::Both;
use super::place::values;
use super::realign;
use super::search::{Fruitless, Search};
use crate::choice::Value;

/// Changes each choice of the second generator into one of the first. It tries all remembered
/// values of first generators, the latest first, as long as there is progress.
///
/// The independence of alternatives is the idea of falsify's selective functors (de Vries 2023,
/// section 6.1).
pub(super) fn each(search: &mut Search<'_>) {
    if search.memory().is_empty() {
        return;
    }
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut index = 0;
    while index < search.spans().len() && !fruitless.is_enough(search) {
        if let Some(both) = Both::of(search.best(), index).filter(|both| both.is_second) {
            for content in search.memory().first_ones().to_vec() {
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
        // The second generator is unused now, so its values become the simplest. They take room
        // that the first generator may need.
        candidate.resize(candidate.len() + second.len(), Value::Boolean(false));
        candidate.truncate(second.end.max(first.start + content.len()));
        candidate.extend(values(&best.choices, second.end..best.len()));
    })
    .holds()
}
