//! The drawn values of a minimized input with a letter for each part that may vary.
//!
//! A claim is about choices, and a report shows the `Debug` text of values. A few runs in which
//! only one place differs show which words of the text belong to that place.

use std::ops::Range;

use dwindle_engine::internals::Trace;
use dwindle_engine::internals::explain::{Claim, Claims, Place, Says, Term};
use dwindle_engine::internals::shrink::Runner;
use dwindle_engine::internals::sorted::sort_by_key;

use super::diff::words;
use super::places::{Found, PlaceSample, found, sample};
use super::values_of;
use crate::execution::Executor;

/// The greatest number of places that are looked for.
const PLACES_MAX: usize = 40;

/// Separates the values in the text of all.
pub(super) const BETWEEN: char = '\u{1e}';

/// The values with letters, and what each letter stands for.
#[derive(Default)]
pub(super) struct Written {
    pub(super) value: Vec<String>,
    pub(super) letters: Vec<String>,
}

/// Makes the samples for the places of all claims except those about alternatives, and for the
/// places that these claims compare them with.
pub(super) fn samples(claims: &Claims, base: &Trace, runner: &mut dyn Runner) -> Vec<PlaceSample> {
    let mut places: Vec<(Place, Says)> = Vec::new();
    let mut add = |place: Place, says: &Says| {
        if places.len() < PLACES_MAX && places.iter().all(|(known, _)| *known != place) {
            places.push((place, says.clone()));
        }
    };
    for claim in shown(claims) {
        match &claim.says {
            Says::Further(_) => add(claim.place, &claim.says),
            _ => add(claim.place, &Says::Any),
        }
        match &claim.says {
            Says::Related(_, Term::Value(other)) => add(Place::Choice(*other), &Says::Any),
            Says::Related(_, Term::Length(span)) => add(Place::Span(*span), &Says::Any),
            _ => {}
        }
    }
    let of = (base, claims);
    places.into_iter().map(|(place, says)| sample(place, says, of, runner)).collect()
}

/// The claims that a letter can stand for.
pub(super) fn shown(claims: &Claims) -> impl Iterator<Item = &Claim> {
    claims.claims.iter().filter(|claim| !matches!(claim.says, Says::Alternatives(_)))
}

/// Writes the values with letters. Without letters if the text of the values differs from run to
/// run, or if it does not show what varies.
pub(super) fn written<S: Executor>(
    executor: &mut S,
    (input, base): (&[u8], &Trace),
    claims: &Claims,
    samples: &[PlaceSample],
) -> Written {
    let text_of =
        |executor: &mut S, input: &[u8]| values_of(executor, input).join(&BETWEEN.to_string());
    let own = text_of(executor, input);
    if samples.is_empty() || text_of(executor, input) != own {
        return Written::default();
    }
    let own_words = words(&own);
    let found = samples.iter().filter_map(|sample| {
        found(sample, &own_words, &mut |input| Some(text_of(executor, input)))
    });
    let mut found: Vec<Found> = found.collect();
    give_letters(&mut found, claims, &own_words);
    let name = |place: Place| {
        found.iter().find(|found| found.place == place).map_or_else(
            || "another value".to_owned(),
            |found| found.letter.clone().unwrap_or_else(|| own_words[found.words.clone()].concat()),
        )
    };
    let meanings = found.iter().filter_map(|found| {
        let letter = found.letter.as_ref()?;
        let says: Vec<String> = shown(claims)
            .filter(|claim| claim.place == found.place)
            .map(|claim| found.says(claim, (base, &own_words), &name))
            .collect();
        Some((letter.as_str(), says.join(" and ")))
    });
    let letters = together(meanings);
    let text = with_letters(&own_words, &found);
    Written { value: text.split(BETWEEN).map(str::to_owned).collect(), letters }
}

/// What each letter stands for. Letters that stand for the same share one text.
fn together<'a>(meanings: impl Iterator<Item = (&'a str, String)>) -> Vec<String> {
    let mut all: Vec<(Vec<&str>, String)> = Vec::new();
    for (letter, meaning) in meanings {
        match all.iter_mut().find(|(_, known)| *known == meaning) {
            Some((letters, _)) => letters.push(letter),
            None => all.push((vec![letter], meaning)),
        }
    }
    let words = all.into_iter().map(|(letters, meaning)| {
        let verb = if letters.len() == 1 { "is" } else { "are" };
        format!("{} {verb} {meaning}", letters.join(", "))
    });
    words.collect()
}

/// What stands for further elements.
const FURTHER: &str = "..";

/// Gives letters to the claimed places, in the order of the text. Of places that overlap, the one
/// with the fewest words has the letter.
pub(super) fn give_letters(found: &mut Vec<Found>, claims: &Claims, own_words: &[&str]) {
    let says = |place: Place| shown(claims).find(|claim| claim.place == place);
    sort_by_key(found, |found| found.words.len());
    let mut taken: Vec<Range<usize>> = Vec::new();
    for one in found.iter_mut().filter(|one| says(one.place).is_some()) {
        let overlaps = |other: &Range<usize>| {
            other.start < one.words.end && one.words.start < other.end || *other == one.words
        };
        if !taken.iter().any(overlaps) {
            taken.push(one.words.clone());
            one.letter = Some(String::new());
        }
    }
    sort_by_key(found, |found| (found.words.start, found.words.end));
    let mut free = ('A'..='Z').map(String::from).filter(|letter| !own_words.contains(&&**letter));
    for one in found.iter_mut().filter(|one| one.letter.is_some()) {
        let is_further =
            says(one.place).is_some_and(|claim| matches!(claim.says, Says::Further(_)));
        one.letter = if is_further { Some(FURTHER.to_owned()) } else { free.next() };
    }
}

/// The text with the letters in place of the words.
fn with_letters(own_words: &[&str], found: &[Found]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for Found { words, letter, .. } in found {
        let Some(letter) = letter else { continue };
        text.push_str(&own_words[at..words.start].concat());
        if words.is_empty() {
            text.push_str(&between(own_words, words.start, letter));
        } else {
            text.push_str(letter);
        }
        at = words.end;
    }
    text + &own_words[at..].concat()
}

/// `letter` as an additional element between two words, with the comma that it needs there.
fn between(own_words: &[&str], at: usize, letter: &str) -> String {
    let is_open = |word: &&str| matches!(*word, "[" | "{" | "(" | ",");
    let is_first =
        at == 0 || own_words[..at].iter().rev().find(|word| **word != " ").is_none_or(is_open);
    let is_last = own_words.get(at).is_none_or(|word| matches!(*word, "]" | "}" | ")"));
    match (is_first, is_last) {
        (true, true) => letter.to_owned(),
        (true, false) => format!("{letter}, "),
        (false, _) => format!(", {letter}"),
    }
}
