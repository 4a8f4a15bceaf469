//! A class with some parts fixed or freed, for a person who asks what a part does.

use std::ops::Range;

use super::classes::claims::{Claim, Claims, Place, Relation, Says};
use crate::choice::Constraint;
use crate::shrink::place::is_datum;
use crate::sorted::sort_by_key;
use crate::trace::Trace;

/// The parts of a trace that can be fixed or freed: spans, and choices that are data. Parts with
/// many choices come first.
pub fn places(trace: &Trace) -> Vec<Place> {
    let spans = (0..trace.spans.len()).filter(|span| {
        let range = trace.spans[*span].range();
        let is_one_choice = range.len() == 1 && is_datum(&trace.choices[range.start]);
        !trace.spans[*span].discarded && !range.is_empty() && !is_one_choice
    });
    let is_value = |at: &usize| {
        let choice = &trace.choices[*at];
        is_datum(choice) && choice.constraint != Constraint::Path
    };
    let choices = (0..trace.len()).filter(is_value).map(Place::Choice);
    let mut places: Vec<Place> = spans.map(Place::Span).chain(choices).collect();
    sort_by_key(&mut places, |place| std::cmp::Reverse(place.range(trace).len()));
    places
}

impl Place {
    /// The choices of the place.
    pub fn range(self, trace: &Trace) -> Range<usize> {
        match self {
            Place::Span(span) => trace.spans[span].range(),
            Place::Choice(at) => at..at + 1,
        }
    }
}

impl Claims {
    /// The class in which the `fixed` places keep their minimized values. With `freed` places, it
    /// is the class in which these take any value, and everything else stays.
    ///
    /// A value that a claim binds closely to a fixed one is fixed, too: to an equal value, or to
    /// one more or less. A freed place need not fail, so the result is no claim.
    #[must_use]
    pub fn varied(&self, minimized: &Trace, fixed: &[Place], freed: &[Place]) -> Claims {
        if !freed.is_empty() {
            let free = |place: &Place| Claim::untried(*place, Says::Any);
            return Claims { claims: freed.iter().map(free).collect(), ..Claims::none() };
        }
        let mut claims = self.claims.clone();
        let mut fixed = fixed.to_vec();
        let mut done = 0;
        while let Some(place) = fixed.get(done).copied() {
            done += 1;
            fixed.extend(bound_by(&claims, place, minimized));
            claims.retain(|claim| !is_stopped(claim, place, minimized));
        }
        Claims { claims, ..Claims::none() }
    }
}

/// The places that have no other value while the choices of `place` keep theirs.
fn bound_by(claims: &[Claim], place: Place, minimized: &Trace) -> Vec<Place> {
    let range = place.range(minimized);
    let is_close = |relation: Relation| {
        matches!(relation, Relation::Equal | Relation::OneMore | Relation::OneLess)
    };
    let bound = claims.iter().filter_map(|claim| match (claim.place, &claim.says) {
        (Place::Choice(at), Says::Related(relation, term)) if is_close(*relation) => {
            range.contains(&at).then_some(term.place())
        }
        _ => None,
    });
    bound.collect()
}

/// Whether a claim would change the choices of a fixed place.
fn is_stopped(claim: &Claim, fixed: Place, minimized: &Trace) -> bool {
    let (own, fixed_range) = (claim.place.range(minimized), fixed.range(minimized));
    let is_inside = fixed_range.start <= own.start && own.end <= fixed_range.end;
    let is_around = own.start <= fixed_range.start && fixed_range.end <= own.end;
    match claim.says {
        // Further elements stand beside the fixed one.
        Says::Further(_) => is_inside,
        _ => is_inside || is_around,
    }
}

#[cfg(test)]
mod tests {
    use super::super::classes::claims::{Term, Tries};
    use super::*;
    use crate::generators as g;
    use crate::prelude::*;
    use crate::test_case::Driver;

    /// Two numbers and a list of one number.
    fn trace() -> Trace {
        let mut driver = Driver::new();
        driver.start_bytes_recorded(&[1, 2, 1, 3, 0], 100);
        driver.draw(any::<u8>());
        driver.draw(any::<u8>());
        driver.draw(g::vec(any::<u8>()));
        driver.trace().clone()
    }

    fn claims(claims: Vec<(Place, Says)>) -> Claims {
        let tries = Tries::default();
        let claims = claims.into_iter().map(|(place, says)| Claim { place, says, tries });
        Claims { claims: claims.collect(), ..Claims::none() }
    }

    fn collection(trace: &Trace) -> usize {
        let is_collection =
            |span: &usize| trace.spans[*span].label == crate::trace::Label::COLLECTION;
        (0..trace.spans.len()).find(is_collection).unwrap()
    }

    #[test]
    fn the_parts_are_the_list_its_number_and_the_two_numbers() {
        let trace = trace();
        let ranges: Vec<_> = places(&trace).iter().map(|place| place.range(&trace)).collect();
        assert!(ranges.contains(&(0..1)) && ranges.contains(&(1..2)), "{ranges:?}");
        assert!(ranges.contains(&(2..5)) && ranges.contains(&(3..4)), "{ranges:?}");
        assert!(ranges.is_sorted_by_key(|range| std::cmp::Reverse(range.len())), "{ranges:?}");
    }

    #[test]
    fn a_fixed_value_fixes_what_it_is_equal_to() {
        let trace = trace();
        let equal = Says::Related(Relation::Equal, Term::Value(0));
        let known = claims(vec![(Place::Choice(0), Says::Any), (Place::Choice(1), equal)]);
        assert!(known.varied(&trace, &[Place::Choice(1)], &[]).claims.is_empty());
        let less = Says::Related(Relation::Less, Term::Value(0));
        let known = claims(vec![(Place::Choice(0), Says::Any), (Place::Choice(1), less)]);
        let varied = known.varied(&trace, &[Place::Choice(1)], &[]);
        assert_eq!(varied.claims, known.claims[..1]);
    }

    #[test]
    fn a_fixed_element_leaves_further_elements_and_stops_a_free_list() {
        let trace = trace();
        let list = Place::Span(collection(&trace));
        let further = claims(vec![(list, Says::Further(super::super::Sides::Anywhere))]);
        assert_eq!(further.varied(&trace, &[Place::Choice(3)], &[]).claims, further.claims);
        assert!(further.varied(&trace, &[list], &[]).claims.is_empty());
        let free = claims(vec![(list, Says::Any)]);
        assert!(free.varied(&trace, &[Place::Choice(3)], &[]).claims.is_empty());
    }

    #[test]
    fn beside_a_freed_part_everything_stays() {
        let trace = trace();
        let list = Place::Span(collection(&trace));
        let known = claims(vec![(Place::Choice(0), Says::Any), (Place::Choice(3), Says::Any)]);
        let varied = known.varied(&trace, &[Place::Choice(0)], &[list]);
        assert_eq!(varied.claims, claims(vec![(list, Says::Any)]).claims);
    }
}
