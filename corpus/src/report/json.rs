//! `report.json`: writing and reading a report.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::{BugKind, Explanation, REPORT_FORMAT, Rate, Reached, Report, Status, SuspiciousLine};
use crate::printable::printable_json;
use crate::{BugId, Json};

/// Why a text is no report that this version reads.
pub(crate) enum NotAReport {
    /// A newer version wrote it, in this format.
    Newer(u32),
    Broken(String),
}

impl Report {
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut report = self.for_json();
        // JSON has no infinities. Writing one would make a report that dwindle cannot read back.
        if !report.seconds.is_finite() {
            report.seconds = 0.0;
        }
        let mut json = printable_json(object_of(&written(&report))).into_bytes();
        json.push(b'\n');
        json
    }

    pub(crate) fn from_json(json: &[u8]) -> Result<Report, NotAReport> {
        let Json::Object(fields) = Json::read(json).map_err(NotAReport::Broken)? else {
            return Err(NotAReport::Broken("it is not an object".to_owned()));
        };
        let mut fields = Fields(fields);
        // The format comes first: a change in a newer format must not be reported as damage.
        match fields.number("format").map(u32::try_from) {
            Ok(Ok(format)) if format > REPORT_FORMAT => Err(NotAReport::Newer(format)),
            Ok(Ok(format)) => fields.report(format).map_err(NotAReport::Broken),
            Ok(Err(_)) => Err(NotAReport::Broken(wrong("format"))),
            Err(error) => Err(NotAReport::Broken(error)),
        }
    }
}

/// A part of a report as it is written: a value, or fields in their order.
enum Part {
    Value(Json),
    Fields(Vec<(String, Part)>),
}

impl<T: Into<Json>> From<T> for Part {
    fn from(value: T) -> Part {
        Part::Value(value.into())
    }
}

/// An object with one field in each line.
fn object_of(fields: &[(String, Part)]) -> String {
    let mut text = "{".to_owned();
    for (at, (name, part)) in fields.iter().enumerate() {
        let part = match part {
            Part::Value(value) => format!("{value:#}"),
            Part::Fields(fields) => object_of(fields),
        };
        let comma = if at == 0 { "" } else { "," };
        // No string contains a line end, because JSON escapes it. Writing to a string cannot fail.
        let _ = write!(text, "{comma}\n  {}: {}", Json::from(&**name), part.replace('\n', "\n  "));
    }
    text.push_str("\n}");
    text
}

/// All fields that are to be written.
fn written(report: &Report) -> Vec<(String, Part)> {
    let is_wanted = |name: &str, part: &Part| match (name, part) {
        ("aliases" | "listing", Part::Value(Json::List(list))) => !list.is_empty(),
        ("no_smaller_among" | "rate" | "explanation", Part::Value(value)) => !value.is_null(),
        ("only_when_fresh", Part::Value(value)) => value == &Json::Bool(true),
        _ => true,
    };
    let rate = report.rate.map_or(Part::Value(Json::Null), written_rate);
    let explanation =
        report.explanation.as_deref().map_or(Part::Value(Json::Null), written_explanation);
    let aliases: Vec<String> = report.aliases.iter().map(BugId::to_string).collect();
    let fields: [(&str, Part); 26] = [
        ("format", report.format.into()),
        ("target", report.target.clone().into()),
        ("bug_id", report.bug_id.to_string().into()),
        ("aliases", aliases.into()),
        ("kind", report.kind.to_string().into()),
        ("message", report.message.clone().into()),
        ("location", report.location.clone().into()),
        ("frames", report.frames.clone().into()),
        ("value", report.value.clone().into()),
        ("listing", report.listing.clone().into()),
        ("status", report.status.to_string().into()),
        ("original_bytes", report.original_bytes.into()),
        ("minimized_bytes", report.minimized_bytes.into()),
        ("original_choices", report.original_choices.into()),
        ("minimized_choices", report.minimized_choices.into()),
        ("no_smaller_among", report.no_smaller_among.into()),
        ("rate", rate),
        ("only_when_fresh", report.only_when_fresh.into()),
        ("calls", report.calls.into()),
        ("seconds", report.seconds.into()),
        ("sightings", report.hits.into()),
        ("first_seen", report.first_seen.into()),
        ("engine", report.engine.clone().into()),
        ("byte_format", report.byte_format.into()),
        ("signature_version", report.signature_version.into()),
        ("explanation", explanation),
    ];
    let extra = report.extra.iter().map(|(name, value)| (name.clone(), value.clone().into()));
    let fields = fields.into_iter().filter(|(name, part)| is_wanted(name, part));
    fields.map(|(name, part)| (name.to_owned(), part)).chain(extra).collect()
}

fn written_rate(Rate { failed, of }: Rate) -> Part {
    Part::Fields(
        [("failed", failed), ("of", of)].map(|(name, n)| (name.to_owned(), n.into())).into(),
    )
}

fn written_explanation(known: &Explanation) -> Part {
    let list = |texts: &Vec<String>| (!texts.is_empty()).then(|| Part::from(texts.clone()));
    let claims = (!known.claims.is_null()).then(|| known.claims.clone().into());
    let lines: Vec<Json> = known.lines.iter().map(written_line).collect();
    let lines = (!lines.is_empty()).then(|| Json::List(lines).into());
    let fields = [
        ("value", list(&known.value)),
        ("letters", list(&known.letters)),
        ("together", known.together.map(written_rate)),
        ("passes", list(&known.passes)),
        ("same_as", known.same_as.clone().map(Part::from)),
        ("runs", Some(known.runs.into())),
        ("lines", lines),
        ("claims", claims),
    ];
    let fields = fields.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?)));
    Part::Fields(fields.collect())
}

fn written_line(line: &SuspiciousLine) -> Json {
    let reached = |reached: Reached| {
        Json::object([("reached", reached.runs.into()), ("of", reached.of.into())])
    };
    Json::object([
        ("file", line.file.clone().into()),
        ("line", line.line.into()),
        ("function", line.function.clone().into()),
        ("failing", reached(line.failing)),
        ("passing", reached(line.passing)),
        ("score", ((line.score() * 1000.0).round() / 1000.0).into()),
        ("source", line.source.clone().into()),
    ])
}

/// A report inside an event.
#[cfg(feature = "fuzzing")]
mod events {
    use serde::de::{Deserialize, Deserializer, Error as _};
    use serde::ser::{Error as _, Serialize, Serializer};
    use serde_json::Value;

    use super::{Report, object_of, written};

    impl Serialize for Report {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let value: Value =
                serde_json::from_str(&object_of(&written(self))).map_err(S::Error::custom)?;
            value.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Report {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Report, D::Error> {
            // A value of a field of an event, with the fields of the event beside it.
            let fields = serde_json::Map::<String, Value>::deserialize(deserializer)?;
            let json = Value::Object(fields).to_string();
            Report::from_json(json.as_bytes()).map_err(D::Error::custom)
        }
    }
}

/// The fields of an object that were not read yet.
struct Fields(BTreeMap<String, Json>);

/// A message about a field.
type Read<T> = Result<T, String>;

fn wrong(name: &str) -> String {
    format!("the field `{name}` is missing or wrong")
}

impl Fields {
    fn report(mut self, format: u32) -> Read<Report> {
        let fields = &mut self;
        Ok(Report {
            format,
            target: fields.text("target")?,
            bug_id: fields.id("bug_id")?,
            aliases: fields
                .texts("aliases")?
                .iter()
                .map(|id| id.parse().map_err(|error| format!("{error}")))
                .collect::<Read<_>>()?,
            kind: BugKind::from_name(&fields.text("kind")?).ok_or_else(|| wrong("kind"))?,
            message: fields.text("message")?,
            location: fields.perhaps("location", text_of)?,
            frames: fields.needed("frames", texts_of)?,
            value: fields.needed("value", texts_of)?,
            listing: fields.texts("listing")?,
            status: Status::from_name(&fields.text("status")?).ok_or_else(|| wrong("status"))?,
            original_bytes: fields.number("original_bytes")?,
            minimized_bytes: fields.perhaps("minimized_bytes", number_of)?,
            original_choices: fields.perhaps("original_choices", number_of)?,
            minimized_choices: fields.perhaps("minimized_choices", number_of)?,
            no_smaller_among: fields.perhaps("no_smaller_among", number_of)?,
            rate: fields.perhaps("rate", rate_of)?,
            only_when_fresh: fields.perhaps("only_when_fresh", Json::as_bool)?.unwrap_or_default(),
            calls: fields.number("calls")?,
            seconds: fields.needed("seconds", Json::as_f64)?,
            hits: fields.number("sightings")?,
            first_seen: fields.number("first_seen")?,
            engine: fields.text("engine")?,
            byte_format: fields.needed("byte_format", small_of)?,
            signature_version: fields.needed("signature_version", small_of)?,
            explanation: fields.perhaps("explanation", explanation_of)?,
            extra: std::mem::take(&mut fields.0),
        })
    }

    fn needed<T>(&mut self, name: &str, read: fn(&Json) -> Option<T>) -> Read<T> {
        self.0.remove(name).and_then(|value| read(&value)).ok_or_else(|| wrong(name))
    }

    /// `None` if the field is missing or null.
    fn perhaps<T>(&mut self, name: &str, read: fn(&Json) -> Option<T>) -> Read<Option<T>> {
        match self.0.remove(name) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => read(&value).map(Some).ok_or_else(|| wrong(name)),
        }
    }

    fn text(&mut self, name: &str) -> Read<String> {
        self.needed(name, text_of)
    }

    fn number(&mut self, name: &str) -> Read<u64> {
        self.needed(name, number_of)
    }

    fn id(&mut self, name: &str) -> Read<BugId> {
        self.text(name)?.parse().map_err(|error| format!("{name}: {error}"))
    }

    /// Empty if the field is missing.
    fn texts(&mut self, name: &str) -> Read<Vec<String>> {
        Ok(self.perhaps(name, texts_of)?.unwrap_or_default())
    }
}

fn text_of(value: &Json) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn texts_of(value: &Json) -> Option<Vec<String>> {
    value.as_list()?.iter().map(text_of).collect()
}

fn number_of(value: &Json) -> Option<u64> {
    value.as_u64()
}

fn small_of(value: &Json) -> Option<u32> {
    number_of(value)?.try_into().ok()
}

fn rate_of(value: &Json) -> Option<Rate> {
    Some(Rate { failed: small_of(value.get("failed")?)?, of: small_of(value.get("of")?)? })
}

fn explanation_of(value: &Json) -> Option<Box<Explanation>> {
    let Json::Object(fields) = value else { return None };
    let mut fields = Fields(fields.clone());
    Some(Box::new(Explanation {
        value: fields.texts("value").ok()?,
        letters: fields.texts("letters").ok()?,
        together: fields.perhaps("together", rate_of).ok()?,
        passes: fields.texts("passes").ok()?,
        same_as: fields.perhaps("same_as", text_of).ok()?,
        runs: fields.number("runs").ok()?,
        lines: fields.perhaps("lines", lines_of).ok()?.unwrap_or_default(),
        claims: fields.0.remove("claims").unwrap_or_default(),
    }))
}

fn lines_of(value: &Json) -> Option<Vec<SuspiciousLine>> {
    let reached = |value: &Json| {
        Some(Reached { runs: small_of(value.get("reached")?)?, of: small_of(value.get("of")?)? })
    };
    let line = |value: &Json| {
        Some(SuspiciousLine {
            file: text_of(value.get("file")?)?,
            line: small_of(value.get("line")?)?,
            function: text_of(value.get("function")?)?,
            failing: reached(value.get("failing")?)?,
            passing: reached(value.get("passing")?)?,
            source: value.get("source").and_then(text_of),
        })
    };
    value.as_list()?.iter().map(line).collect()
}

impl fmt::Display for NotAReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAReport::Newer(format) => write!(f, "it has format {format}"),
            NotAReport::Broken(error) => f.write_str(error),
        }
    }
}
