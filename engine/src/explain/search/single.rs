//! Claims about one place while everything else stays: spans, choices, further elements.

use super::interval;
use crate::choice::{Choice, Constraint, Length, Value};
use crate::explain::classes::claims::{Claim, Place, Says, Sides};
use crate::explain::classes::levels;
use crate::explain::classes::study::Study;
use crate::shrink::place::is_datum;
use crate::sorted::sort_by_key;

/// Which spans and choices are free: spans with many choices first, and nothing inside what is
/// free already.
pub(super) fn free(study: &mut Study<'_>) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let mut spans: Vec<usize> = (0..study.base.spans.len()).collect();
    sort_by_key(&mut spans, |span| std::cmp::Reverse(study.base.spans[*span].len()));
    let mut tried: Vec<std::ops::Range<usize>> = Vec::new();
    for span in spans {
        let range = study.base.spans[span].range();
        let is_one_choice = range.len() == 1 && is_datum(&study.base.choices[range.start]);
        if range.is_empty()
            || study.base.spans[span].discarded
            || is_one_choice
            || is_inside(study, &claims, &range)
        {
            continue;
        }
        let any = (!tried.contains(&range)).then_some(Says::Any);
        let levels = levels::count(study.base, span);
        let deep = (levels > 1).then_some(Says::Deep(levels));
        let mut says = any.into_iter().chain(deep);
        claims.extend(says.find_map(|says| study.confirmed(Place::Span(span), says)));
        tried.push(range);
    }
    for at in 0..study.base.len() {
        let choice = &study.base.choices[at];
        if is_datum(choice)
            && choice.constraint != Constraint::Path
            && !is_inside(study, &claims, &(at..at + 1))
        {
            claims.extend(value(study, at));
        }
    }
    claims
}

/// Whether a range of choices lies inside a span that is free.
pub(super) fn is_inside(
    study: &Study<'_>,
    claims: &[Claim],
    range: &std::ops::Range<usize>,
) -> bool {
    claims.iter().any(|claim| match (claim.place, &claim.says) {
        (Place::Span(span), Says::Any | Says::Deep(_)) => {
            let free = study.base.spans[span].range();
            free.start <= range.start && range.end <= free.end
        }
        _ => false,
    })
}

/// What the value of one choice may be.
fn value(study: &mut Study<'_>, at: usize) -> Option<Claim> {
    let place = Place::Choice(at);
    if let Some(claim) = study.confirmed(place, Says::Any) {
        return Some(claim);
    }
    let choice: &Choice = &study.base.choices[at];
    if study.line(at).is_some() {
        return interval::find(study, at);
    }
    let longer = longer(choice).map(Says::Within);
    let is_empty = *choice == Choice { value: choice.constraint.simplest(), ..choice.clone() };
    let containing = [Sides::Anywhere, Sides::Behind, Sides::Before].map(Says::Containing);
    let is_string = matches!(choice.value, Value::Text(_) | Value::Bytes(_));
    let containing = containing.into_iter().filter(|_| is_string && !is_empty);
    longer.into_iter().chain(containing).find_map(|says| study.confirmed(place, says))
}

/// Strings at least as long as this one.
pub(super) fn longer(choice: &Choice) -> Option<Constraint> {
    match (&choice.value, &choice.constraint) {
        (Value::Text(text), Constraint::Text(length, alphabet)) => {
            let min = text.chars().count();
            let longer = Length { min, max: length.max };
            (min > length.min).then(|| Constraint::Text(longer, alphabet.clone()))
        }
        (Value::Bytes(bytes), Constraint::Bytes(length)) => {
            let longer = Length { min: bytes.len(), max: length.max };
            (bytes.len() > length.min).then_some(Constraint::Bytes(longer))
        }
        _ => None,
    }
}

/// Which collections may have further elements. An empty collection that may is free.
pub(super) fn further(study: &mut Study<'_>, claims: &mut Vec<Claim>) {
    for span in 0..study.base.spans.len() {
        let range = study.base.spans[span].range();
        let has_elements =
            study.tree.elements(study.base, span).is_some_and(|elements| !elements.is_empty());
        if !has_elements || is_inside(study, claims, &range) {
            continue;
        }
        let sides = [Sides::Anywhere, Sides::Behind, Sides::Before];
        claims.extend(
            sides
                .into_iter()
                .find_map(|sides| study.confirmed(Place::Span(span), Says::Further(sides))),
        );
    }
}
