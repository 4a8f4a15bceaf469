//! Which words of the `Debug` text belong to a place of the minimized input: a few runs show it, in
//! which only that place differs.

use std::ops::Range;

use dwindle_engine::internals::Trace;
use dwindle_engine::internals::choice::{Constraint, IntegerRange, Value};
use dwindle_engine::internals::explain::{Claim, Claims, Fresh, Place, Says, Tries};
use dwindle_engine::internals::shrink::Runner;

use super::bytes_of;
use super::diff::{changed, words};

/// Inputs in which one place differs from the minimized one.
pub(super) struct PlaceSample {
    pub(super) place: Place,
    /// Whether the inputs have further elements there.
    is_further: bool,
    pub(super) inputs: Vec<Vec<u8>>,
    /// Inputs with the least and with the greatest number of the claimed interval there.
    pub(super) ends: Option<[Vec<u8>; 2]>,
}

/// The words of a place in the text of the values.
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) words: Range<usize>,
    pub(super) letter: Option<String>,
    /// What stands there for the least and for the greatest number of the claimed interval.
    pub(super) ends: Option<[String; 2]>,
}

/// How many inputs show the words of a place, and in how many draws they are looked for.
const INPUTS: usize = 3;
const DRAWS: usize = 12;

/// Draws inputs in which `place` differs as `says` allows. `claims` may have an interval for it.
pub(super) fn sample(
    place: Place,
    says: Says,
    (base, claims): (&Trace, &Claims),
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
    let mut with = |number: i128| {
        let Place::Choice(at) = place else { return None };
        let mut values = own.clone();
        values[at] = Value::Integer(number);
        bytes_of(&values, base, runner)
    };
    let interval = claims.claims.iter().filter(|claim| claim.place == place).find_map(interval);
    let ends = interval.and_then(|range| Some([with(range.min)?, with(range.max)?]));
    PlaceSample { place, is_further, inputs, ends }
}

/// The interval of whole numbers of a claim.
fn interval(claim: &Claim) -> Option<IntegerRange> {
    match claim.says {
        Says::Within(Constraint::Integer(range)) => Some(range),
        _ => None,
    }
}

fn place_seed(place: Place) -> u64 {
    match place {
        Place::Span(span) => 2 * span as u64,
        Place::Choice(at) => 2 * at as u64 + 1,
    }
}

/// The words that differ in the texts of a sample. `text_of` gives the text of an input. `None` if
/// all texts are equal.
pub(super) fn found(
    sample: &PlaceSample,
    own_words: &[&str],
    text_of: &mut dyn FnMut(&[u8]) -> Option<String>,
) -> Option<Found> {
    let texts: Vec<String> = sample.inputs.iter().filter_map(|input| text_of(input)).collect();
    let mut others: Vec<Vec<&str>> = texts.iter().map(|text| words(text)).collect();
    if sample.is_further {
        // Each sample adds elements at another place; one of these places is enough.
        others.retain(|other| {
            changed(own_words, std::slice::from_ref(other)).is_some_and(|r| r.is_empty())
        });
        others.truncate(1);
    }
    let own = changed(own_words, &others)?;
    let mut end = |input: &[u8]| {
        let text = text_of(input)?;
        in_place_of(&own, own_words, &words(&text))
    };
    let ends = match &sample.ends {
        Some([least, greatest]) => end(least).zip(end(greatest)).map(<[String; 2]>::from),
        None => None,
    };
    Some(Found { place: sample.place, words: own, letter: None, ends })
}

/// What another text has in place of these words. `None` if it differs elsewhere, too.
fn in_place_of(own: &Range<usize>, own_words: &[&str], other: &[&str]) -> Option<String> {
    let (before, behind) = own_words.split_at(own.start);
    let behind = &behind[own.len()..];
    let replaced = other.strip_prefix(before)?.strip_suffix(behind)?;
    Some(replaced.concat())
}

impl Found {
    /// What a claim says of this place.
    ///
    /// The text may show a number in another form: doubled, or as the element that it is the index
    /// of. Then the ends of an interval have that form, too.
    pub(super) fn says(
        &self,
        claim: &Claim,
        (minimized, own_words): (&Trace, &[&str]),
        name: &dyn Fn(Place) -> String,
    ) -> String {
        let (Some(range), Place::Choice(at)) = (interval(claim), self.place) else {
            return claim.in_words(minimized, name);
        };
        let choice = &minimized.choices[at];
        let Constraint::Integer(all) = choice.constraint else { return String::new() };
        if own_words[self.words.clone()].concat() == choice.to_string() {
            return claim.in_words(minimized, name);
        }
        match &self.ends {
            None => "a value of an interval that the text does not show".to_owned(),
            Some([least, _]) if range.max == all.max => format!("any value from {least}"),
            Some([_, greatest]) if range.min == all.min => format!("any value up to {greatest}"),
            Some([least, greatest]) => format!("any value from {least} to {greatest}"),
        }
    }
}
