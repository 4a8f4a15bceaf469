//! Claims as JSON, for the report of a bug.
//!
//! ```json
//! {"claims": [{"choice": 3, "says": "within", "min": "3", "max": "255", "failed": 40, "of": 40}],
//!  "failed": 100, "of": 100}
//! ```
//!
//! A place is the number of a choice or of a span of the minimized input, as one run of the target
//! draws it.

use dwindle_corpus::Json;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::choice::{
    Choice, Constraint, FloatRange, IntegerRange, Length, Role,
};
use dwindle_engine::internals::explain::{
    Alternative, Claim, Claims, Ending, Kinds, Pattern, Place, Relation, Says, Sides, Term, Tries,
};

/// The claims that decide which inputs are explained.
pub(crate) fn write(claims: &Claims) -> Json {
    let each: Vec<Json> = claims.claims.iter().map(claim).collect();
    let loose: Vec<Json> = claims.loose.iter().map(|place| Json::object([at(*place)])).collect();
    let patterns = claims.patterns.iter().map(|pattern| {
        Json::object([
            ("choice", pattern.choice.into()),
            ("items", pattern.items.iter().map(kinds).collect::<Vec<_>>().into()),
            ("gaps", pattern.gaps.iter().map(kinds).collect::<Vec<_>>().into()),
            ("equal", pattern.equal.clone().into()),
        ])
    });
    let equal = claims.equal.iter().map(|(one, other)| {
        let pair: Vec<Json> = vec![(*one).into(), (*other).into()];
        Json::from(pair)
    });
    let apart: Vec<Json> = claims.apart.iter().map(|hash| hash.to_string().into()).collect();
    let closed: Vec<Json> = claims.closed.iter().map(|span| (*span).into()).collect();
    let inside: Vec<Json> = claims.inside.iter().map(|span| (*span).into()).collect();
    let counts: Vec<Json> = claims.counts.iter().map(|choice| (*choice).into()).collect();
    Json::object([
        ("claims", each.into()),
        ("loose", loose.into()),
        ("patterns", patterns.collect::<Vec<_>>().into()),
        ("closed", closed.into()),
        ("inside", inside.into()),
        ("counts", counts.into()),
        ("equal", equal.collect::<Vec<_>>().into()),
        ("apart", apart.into()),
        ("is_mixed", claims.is_mixed.into()),
        ("failed", claims.together.failed.into()),
        ("of", claims.together.of.into()),
    ])
}

fn kinds(kinds: &Kinds) -> Json {
    let kind = |(least, greatest): &(u32, u32)| Json::from(vec![*least, *greatest]);
    kinds.iter().map(kind).collect::<Vec<_>>().into()
}

/// A place as the field of an object.
fn at(place: Place) -> (&'static str, Json) {
    match place {
        Place::Span(span) => ("span", span.into()),
        Place::Choice(at) => ("choice", at.into()),
    }
}

fn claim(claim: &Claim) -> Json {
    let tries = [("failed", claim.tries.failed.into()), ("of", claim.tries.of.into())];
    Json::of_fields(&mut says(&claim.says).into_iter().chain([at(claim.place)]).chain(tries))
}

fn says(says: &Says) -> Vec<(&'static str, Json)> {
    match says {
        Says::Any => vec![("says", "any".into())],
        Says::Deep(levels) => vec![("says", "deep".into()), ("levels", (*levels).into())],
        Says::Within(constraint) => {
            let (min, max) = ends(constraint);
            vec![("says", "within".into()), ("min", min.into()), ("max", max.into())]
        }
        Says::Containing(sides) => {
            vec![("says", "containing".into()), ("sides", name(&SIDES, *sides).into())]
        }
        Says::Further(sides) => {
            vec![("says", "further".into()), ("sides", name(&SIDES, *sides).into())]
        }
        Says::Related(relation, term) => {
            let term = match term {
                Term::Value(at) => ("to_choice", (*at).into()),
                Term::Length(span) => ("to_length", (*span).into()),
            };
            let relation = ("relation", name(&RELATIONS, *relation).into());
            vec![("says", "related".into()), relation, term]
        }
        Says::Alternatives(all) => {
            let each = all.iter().map(|one| {
                Json::object([
                    ("alternative", one.value.to_string().into()),
                    ("failed", one.tries.failed.into()),
                    ("of", one.tries.of.into()),
                ])
            });
            let seen = ("seen", each.collect::<Vec<_>>().into());
            vec![("says", "alternatives".into()), seen]
        }
    }
}

const SIDES: [(&str, Sides); 3] =
    [("anywhere", Sides::Anywhere), ("behind", Sides::Behind), ("before", Sides::Before)];

const RELATIONS: [(&str, Relation); 14] = [
    ("different", Relation::Different),
    ("at-most", Relation::AtMost),
    ("at-least", Relation::AtLeast),
    ("less", Relation::Less),
    ("greater", Relation::Greater),
    ("one-more", Relation::OneMore),
    ("one-less", Relation::OneLess),
    ("contains", Relation::Contains(Sides::Anywhere)),
    ("begins-with", Relation::Contains(Sides::Behind)),
    ("ends-with", Relation::Contains(Sides::Before)),
    ("part-of", Relation::PartOf(Sides::Anywhere)),
    ("beginning-of", Relation::PartOf(Sides::Behind)),
    ("end-of", Relation::PartOf(Sides::Before)),
    ("equal", Relation::Equal),
];

fn name<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, named)| *named == value).map_or("", |(name, _)| name)
}

fn named<T: Copy>(names: &[(&'static str, T)], text: &Json) -> Option<T> {
    names.iter().find(|(name, _)| text.as_str() == Some(*name)).map(|(_, value)| *value)
}

/// The ends of an interval as text: numbers, or lengths.
fn ends(constraint: &Constraint) -> (String, String) {
    match constraint {
        Constraint::Integer(range) => (range.min.to_string(), range.max.to_string()),
        Constraint::Float(range) => (format!("{:?}", range.min), format!("{:?}", range.max)),
        Constraint::Text(length, _) | Constraint::Bytes(length) => {
            (length.min.to_string(), length.max.to_string())
        }
        Constraint::Boolean(_) | Constraint::Rest | Constraint::Path => Default::default(),
    }
}

/// Reads what [`write`] wrote. `minimized` is the trace of the minimized input. `None` if the
/// claims do not fit it, or if a newer dwindle wrote them.
pub(crate) fn read(json: &Json, minimized: &Trace) -> Option<Claims> {
    let claims = json.get("claims")?.as_list()?;
    Some(Claims {
        claims: claims.iter().map(|json| read_claim(json, minimized)).collect::<Option<_>>()?,
        loose: list(json, "loose")
            .map(|json| read_place(json, minimized))
            .collect::<Option<_>>()?,
        patterns: list(json, "patterns")
            .map(|json| read_pattern(json, minimized))
            .collect::<Option<_>>()?,
        closed: indexes(json, "closed", minimized.spans.len())?,
        inside: indexes(json, "inside", minimized.spans.len())?,
        counts: indexes(json, "counts", minimized.len())?,
        equal: list(json, "equal").map(|json| read_pair(json, minimized)).collect::<Option<_>>()?,
        apart: list(json, "apart")
            .map(|json| json.as_str()?.parse().ok())
            .collect::<Option<_>>()?,
        is_mixed: json.get("is_mixed").and_then(Json::as_bool).unwrap_or(false),
        together: tries(json)?,
        passing: None,
        runs: 0,
        ending: Ending::Done,
    })
}

/// The indexes of a list. `None` if one of them is not below `end`.
fn indexes(json: &Json, name: &str, end: usize) -> Option<Vec<usize>> {
    let indexes = list(json, name).map(|json| json.as_u64().map(|index| index as usize));
    indexes.map(|index| index.filter(|index| *index < end)).collect()
}

fn read_pair(json: &Json, minimized: &Trace) -> Option<(usize, usize)> {
    let [one, other] = json.as_list()? else { return None };
    let span = |json: &Json| Some(json.as_u64()? as usize);
    let (one, other) = (span(one)?, span(other)?);
    (one < other && other < minimized.spans.len()).then_some((one, other))
}

/// The items of a field; none if there is no such field.
fn list<'a>(json: &'a Json, field: &str) -> impl Iterator<Item = &'a Json> {
    json.get(field).and_then(Json::as_list).into_iter().flatten()
}

fn read_pattern(json: &Json, minimized: &Trace) -> Option<Pattern> {
    let all = |field| list(json, field).map(read_kinds).collect::<Option<Vec<Kinds>>>();
    let choice = index(json, "choice").filter(|choice| *choice < minimized.len())?;
    // Earlier versions knew free items only.
    let items = if json.get("free").is_some() { "free" } else { "items" };
    let equal = list(json, "equal").map(|at| Some(at.as_u64()? as usize)).collect::<Option<_>>()?;
    Some(Pattern { choice, items: all(items)?, gaps: all("gaps")?, equal })
}

fn read_kinds(json: &Json) -> Option<Kinds> {
    if let Some(is_any) = json.as_bool() {
        return Some(if is_any { vec![(0, u32::MAX)] } else { Kinds::new() });
    }
    json.as_list()?.iter().map(read_kind).collect()
}

fn read_kind(json: &Json) -> Option<(u32, u32)> {
    let [least, greatest] = json.as_list()? else { return None };
    Some((least.as_u64()?.try_into().ok()?, greatest.as_u64()?.try_into().ok()?))
}

fn read_place(json: &Json, minimized: &Trace) -> Option<Place> {
    match (index(json, "choice"), index(json, "span")) {
        (Some(at), _) if at < minimized.len() => Some(Place::Choice(at)),
        (None, Some(span)) if span < minimized.spans.len() => Some(Place::Span(span)),
        _ => None,
    }
}

fn tries(json: &Json) -> Option<Tries> {
    Some(Tries { failed: json.get("failed")?.as_u64()?, of: json.get("of")?.as_u64()? })
}

fn index(json: &Json, field: &str) -> Option<usize> {
    json.get(field)?.as_u64()?.try_into().ok()
}

fn read_claim(json: &Json, minimized: &Trace) -> Option<Claim> {
    let place = read_place(json, minimized)?;
    Some(Claim { place, says: read_says(json, place, minimized)?, tries: tries(json)? })
}

fn read_says(json: &Json, place: Place, minimized: &Trace) -> Option<Says> {
    Some(match json.get("says")?.as_str()? {
        "any" => Says::Any,
        "deep" => Says::Deep(json.get("levels")?.as_u64()? as usize),
        "within" => {
            let Place::Choice(at) = place else { return None };
            Says::Within(narrowed(&minimized.choices[at].constraint, json)?)
        }
        "containing" => Says::Containing(named(&SIDES, json.get("sides")?)?),
        "further" => Says::Further(named(&SIDES, json.get("sides")?)?),
        "related" => {
            let term = match (index(json, "to_choice"), index(json, "to_length")) {
                (Some(at), _) if at < minimized.len() => Term::Value(at),
                (None, Some(span)) if span < minimized.spans.len() => Term::Length(span),
                _ => return None,
            };
            Says::Related(named(&RELATIONS, json.get("relation")?)?, term)
        }
        "alternatives" => {
            let at = match place {
                Place::Choice(at) => at,
                Place::Span(span) => minimized.spans[span].start as usize,
            };
            let each = json.get("seen")?.as_list()?.iter().map(|one| {
                let value = match one.get("alternative") {
                    Some(value) => value.as_str()?.parse().ok()?,
                    None => read_place_of_alternative(one, minimized.choices.get(at)?)?,
                };
                Some(Alternative { value, tries: tries(one)? })
            });
            Says::Alternatives(each.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// The alternative in a report of an earlier version. Weighted ones have several places there, and
/// the place stands for the alternative.
fn read_place_of_alternative(json: &Json, choice: &Choice) -> Option<i128> {
    let value: i128 = json.get("value")?.as_str()?.parse().ok()?;
    let Constraint::Integer(range) = &choice.constraint else { return Some(value) };
    let fused = i128::from(range.role == Role::Element);
    let Ok(place) = usize::try_from(value - fused) else { return Some(value) };
    Some(range.shares.index_at(place) as i128 + fused)
}

/// The constraint of a choice with the stored ends.
fn narrowed(constraint: &Constraint, json: &Json) -> Option<Constraint> {
    fn end<T: std::str::FromStr>(json: &Json, field: &str) -> Option<T> {
        json.get(field)?.as_str()?.parse().ok()
    }
    let length = || Some(Length { min: end(json, "min")?, max: end(json, "max")? });
    Some(match constraint {
        Constraint::Integer(range) => {
            let (min, max) = (end(json, "min")?, end(json, "max")?);
            let towards = range.towards.max(min).min(max);
            Constraint::Integer(IntegerRange { min, max, towards, ..*range })
        }
        Constraint::Float(range) => Constraint::Float(FloatRange {
            min: end(json, "min")?,
            max: end(json, "max")?,
            ..*range
        }),
        Constraint::Text(_, alphabet) => Constraint::Text(length()?, alphabet.clone()),
        Constraint::Bytes(_) => Constraint::Bytes(length()?),
        Constraint::Boolean(_) | Constraint::Rest | Constraint::Path => return None,
    })
}

#[cfg(test)]
mod tests {
    use dwindle_engine::generators as g;
    use dwindle_engine::internals::Driver;
    use dwindle_engine::prelude::*;

    use super::*;

    fn trace() -> Trace {
        let mut driver = Driver::new();
        driver.start_bytes_recorded(&[1; 64], 100);
        driver.draw(g::integers(0..=1000u16));
        driver.draw(any::<f64>());
        driver.draw(any::<Vec<u8>>());
        driver.draw(any::<String>());
        driver.trace().clone()
    }

    fn claims(trace: &Trace) -> Vec<Claim> {
        let tries = Tries { failed: 7, of: 8 };
        let says = [
            Says::Any,
            Says::Deep(5),
            Says::Containing(Sides::Before),
            Says::Further(Sides::Anywhere),
            Says::Related(Relation::OneLess, Term::Value(1)),
            Says::Related(Relation::Equal, Term::Length(0)),
            Says::Alternatives(vec![Alternative { value: -3, tries }]),
        ];
        let mut claims: Vec<Claim> =
            says.into_iter().map(|says| Claim { place: Place::Choice(0), says, tries }).collect();
        claims.push(Claim { place: Place::Span(0), says: Says::Any, tries });
        for at in 0..trace.len() {
            let says = match trace.choices[at].constraint.clone() {
                Constraint::Integer(range) => {
                    let max = range.max - 1;
                    Constraint::Integer(IntegerRange {
                        max,
                        towards: range.towards.min(max),
                        ..range
                    })
                }
                Constraint::Float(range) => {
                    Constraint::Float(FloatRange { min: -0.0, max: f64::INFINITY, ..range })
                }
                Constraint::Text(_, alphabet) => {
                    Constraint::Text(Length { min: 2, max: 9 }, alphabet)
                }
                _ => continue,
            };
            claims.push(Claim { place: Place::Choice(at), says: Says::Within(says), tries });
        }
        claims
    }

    #[test]
    fn claims_are_read_as_they_were_written() {
        let trace = trace();
        let mut written =
            Claims::of(Claim { place: Place::Choice(0), says: Says::Any, tries: Tries::default() });
        written.claims = claims(&trace);
        written.loose = vec![Place::Choice(1), Place::Span(0)];
        (written.closed, written.apart) = (vec![0], vec![-7, 300]);
        (written.is_mixed, written.equal) = (true, vec![(0, 1)]);
        (written.inside, written.counts) = (vec![0], vec![1]);
        written.patterns = vec![Pattern {
            choice: 2,
            items: vec![vec![(0x30, 0x39), (0x61, 0x7A)], Vec::new()],
            gaps: vec![Vec::new(), Vec::new(), vec![(0, u32::MAX)]],
            equal: vec![0, 1],
        }];
        assert!(written.claims.len() > 8);
        let text = write(&written).to_string();
        let read = read(&Json::read(text.as_bytes()).unwrap(), &trace).unwrap();
        assert_eq!(read.claims, written.claims);
        assert_eq!((read.loose, read.patterns), (written.loose, written.patterns));
        assert_eq!((read.closed, read.apart), (written.closed, written.apart));
        assert_eq!((read.is_mixed, read.equal), (true, vec![(0, 1)]));
        assert_eq!((read.inside, read.counts), (written.inside, written.counts));
    }

    #[test]
    fn patterns_of_earlier_versions_are_read() {
        let pattern = r#"{"choice": 1, "free": [true, false], "gaps": [false, false, true]}"#;
        let pattern = read_pattern(&Json::read(pattern.as_bytes()).unwrap(), &trace()).unwrap();
        let any = vec![(0, u32::MAX)];
        assert_eq!(pattern.items, [any.clone(), Vec::new()]);
        assert_eq!(pattern.gaps, [Vec::new(), Vec::new(), any]);
    }

    #[test]
    fn places_of_weighted_alternatives_in_earlier_versions_are_read() {
        let mut driver = Driver::new();
        driver.start_bytes_recorded(&[5], 100);
        driver.draw(g::one_of([0, 1, 2].map(g::just)).weights([2, 3, 4]));
        let text = r#"{"claims": [{"choice": 0, "says": "alternatives", "failed": 1, "of": 1,
            "seen": [{"value": "4", "failed": 1, "of": 1}]}], "failed": 1, "of": 1}"#;
        let read = read(&Json::read(text.as_bytes()).unwrap(), driver.trace()).unwrap();
        let tries = Tries { failed: 1, of: 1 };
        let says = Says::Alternatives(vec![Alternative { value: 1, tries }]);
        assert_eq!(read.claims, [Claim { place: Place::Choice(0), says, tries }]);
    }

    #[test]
    fn claims_that_do_not_fit_the_input_are_refused() {
        let trace = trace();
        for bad in [
            "{}",
            r#"{"claims": 3, "failed": 1, "of": 1}"#,
            r#"{"claims": [{"choice": 900, "says": "any", "failed": 1, "of": 1}]}"#,
            r#"{"claims": [{"choice": 0, "says": "newer", "failed": 1, "of": 1}]}"#,
            r#"{"claims": [{"choice": 0, "says": "within", "failed": 1, "of": 1}]}"#,
            r#"{"claims": [{"says": "any", "failed": 1, "of": 1}]}"#,
        ] {
            let mut json = Json::read(bad.as_bytes()).unwrap();
            let Json::Object(fields) = &mut json else { unreachable!("{bad}") };
            fields.extend(["failed", "of"].map(|field| (field.to_owned(), 1u32.into())));
            assert!(read(&json, &trace).is_none(), "{bad}");
        }
    }
}
