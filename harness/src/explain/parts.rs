//! The parts of a minimized input for a person: where each stands in the text of the values, and
//! what is claimed of it.

use std::ops::Range;

use dwindle_corpus::events::{ExploredPart, PartPlace};
use dwindle_corpus::{BugId, JSON_MAX_BYTES, excerpt, printable_line};
use dwindle_engine::internals::explain::{Cause, Claim, Claims, Place, Says, places};
use dwindle_engine::internals::sorted::sort_by_key;
use dwindle_engine::internals::{Label, Trace};

use super::diff::words;
use super::letters::{BETWEEN, give_letters, shown};
use super::places::{Found, found, sample};
use super::values_of;
use crate::execution::{Executor, Runs};
use crate::minimize::Only;
use crate::minimize::candidates::CandidateRunner;
use crate::minimize::clock::Clock;
use crate::minimize::reliability::Repeats;

/// The greatest number of parts.
const PARTS_MAX: usize = 200;
/// The longest text that stands for a part without a letter in a claim about another part.
const NAME_MAX_BYTES: usize = 40;

/// The values of a minimized input and its parts.
pub(crate) struct Parts {
    pub(crate) values: Vec<String>,
    pub(crate) parts: Vec<ExploredPart>,
    /// How many places there was no time for.
    pub(crate) missing: u64,
}

/// Finds the parts of `input`, until the time of `clock` is over. Parts with claims come first.
///
/// `values` is empty if the text of the values differs from run to run. Then no part is found.
pub(crate) fn parts<S: Executor>(
    executor: &mut S,
    (id, input): (BugId, &[u8]),
    cause: &Cause,
    clock: &Clock,
) -> Parts {
    let Cause { minimized, claims } = cause;
    let values = texts_of(executor, input);
    let own = joined(&values);
    let mut wanted = places(minimized);
    // Stable: places with claims, large ones first, then the others.
    sort_by_key(&mut wanted, |place| !claims.claims.iter().any(|claim| claim.place == *place));
    wanted.truncate(PARTS_MAX);
    let is_steady = joined(&texts_of(executor, input)) == own;
    let own_words = words(&own);
    let mut all: Vec<Found> = Vec::new();
    let mut done = 0;
    for place in wanted.iter().filter(|_| is_steady) {
        if clock.is_over() {
            break;
        }
        let only = (id, Only::default());
        let mut runner = CandidateRunner::new(executor, only, Repeats::Always, clock);
        let sample = sample(*place, Says::Any, (minimized, claims), &mut runner);
        executor.allow_for(Runs::Fuzzing);
        let found = found(&sample, &own_words, &mut |input| {
            let texts = texts_of(executor, input);
            // A run that ended earlier or later than the minimized one has other values behind the
            // place, too.
            (texts.len() == values.len()).then(|| joined(&texts))
        });
        all.extend(found.map(|found| with_brackets(found, minimized, &own_words)));
        done += 1;
    }
    let missing = wanted.len() - done;
    let parts = described(all, cause, &own_words, &values);
    Parts { values, parts, missing: missing as u64 }
}

/// The drawn values of an input, safe for a terminal and cut.
pub(crate) fn texts_of<S: Executor>(executor: &mut S, input: &[u8]) -> Vec<String> {
    values_of(executor, input).iter().map(|value| safe(value)).collect()
}

/// A value as one line that is safe for a terminal. A long value is cut.
pub(crate) fn safe(value: &str) -> String {
    printable_line(&excerpt(value, JSON_MAX_BYTES)).into_owned()
}

fn joined(values: &[String]) -> String {
    values.join(&BETWEEN.to_string())
}

/// A collection whose elements differ is shown with its brackets.
fn with_brackets(found: Found, minimized: &Trace, own_words: &[&str]) -> Found {
    let Range { start, end } = found.words;
    let is_collection = matches!(found.place, Place::Span(span)
        if minimized.spans[span].label == Label::COLLECTION);
    let before = start.checked_sub(1).and_then(|at| own_words.get(at));
    match (before, own_words.get(end)) {
        (Some(&"["), Some(&"]")) | (Some(&"{"), Some(&"}")) if is_collection => {
            Found { words: start - 1..end + 1, ..found }
        }
        _ => found,
    }
}

/// The parts in the order of the text, with their claims.
fn described(
    mut all: Vec<Found>,
    cause: &Cause,
    own_words: &[&str],
    values: &[String],
) -> Vec<ExploredPart> {
    let Cause { minimized, claims } = cause;
    let lettered = Claims {
        claims: shown(claims)
            .filter(|claim| !matches!(claim.says, Says::Further(_)))
            .cloned()
            .collect(),
        ..Claims::none()
    };
    give_letters(&mut all, &lettered, own_words);
    let name = |place: Place| {
        let found = all.iter().find(|found| found.place == place);
        let text = found.map(|found| {
            let own = || own_words[found.words.clone()].concat();
            found.letter.clone().unwrap_or_else(|| excerpt(&own(), NAME_MAX_BYTES).into_owned())
        });
        text.unwrap_or_else(|| "another value".to_owned())
    };
    let mut parts = Vec::new();
    for found in &all {
        let Some((value, range)) = within(own_words, &found.words, values) else { continue };
        let own = |claim: &&Claim| claim.place == found.place;
        let says = claims.claims.iter().filter(own);
        let says = says.map(|claim| words_of(claim, found, (minimized, own_words), &name));
        parts.push(ExploredPart {
            place: written(found.place),
            value,
            start: range.start,
            end: range.end,
            letter: found.letter.clone(),
            varies: claims.claims.iter().filter(own).any(Claim::is_universal),
            claims: says.collect(),
        });
    }
    parts
}

fn words_of(
    claim: &Claim,
    found: &Found,
    of: (&Trace, &[&str]),
    name: &dyn Fn(Place) -> String,
) -> String {
    match &claim.says {
        Says::Alternatives(all) => {
            let always = all.iter().filter(|alternative| alternative.always_fails()).count();
            let failing = all.iter().filter(|alternative| alternative.tries.failed > 0).count();
            let count = all.len();
            match (failing, always) {
                (0, _) => format!("none of {count} other alternatives failed here"),
                (failing, always) => format!(
                    "{failing} of {count} other alternatives can fail here, {always} did in each \
                     try"
                ),
            }
        }
        _ => format!(
            "{} ({} of {} tries)",
            found.says(claim, of, name),
            claim.tries.failed,
            claim.tries.of
        ),
    }
}

/// The index of the value that holds these words of the joined text, and their bytes in it. `None`
/// if several values hold them.
fn within(
    own_words: &[&str],
    part: &Range<usize>,
    values: &[String],
) -> Option<(usize, Range<usize>)> {
    let bytes = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
    let mut start = bytes(&own_words[..part.start]);
    let mut end = start + bytes(&own_words[part.clone()]);
    for (index, value) in values.iter().enumerate() {
        if start <= value.len() {
            return (end <= value.len()).then_some((index, start..end));
        }
        let behind = value.len() + BETWEEN.len_utf8();
        (start, end) = (start - behind, end - behind);
    }
    None
}

/// A place as a request names it.
fn written(place: Place) -> PartPlace {
    match place {
        Place::Span(span) => PartPlace::Span(span),
        Place::Choice(at) => PartPlace::Choice(at),
    }
}

/// The place that a request names. `None` if `minimized` has no such part.
pub(crate) fn read(place: PartPlace, minimized: &Trace) -> Option<Place> {
    match place {
        PartPlace::Span(span) if span < minimized.spans.len() => Some(Place::Span(span)),
        PartPlace::Choice(at) if at < minimized.len() => Some(Place::Choice(at)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_stands_in_one_value() {
        let values = ["let a = 1;".to_owned(), "let b = [22, 3];".to_owned()];
        let text = joined(&values);
        let own_words = words(&text);
        let find = |word: &str| own_words.iter().position(|own| *own == word).unwrap();
        let of = |range: Range<usize>| {
            let (value, bytes) = within(&own_words, &range, &values)?;
            Some(values[value][bytes].to_owned())
        };
        assert_eq!(of(find("1")..find("1") + 1).unwrap(), "1");
        assert_eq!(of(find("22")..find("3") + 1).unwrap(), "22, 3");
        assert_eq!(of(find("1")..find("22")), None);
    }

    #[test]
    fn a_request_for_a_part_that_is_not_there_is_refused() {
        let minimized = Trace::default();
        assert_eq!(read(PartPlace::Span(0), &minimized), None);
        assert_eq!(read(PartPlace::Choice(0), &minimized), None);
    }

    #[test]
    fn a_value_is_one_safe_line() {
        assert_eq!(safe("a\n\u{1b}[31m"), "a\\n\\u{1b}[31m");
        assert!(safe(&"x".repeat(1 << 20)).len() < JSON_MAX_BYTES + 100);
    }
}
