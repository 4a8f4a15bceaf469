//! Claims as lines for people.

use std::fmt::{self, Display, Formatter};

use super::classes::claims::{
    Alternative, Claim, Claims, Ending, Place, Relation, Says, Sides, Step, Term,
};
use crate::choice::{Choice, Constraint, Value};
use crate::trace::Trace;

impl Claims {
    /// The claims as lines, at most `lines_max`. `name` gives a place in `minimized` its name.
    ///
    /// ```text
    /// line[0].price: any value (180 of 180)
    /// ```
    pub fn lines(
        &self,
        minimized: &Trace,
        name: &dyn Fn(Place) -> String,
        lines_max: usize,
    ) -> Vec<String> {
        if self.ending == Ending::Flaky {
            return vec!["the failure does not repeat, so nothing is claimed of it".to_owned()];
        }
        let claims = self.claims.iter().map(|claim| line(claim, minimized, name));
        let passing = self.passing.as_ref().map(|passing| {
            let place = name(passing.place);
            match (&passing.step, passing.place) {
                (Step::Changed(value), Place::Choice(at)) => {
                    let choice = Choice { value: value.clone(), ..minimized.choices[at].clone() };
                    format!("passes if {place} is {choice}")
                }
                (Step::Begun, _) => format!("passes if {place} has elements"),
                _ => format!("passes without {place}"),
            }
        });
        claims.chain(passing).take(lines_max).collect()
    }
}

fn line(claim: &Claim, minimized: &Trace, name: &dyn Fn(Place) -> String) -> String {
    let (place, words) = (name(claim.place), claim.in_words(minimized, name));
    match &claim.says {
        Says::Alternatives(_) => format!("{place}: {words}"),
        _ => format!("{place}: {words} ({} of {})", claim.tries.failed, claim.tries.of),
    }
}

impl Claim {
    /// What the claim says of its place, for example "any value from 3 to 7". `name` gives a place
    /// in `minimized` its name.
    pub fn in_words(&self, minimized: &Trace, name: &dyn Fn(Place) -> String) -> String {
        match &self.says {
            Says::Any => "any value".to_owned(),
            Says::Deep(levels) => format!("any value at least {levels} levels deep"),
            Says::Within(constraint) => {
                let Place::Choice(at) = self.place else { return String::new() };
                Within { constraint, own: &minimized.choices[at].constraint }.to_string()
            }
            Says::Containing(sides) => {
                let Place::Choice(at) = self.place else { return String::new() };
                let how = match sides {
                    Sides::Anywhere => "anything that contains",
                    Sides::Behind => "anything that begins with",
                    Sides::Before => "anything that ends with",
                };
                format!("{how} {}", minimized.choices[at])
            }
            Says::Further(Sides::Anywhere) => "any further elements anywhere".to_owned(),
            Says::Further(Sides::Behind) => "any further elements at the end".to_owned(),
            Says::Further(Sides::Before) => "any further elements at the beginning".to_owned(),
            Says::Related(relation, term) => {
                let (own, other) = (string(self.place, minimized), string(term.place(), minimized));
                let (name, words) = (name(term.place()), relation.in_words());
                match (own, other, term) {
                    (Some(kind), None, _) => {
                        let words = words.trim_start_matches("any value ");
                        format!("any {kind} with a length {words} {name}")
                    }
                    (None, Some(_), _) | (.., Term::Length(_)) => {
                        format!("{words} the length of {name}")
                    }
                    _ => format!("{words} {name}"),
                }
            }
            Says::Alternatives(all) => seen(all),
        }
    }
}

/// What the value of a choice is called, if it is a string.
fn string(place: Place, minimized: &Trace) -> Option<&'static str> {
    let Place::Choice(at) = place else { return None };
    match minimized.choices[at].value {
        Value::Text(_) => Some("text"),
        Value::Bytes(_) => Some("bytes"),
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => None,
    }
}

/// Which alternatives were seen to fail, and how often.
fn seen(all: &[Alternative]) -> String {
    let (failing, passing): (Vec<&Alternative>, Vec<&Alternative>) =
        all.iter().partition(|alternative| alternative.tries.failed > 0);
    let count = |alternatives: &[&Alternative]| {
        let each = alternatives.iter().map(|alternative| {
            let tries = alternative.tries;
            format!("{} ({} of {})", alternative.value, tries.failed, tries.of)
        });
        each.collect::<Vec<_>>().join(", ")
    };
    match (failing.is_empty(), passing.is_empty()) {
        (true, _) => format!("no other alternative failed: {}", count(&passing)),
        (false, true) => format!("other alternatives fail, too: {}", count(&failing)),
        (false, false) => {
            format!("alternatives fail, too: {}; but not: {}", count(&failing), count(&passing))
        }
    }
}

impl Relation {
    /// The relation as the beginning of "equal to the other value".
    fn in_words(self) -> &'static str {
        match self {
            Relation::Different => "any value that differs from",
            Relation::AtMost => "any value up to",
            Relation::AtLeast => "any value from",
            Relation::Less => "any value less than",
            Relation::Greater => "any value greater than",
            Relation::OneMore => "one more than",
            Relation::OneLess => "one less than",
            Relation::Contains(Sides::Anywhere) => "anything that contains",
            Relation::Contains(Sides::Behind) => "anything that begins with",
            Relation::Contains(Sides::Before) => "anything that ends with",
            Relation::PartOf(Sides::Anywhere) => "any part of",
            Relation::PartOf(Sides::Behind) => "any beginning of",
            Relation::PartOf(Sides::Before) => "any end of",
            Relation::Equal => "equal to",
        }
    }
}

/// An interval, and the constraint of the choice itself.
struct Within<'a> {
    constraint: &'a Constraint,
    own: &'a Constraint,
}

impl Display for Within<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown = |value: Value| Choice { value, constraint: self.constraint.clone() };
        match (self.constraint, self.own) {
            (Constraint::Integer(range), Constraint::Integer(own)) => {
                let (min, max) =
                    (shown(Value::Integer(range.min)), shown(Value::Integer(range.max)));
                match (range.min == own.min, range.max == own.max) {
                    (false, true) => write!(f, "any value from {min}"),
                    (true, false) => write!(f, "any value up to {max}"),
                    (true, true) => f.write_str("any value"),
                    (false, false) => write!(f, "any value from {min} to {max}"),
                }
            }
            (Constraint::Float(range), _) => {
                write!(f, "any value from {:?} to {:?}", range.min, range.max)
            }
            (Constraint::Text(length, _), _) => {
                write!(f, "any text from length {} on", length.min)
            }
            (Constraint::Bytes(length), _) => write!(f, "any bytes from length {} on", length.min),
            _ => f.write_str("any value"),
        }
    }
}
