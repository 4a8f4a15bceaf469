//! Claims as lines for people.

use std::fmt::{self, Display, Formatter};

use super::claims::{Alternative, Claim, Claims, Ending, Place, Relation, Says, Sides, Step, Term};
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
    let place = name(claim.place);
    let tries = format!("({} of {})", claim.tries.failed, claim.tries.of);
    match &claim.says {
        Says::Any => format!("{place}: any value {tries}"),
        Says::Within(constraint) => format!("{place}: {} {tries}", Within(constraint)),
        Says::Containing(sides) => {
            let Place::Choice(at) = claim.place else { return place };
            let how = match sides {
                Sides::Anywhere => "anything that contains",
                Sides::Behind => "anything that begins with",
                Sides::Before => "anything that ends with",
            };
            format!("{place}: {how} {} {tries}", minimized.choices[at])
        }
        Says::Further(sides) => {
            let place_of_further = match sides {
                Sides::Anywhere => "anywhere",
                Sides::Behind => "at the end",
                Sides::Before => "at the beginning",
            };
            format!("{place}: any further elements {place_of_further} {tries}")
        }
        Says::Related(relation, term) => {
            let other = match term {
                Term::Value(other) => name(Place::Choice(*other)),
                Term::Length(span) => format!("the length of {}", name(Place::Span(*span))),
            };
            format!("{place}: {} {other} {tries}", relation.in_words())
        }
        Says::Alternatives(all) => format!("{place}: {}", seen(all)),
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
            Relation::Equal => "equal to",
        }
    }
}

struct Within<'a>(&'a Constraint);

impl Display for Within<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown = |value: Value| Choice { value, constraint: self.0.clone() };
        match self.0 {
            Constraint::Integer(range) => {
                let (min, max) = (Value::Integer(range.min), Value::Integer(range.max));
                write!(f, "any value from {} to {}", shown(min), shown(max))
            }
            Constraint::Float(range) => {
                write!(f, "any value from {:?} to {:?}", range.min, range.max)
            }
            Constraint::Text(length, _) => write!(f, "any text from length {} on", length.min),
            Constraint::Bytes(length) => write!(f, "any bytes from length {} on", length.min),
            Constraint::Boolean(_) | Constraint::Rest | Constraint::Path => {
                f.write_str("any value")
            }
        }
    }
}
