//! Which words of the `Debug` text belong to a place of the minimized input: a few runs show it, in
//! which only that place differs.

use std::ops::Range;

use dwindle_engine::internals::explain::{Claim, Claims, Fresh, Place, Says, Tries};
use dwindle_engine::internals::shrink::Runner;
use dwindle_engine::internals::{Trace, choice::Value};

use super::bytes_of;
use super::diff::{changed, words};

/// Inputs in which one place differs from the minimized one.
pub(super) struct PlaceSample {
    pub(super) place: Place,
    /// Whether the inputs have further elements there.
    is_further: bool,
    pub(super) inputs: Vec<Vec<u8>>,
}

/// The words of a place in the text of the values.
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) words: Range<usize>,
    pub(super) letter: Option<String>,
}

/// How many inputs show the words of a place, and in how many draws they are looked for.
const INPUTS: usize = 3;
const DRAWS: usize = 12;

/// Draws inputs in which `place` differs as `says` allows.
pub(super) fn sample(
    place: Place,
    says: Says,
    base: &Trace,
    runner: &mut dyn Runner,
) -> PlaceSample {
    let is_further = matches!(says, Says::Further(_));
    let alone = Claims::of(Claim { place, says, tries: Tries::default() });
    let own = base.values();
    let mut drawn: Vec<Vec<Value>> = Vec::new();
    let mut never = || false;
    let mut fresh = Fresh::new(&alone, base, &mut *runner, place_seed(place), &mut never);
    for _ in 0..DRAWS {
        if drawn.len() == INPUTS {
            break;
        }
        drawn.extend(fresh.draw().filter(|values| *values != own && !drawn.contains(values)));
    }
    drop(fresh);
    let inputs = drawn.iter().filter_map(|values| bytes_of(values, base, runner)).collect();
    PlaceSample { place, is_further, inputs }
}

fn place_seed(place: Place) -> u64 {
    match place {
        Place::Span(span) => 2 * span as u64,
        Place::Choice(at) => 2 * at as u64 + 1,
    }
}

/// The words that differ in the `texts` of a sample. `None` if all texts are equal.
pub(super) fn found(sample: &PlaceSample, own_words: &[&str], texts: &[String]) -> Option<Found> {
    let mut others: Vec<Vec<&str>> = texts.iter().map(|text| words(text)).collect();
    if sample.is_further {
        // Each sample adds elements at another place; one of these places is enough.
        others.retain(|other| {
            changed(own_words, std::slice::from_ref(other)).is_some_and(|r| r.is_empty())
        });
        others.truncate(1);
    }
    Some(Found { place: sample.place, words: changed(own_words, &others)?, letter: None })
}
