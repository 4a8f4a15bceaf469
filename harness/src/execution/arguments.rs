//! The draws of a run by name, as JSON.

use dwindle_corpus::excerpt;
use serde_json::{Map, Value};

use super::{Line, Transcript};

/// Bytes of a text.
const TEXT_MAX_BYTES: usize = 4 << 10;
/// The name of the list that holds the lines of a program.
const PROGRAM: &str = "program";

/// The drawn values: numbers and truth values as such, others as their `Debug` text. A draw without
/// a name is `draw_1`, `draw_2` and so on; a repeated name gets a number. The lines of a program
/// are one list.
pub(crate) fn arguments(transcript: &Transcript) -> Map<String, Value> {
    let mut arguments = Map::new();
    let mut program: Vec<Value> = Vec::new();
    let (mut name, mut as_it_stands) = (None, false);
    for line in &transcript.lines {
        match line {
            Line::Name(next) => name = Some(next.clone()),
            Line::AsItStands => as_it_stands = true,
            Line::Draw(text) if std::mem::take(&mut as_it_stands) => {
                program.push(excerpt(text, TEXT_MAX_BYTES).into());
            }
            Line::Draw(text) => {
                let base = name.take();
                let name = unused(&arguments, base.as_deref());
                arguments.insert(name, value(text));
            }
            Line::Note(_) | Line::Completed(..) => {}
        }
    }
    if !program.is_empty() {
        arguments.insert(PROGRAM.to_owned(), program.into());
    }
    arguments
}

fn unused(arguments: &Map<String, Value>, name: Option<&str>) -> String {
    if let Some(name) = name.filter(|name| !arguments.contains_key(*name)) {
        return name.to_owned();
    }
    let (base, first) = name.map_or(("draw", 1), |name| (name, 2));
    let mut number = first;
    loop {
        let name = format!("{base}_{number}");
        if !arguments.contains_key(&name) {
            return name;
        }
        number += 1;
    }
}

fn value(text: &str) -> Value {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    match text {
        "true" => true.into(),
        "false" => false.into(),
        _ if is_number && let Ok(number) = serde_json::from_str::<Value>(text) => number,
        _ => excerpt(text, TEXT_MAX_BYTES).into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn draws_have_names_and_numbers_are_numbers() {
        let draw = |text: &str| Line::Draw(text.to_owned());
        let name = |text: &str| Line::Name(text.to_owned());
        let lines = vec![
            draw("-3"),
            name("x"),
            draw("1.5"),
            name("x"),
            draw("[1, 2]"),
            Line::Note("a note".to_owned()),
            draw("true"),
            draw("NaN"),
            Line::AsItStands,
            draw("map.insert(1);"),
        ];
        let expected = json!({
            "draw_1": -3, "x": 1.5, "x_2": "[1, 2]", "draw_2": true, "draw_3": "NaN",
            "program": ["map.insert(1);"]
        });
        assert_eq!(Value::Object(arguments(&Transcript { lines })), expected);
    }
}
