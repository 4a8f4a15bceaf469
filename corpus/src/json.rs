//! JSON, as much of it as `report.json` needs. It saves builds without the feature `fuzzing` three
//! crates, which take a sixth of their time.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// A JSON value. Objects are sorted by the names of their fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written, so that no digit is lost.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(BTreeMap<String, Json>),
}

/// The deepest nesting that is read. A damaged file must not overflow the stack.
const DEPTH_MAX: usize = 128;

impl Json {
    /// Reads a text that is one JSON value.
    ///
    /// # Errors
    /// What is wrong, and at which byte.
    pub fn read(text: &[u8]) -> Result<Json, String> {
        let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip_spaces();
        if reader.at == text.len() { Ok(value) } else { Err(reader.expected("the end")) }
    }

    /// An object with these fields.
    pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
        Json::of_fields(&mut fields.into_iter())
    }

    /// An object with these fields. It is compiled once for all numbers of fields.
    pub fn of_fields(fields: &mut dyn Iterator<Item = (&str, Json)>) -> Json {
        let mut object = BTreeMap::new();
        for (name, value) in fields {
            object.insert(name.to_owned(), value);
        }
        Json::Object(object)
    }

    /// A field of an object. `None` without this field, and for other values.
    pub fn get(&self, field: &str) -> Option<&Json> {
        if let Json::Object(fields) = self { fields.get(field) } else { None }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(value) = self { Some(*value) } else { None }
    }

    /// The items of an array.
    pub fn as_list(&self) -> Option<&[Json]> {
        if let Json::List(items) = self { Some(items) } else { None }
    }

    /// A number that is a `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        if let Json::Number(digits) = self { digits.parse().ok() } else { None }
    }

    /// A number.
    pub fn as_f64(&self) -> Option<f64> {
        if let Json::Number(digits) = self { digits.parse().ok() } else { None }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Json {
        Json::Number(number.to_string())
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Number(number.to_string())
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json::Number(number.to_string())
    }
}

/// JSON has no infinities and no NaN. They become `null`.
impl From<f64> for Json {
    fn from(number: f64) -> Json {
        if number.is_finite() { Json::Number(format!("{number:?}")) } else { Json::Null }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

/// Without the alternate flag on one line, with it one field or item in each line.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self, f.alternate().then_some(0))
    }
}

/// Writes a value. `depth` counts the levels of indentation; `None` writes one line.
fn write(f: &mut impl Write, value: &Json, depth: Option<usize>) -> fmt::Result {
    let inner = depth.map(|depth| depth + 1);
    match value {
        Json::Null => f.write_str("null"),
        Json::Bool(value) => write!(f, "{value}"),
        Json::Number(digits) => f.write_str(digits),
        Json::Text(text) => write_text(f, text),
        Json::List(items) if items.is_empty() => f.write_str("[]"),
        Json::Object(fields) if fields.is_empty() => f.write_str("{}"),
        Json::List(items) => {
            f.write_char('[')?;
            for (at, item) in items.iter().enumerate() {
                begin(f, at, inner)?;
                write(f, item, inner)?;
            }
            end(f, depth)?;
            f.write_char(']')
        }
        Json::Object(fields) => {
            f.write_char('{')?;
            for (at, (name, value)) in fields.iter().enumerate() {
                begin(f, at, inner)?;
                write_text(f, name)?;
                f.write_str(if depth.is_some() { ": " } else { ":" })?;
                write(f, value, inner)?;
            }
            end(f, depth)?;
            f.write_char('}')
        }
    }
}

fn begin(f: &mut impl Write, at: usize, depth: Option<usize>) -> fmt::Result {
    f.write_str(if at == 0 { "" } else { "," })?;
    end(f, depth)
}

fn end(f: &mut impl Write, depth: Option<usize>) -> fmt::Result {
    depth.map_or(Ok(()), |depth| write!(f, "\n{:1$}", "", 2 * depth))
}

fn write_text(f: &mut impl Write, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '\0'..' ' => write!(f, "\\u{:04x}", u32::from(c))?,
            _ => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEPTH_MAX {
            return Err(self.expected("less nesting"));
        }
        self.skip_spaces();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let words = [("null", Json::Null), ("true", true.into()), ("false", false.into())];
                let found = words.into_iter().find(|(word, _)| self.takes(word));
                found.map(|(_, value)| value).ok_or_else(|| self.expected("a value"))
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut fields = BTreeMap::new();
        self.skip_spaces();
        if self.takes("}") {
            return Ok(Json::Object(fields));
        }
        loop {
            self.skip_spaces();
            let name = self.string()?;
            self.skip_spaces();
            self.take(":")?;
            let value = self.value(depth + 1)?;
            fields.insert(name, value);
            self.skip_spaces();
            if self.takes("}") {
                return Ok(Json::Object(fields));
            }
            self.take(",")?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_spaces();
        if self.takes("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_spaces();
            if self.takes("]") {
                return Ok(Json::List(items));
            }
            self.take(",")?;
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        self.takes("-");
        if !self.takes("0") {
            self.digits()?;
        }
        if self.takes(".") {
            self.digits()?;
        }
        if self.takes("e") || self.takes("E") {
            let _ = self.takes("+") || self.takes("-");
            self.digits()?;
        }
        Ok(Json::Number(self.text[start..self.at].to_owned()))
    }

    fn digits(&mut self) -> Result<(), String> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.expected("a digit")) }
    }

    fn string(&mut self) -> Result<String, String> {
        self.take("\"")?;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c| c < ' ' || matches!(c, '"' | '\\')).unwrap_or(rest.len());
            text.push_str(&rest[..plain]);
            self.at += plain;
            if self.takes("\"") {
                return Ok(text);
            }
            self.take("\\")?;
            text.push(self.escaped()?);
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let kind = self.peek().ok_or_else(|| self.expected("an escape"))?;
        let simple = match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.expected("an escape")),
        };
        self.at += 1;
        Ok(simple)
    }

    fn unicode(&mut self) -> Result<char, String> {
        let first = self.hex()?;
        let mut units = vec![first];
        if (0xD800..0xDC00).contains(&first) {
            self.take("\\u")?;
            units.push(self.hex()?);
        }
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => Ok(c),
            _ => Err(self.expected("a character")),
        }
    }

    fn hex(&mut self) -> Result<u16, String> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.expected("four hex digits"));
        }
        self.at += 4;
        u16::from_str_radix(digits, 16).map_err(|error| error.to_string())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Whether the text goes on with `word`, which is then read.
    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn take(&mut self, word: &str) -> Result<(), String> {
        if self.takes(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn expected(&self, what: &str) -> String {
        format!("expected {what} at byte {}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_it_was_written() {
        let text = r#"{"a":[1,-0.5,1e300,18446744073709551616],"b":{"c":null,"d":[true,false]},"e":"\"\\/\n\u0001\u001fé😀","f":{},"g":[]}"#;
        let value = Json::read(text.as_bytes()).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(Json::read(format!("{value:#}").as_bytes()).unwrap(), value);
        assert_eq!(
            format!("{:#}", Json::object([("a", vec![1u32, 2].into()), ("b", 0.0.into())])),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": 0.0\n}"
        );
    }

    #[test]
    fn escapes_of_other_writers_are_read() {
        let value = Json::read(br#" "\u00e9\ud83d\ude00\/\b\f\r\t" "#).unwrap();
        assert_eq!(value.as_str(), Some("é😀/\u{8}\u{c}\r\t"));
    }

    #[test]
    fn text_that_is_not_json_is_refused() {
        let deep = "[".repeat(100_000);
        for wrong in [
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "01",
            "1.",
            "-",
            "1e",
            "\"",
            "\"\n\"",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\\u12g4\"",
            "nul",
            "1 2",
            "'a'",
            &deep,
        ] {
            assert!(Json::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(Json::read(b"\"\xff\"").is_err());
    }

    #[cfg(feature = "fuzzing")]
    #[test]
    fn it_agrees_with_another_implementation() {
        let texts = ["\"\\\n\r\t\u{8}\u{c}\u{1}\u{7f}\u{e9}\u{2028}😀", ""];
        let numbers = [0.0, -0.0, 1e16, 1.5e-7, 0.1, f64::MAX, f64::MIN_POSITIVE, 123_456.789];
        let ours = Json::object([
            ("texts", texts.to_vec().into()),
            ("numbers", numbers.to_vec().into()),
            ("none", Json::Null),
        ]);
        let theirs = serde_json::json!({ "texts": texts, "numbers": numbers, "none": null });
        let pretty = serde_json::to_string_pretty(&theirs).unwrap();
        assert_eq!(format!("{ours:#}"), pretty.replace("e+", "e"));
        assert_eq!(ours.to_string(), theirs.to_string().replace("e+", "e"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&ours.to_string()).unwrap(), theirs);
    }
}
